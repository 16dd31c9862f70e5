/// A UUID of RFC 9562 as two words, `high` with the digits that are written first.
package struct UUID128: Hashable, Comparable, Sendable {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates a version 4 UUID from 122 of these 128 random bits (RFC 9562 §5.4).
  package init(randomHigh high: UInt64, randomLow low: UInt64) {
    self.high = high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    self.low = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
  }

  /// Orders uuids like their texts.
  package static func < (left: UUID128, right: UUID128) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

extension UUID128 {
  /// Reads exactly 36 characters, 8-4-4-4-12 hexadecimal digits of either case; of any version and variant, because other
  /// clients may send any. Nil for everything else.
  package init?(text: Span<UInt8>) {
    guard text.count == 36 else { return nil }
    var words = (high: UInt64(0), low: UInt64(0))
    for position in 0..<36 {
      let byte = text[position]
      if UUID128.isHyphen(position) {
        guard byte == UInt8(ascii: "-") else { return nil }
      } else {
        guard let digit = UUID128.value(ofHexDigit: byte) else { return nil }
        if position < 19 { words.high = words.high << 4 | digit } else { words.low = words.low << 4 | digit }
      }
    }
    self.init(high: words.high, low: words.low)
  }

  /// Also reads the forms that stores produce: 32 hexadecimal digits alone, and either spelling in braces or after `urn:uuid:`.
  package init?(stored text: Span<UInt8>) {
    if let uuid = UUID128(text: text) {
      self = uuid
      return
    }
    // Braces, or a prefix of nine letters (RFC 9562 §4).
    let isBraced = text.count > 2 && text[0] == UInt8(ascii: "{") && text[text.count - 1] == UInt8(ascii: "}")
    if isBraced || text.count == 45 && UUID128.isURN(text) {
      guard let uuid = UUID128(stored: text.extracting((isBraced ? 1 : 9)..<(text.count - (isBraced ? 1 : 0)))) else {
        return nil
      }
      self = uuid
      return
    }
    guard text.count == 32 else { return nil }
    var words = (high: UInt64(0), low: UInt64(0))
    for position in 0..<32 {
      guard let digit = UUID128.value(ofHexDigit: text[position]) else { return nil }
      if position < 16 { words.high = words.high << 4 | digit } else { words.low = words.low << 4 | digit }
    }
    self.init(high: words.high, low: words.low)
  }

  private static func isURN(_ text: Span<UInt8>) -> Bool {
    var position = 0
    for letter in "urn:uuid:".utf8 {
      guard text[position] | 0x20 == letter | 0x20 else { return false }
      position += 1
    }
    return true
  }

  /// Appends 36 bytes.
  package func append(upperCaseTextTo bytes: inout [UInt8]) { append(to: &bytes, letterA: UInt8(ascii: "A")) }

  /// Appends 36 bytes.
  package func append(lowerCaseTextTo bytes: inout [UInt8]) { append(to: &bytes, letterA: UInt8(ascii: "a")) }

  /// In lower case, as in RFC 9562 §4.
  package var text: String {
    var bytes: [UInt8] = []
    append(lowerCaseTextTo: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// In upper case, as phones write it.
  package var upperCaseText: String {
    var bytes: [UInt8] = []
    append(upperCaseTextTo: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func append(to bytes: inout [UInt8], letterA: UInt8) {
    bytes.append(addingCapacity: 36) { text in
      var shift = 64
      for position in 0..<36 {
        if UUID128.isHyphen(position) {
          text.append(UInt8(ascii: "-"))
          continue
        }
        shift = shift == 0 ? 60 : shift - 4
        let digit = UInt8(truncatingIfNeeded: (position < 19 ? high : low) >> UInt64(shift)) & 15
        text.append(digit < 10 ? UInt8(ascii: "0") + digit : letterA + digit - 10)
      }
    }
  }

  private static func isHyphen(_ position: Int) -> Bool {
    position == 8 || position == 13 || position == 18 || position == 23
  }

  private static func value(ofHexDigit byte: UInt8) -> UInt64? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}

extension UUID128 {
  /// In the order of the text, as databases store them.
  package var bytes: InlineArray<16, UInt8> {
    InlineArray { index in
      let word = index < 8 ? high : low
      return UInt8(truncatingIfNeeded: word >> UInt64(56 - index % 8 * 8))
    }
  }

  /// Creates a uuid from exactly 16 bytes.
  package init(_ bytes: Span<UInt8>) {
    precondition(bytes.count == 16, "a uuid has 16 bytes")
    var words: (UInt64, UInt64) = (0, 0)
    for index in 0..<8 {
      words.0 = words.0 << 8 | UInt64(bytes[index])
      words.1 = words.1 << 8 | UInt64(bytes[index + 8])
    }
    self.init(high: words.0, low: words.1)
  }
}
