extension String {
  /// The text as one word of a shell command, in quotes if it needs them.
  package var shellWord: String {
    if !isEmpty && unicodeScalars.allSatisfy({ String.plainScalars.contains($0) }) { return self }
    return "'" + replacing("'", with: #"'\''"#) + "'"
  }

  private static let plainScalars = Set(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%".unicodeScalars)
}
