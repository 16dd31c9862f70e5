extension StringProtocol {
  /// Nil when a byte is no percent-encoded one, or they are no text.
  var removingPercentEncoding: String? {
    var bytes: [UInt8] = []
    var rest = Substring(self)
    while let letter = rest.utf8.first {
      guard letter == UInt8(ascii: "%") else {
        // What may not stand in a URL was not encoded.
        guard letter > 0x20, letter < 0x7F else { return nil }
        bytes.append(letter)
        rest = Substring(rest.utf8.dropFirst())
        continue
      }
      guard let byte = UInt8(rest.dropFirst().prefix(2), radix: 16) else { return nil }
      bytes.append(byte)
      rest = rest.dropFirst(3)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension String {
  func replacing(_ old: String, with new: String) -> String {
    split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
  }
}
