/// Texts of other programs in messages.
extension String {
  /// The lines joined by semicolons, without their indentation, and with spaces in place of control characters, which must not
  /// control a terminal.
  package var onOneLine: String {
    let lines = split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }.filter { !$0.isEmpty }
    return String(
      String.UnicodeScalarView(
        lines.joined(separator: "; ").unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }
}
