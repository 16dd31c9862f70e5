/// Base64 (RFC 4648 §4).
package enum Base64 {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  package static func text(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let rest = bytes[start..<min(start + 3, bytes.count)]
      let word = rest.enumerated().reduce(UInt32(0)) { $0 | UInt32($1.element) << UInt32(16 - 8 * $1.offset) }
      for index in 0..<4 {
        let isFilled = index <= rest.count
        text.append(isFilled ? letters[Int(word >> UInt32(18 - 6 * index) & 63)] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns nil when the text is not a whole number of groups of four letters.
  package static func bytes(_ text: String) -> [UInt8]? {
    var letters = Array(text.utf8)
    guard letters.count % 4 == 0 else { return nil }
    var padding = 0
    while padding < 2, letters.last == UInt8(ascii: "=") {
      letters.removeLast()
      padding += 1
    }
    var bytes: [UInt8] = []
    var (word, bits) = (UInt32(0), 0)
    for letter in letters {
      guard let value = Base64.letters.firstIndex(of: letter) else { return nil }
      word = word << 6 | UInt32(value)
      bits += 6
      guard bits >= 8 else { continue }
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(bits)))
    }
    return bytes
  }
}
