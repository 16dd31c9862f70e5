extension JSONReader {
  /// From the backslash past the escape. RFC 8259 §7.
  mutating func scanEscape() throws(JSONError) {
    offset += 1
    guard offset < bytes.count else { throw JSONError(.unexpectedEnd, at: offset) }
    switch bytes[offset] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      offset += 1
    case UInt8(ascii: "u"):
      offset += 1
      try scanCodeUnit()
    default: throw JSONError(.invalidEscape, at: offset)
    }
  }

  /// The four digits behind "\u", and the second half when they are the first half of a surrogate pair. RFC 8259 §8.2
  /// leaves it open what a surrogate without its partner means; here it is refused, because it has no UTF-8 form.
  private mutating func scanCodeUnit() throws(JSONError) {
    guard try scanHexDigit() == 0xD else { return try scanHexDigits(3) }
    switch try scanHexDigit() {
    case 0x0...0x7: try scanHexDigits(2)
    case 0x8...0xB:
      try scanHexDigits(2)
      try scanLowSurrogate()
    default: throw JSONError(.loneSurrogate, at: offset - 1)
    }
  }

  private mutating func scanLowSurrogate() throws(JSONError) {
    for index in 0..<4 {
      guard offset < bytes.count else { throw JSONError(.unexpectedEnd, at: offset) }
      switch (index, bytes[offset]) {
      case (0, UInt8(ascii: "\\")), (1, UInt8(ascii: "u")), (2, UInt8(ascii: "D")), (2, UInt8(ascii: "d")),
        (3, UInt8(ascii: "C")...UInt8(ascii: "F")), (3, UInt8(ascii: "c")...UInt8(ascii: "f")):
        offset += 1
      default: throw JSONError(.loneSurrogate, at: offset)
      }
    }
    try scanHexDigits(2)
  }

  private mutating func scanHexDigits(_ count: Int) throws(JSONError) {
    for _ in 0..<count { _ = try scanHexDigit() }
  }

  private mutating func scanHexDigit() throws(JSONError) -> UInt32 {
    guard offset < bytes.count else { throw JSONError(.unexpectedEnd, at: offset) }
    guard let digit = Self.hexValue(bytes[offset]) else { throw JSONError(.invalidEscape, at: offset) }
    offset += 1
    return digit
  }

  /// The character that an escape stands for, and `position` behind it. For one that stands for none, which only a reader
  /// of the structure lets pass, it is the replacement character.
  func unescape(at position: inout Int) -> Unicode.Scalar {
    let letter = bytes[position + 1]
    position += 2
    switch letter {
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      return unescapeCodeUnit(at: &position)
    default: return Unicode.Scalar(letter)
    }
  }

  /// From behind "\u".
  private func unescapeCodeUnit(at position: inout Int) -> Unicode.Scalar {
    guard let code = codeUnit(at: position) else { return "\u{FFFD}" }
    position += 4
    if let scalar = Unicode.Scalar(code) { return scalar }
    guard (0xD800...0xDBFF).contains(code), position + 2 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u"), let low = codeUnit(at: position + 2), (0xDC00...0xDFFF).contains(low)
    else { return "\u{FFFD}" }
    position += 6
    return Unicode.Scalar(0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)) ?? "\u{FFFD}"
  }

  /// Nil where there are no four digits; the quote at the end of a text is none.
  private func codeUnit(at position: Int) -> UInt32? {
    var code: UInt32 = 0
    for index in position..<position + 4 {
      guard index < bytes.count, let digit = Self.hexValue(bytes[index]) else { return nil }
      code = code << 4 | digit
    }
    return code
  }

  private static func hexValue(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) - 0x30
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte) - 0x41 + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte) - 0x61 + 10
    default: nil
    }
  }
}
