extension JSONReader {
  package mutating func readText() throws(JSONError) -> JSONText {
    try expect(UInt8(ascii: "\""))
    let text = try scanText()
    place = .afterValue
    return text
  }

  /// From the opening quote past the closing one.
  mutating func scanText() throws(JSONError) -> JSONText {
    let quote = offset
    offset += 1
    var isPlain = true
    while true {
      offset = plainEnd(from: offset)
      guard offset < bytes.count else { throw JSONError(.unexpectedEnd, at: offset) }
      switch bytes[offset] {
      case UInt8(ascii: "\""):
        let range = quote + 1..<offset
        offset += 1
        return JSONText(range: range, isPlain: isPlain)
      case UInt8(ascii: "\\"):
        isPlain = false
        if limits.isStructureOnly { try passEscape() } else { try scanEscape() }
      case _ where limits.isStructureOnly: offset += 1
      case 0..<0x20: throw JSONError(.controlCharacterInText, at: offset)
      default: try scanMultibyteCharacter()
      }
    }
  }

  /// From the backslash past the byte that it guards: a quote there is none that closes.
  private mutating func passEscape() throws(JSONError) {
    guard offset + 1 < bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
    offset += 2
  }

  /// The first byte from there on that needs a closer look: a quote, a backslash, a control character or not ASCII.
  @inline(__always)
  private func plainEnd(from start: Int) -> Int {
    var position = start
    while position + 8 <= bytes.count {
      let word = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
      let stops = WordScan.escapesOrNonASCII(UInt64(littleEndian: word))
      if stops != 0 { return position + stops.trailingZeroBitCount / 8 }
      position += 8
    }
    while position < bytes.count, Self.isPlain(bytes[position]) { position += 1 }
    return position
  }

  /// The well-formed sequences of RFC 3629 §4, which leaves out overlong forms, surrogates and whatever is beyond
  /// U+10FFFF: only the second byte has a range of its own.
  private mutating func scanMultibyteCharacter() throws(JSONError) {
    switch bytes[offset] {
    case 0xC2...0xDF: try scanContinuation(0x80...0xBF, more: 0)
    case 0xE0: try scanContinuation(0xA0...0xBF, more: 1)
    case 0xE1...0xEC, 0xEE...0xEF: try scanContinuation(0x80...0xBF, more: 1)
    case 0xED: try scanContinuation(0x80...0x9F, more: 1)
    case 0xF0: try scanContinuation(0x90...0xBF, more: 2)
    case 0xF1...0xF3: try scanContinuation(0x80...0xBF, more: 2)
    case 0xF4: try scanContinuation(0x80...0x8F, more: 2)
    default: throw JSONError(.invalidUTF8, at: offset)
    }
  }

  private mutating func scanContinuation(_ second: ClosedRange<UInt8>, more: Int) throws(JSONError) {
    offset += 1
    for index in 0...more {
      guard offset < bytes.count else { throw JSONError(.unexpectedEnd, at: offset) }
      let allowed = index == 0 ? second : 0x80...0xBF
      guard allowed.contains(bytes[offset]) else { throw JSONError(.invalidUTF8, at: offset) }
      offset += 1
    }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (0x20..<0x80).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }
}
