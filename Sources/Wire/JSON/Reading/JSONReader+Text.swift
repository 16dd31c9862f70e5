extension JSONReader {
  package mutating func readText() throws(JSONError) -> JSONText {
    try expect(.string)
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
      skipPlainWords()
      guard offset < bytes.count else { throw JSONError(.unexpectedEnd, at: offset) }
      switch bytes[offset] {
      case UInt8(ascii: "\""):
        let range = quote + 1..<offset
        guard range.count <= limits.maxTextBytes else { throw JSONError(.textTooLong, at: quote) }
        offset += 1
        return JSONText(range: range, isPlain: isPlain)
      case UInt8(ascii: "\\"):
        isPlain = false
        try scanEscape()
      case 0..<0x20: throw JSONError(.controlCharacterInText, at: offset)
      case 0x20..<0x80: offset += 1
      default: try scanMultibyteCharacter()
      }
    }
  }

  /// Passes eight bytes at a time for as long as none of them needs a closer look, then up to the first that does.
  private mutating func skipPlainWords() {
    while offset + 8 <= bytes.count {
      let word = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let stops = WordScan.escapesOrNonASCII(UInt64(littleEndian: word))
      if stops != 0 {
        offset += stops.trailingZeroBitCount / 8
        return
      }
      offset += 8
    }
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
}
