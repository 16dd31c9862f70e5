extension String {
  /// As one word of a command line.
  var shellWord: String {
    if !isEmpty && unicodeScalars.allSatisfy({ String.plainScalars.contains($0) }) { return self }
    return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
  }

  private static let plainScalars = Set(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%".unicodeScalars)
}
