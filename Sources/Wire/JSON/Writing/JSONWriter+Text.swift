extension JSONWriter {
  package mutating func key(_ name: StaticString) {
    beginKey()
    name.withUTF8Buffer { appendQuoted(unsafe $0.span) }
    bytes.append(UInt8(ascii: ":"))
  }

  package mutating func key(_ name: String) {
    beginKey()
    appendQuoted(name.utf8.span)
    bytes.append(UInt8(ascii: ":"))
  }

  package mutating func value(_ text: String) {
    beginValue()
    appendQuoted(text.utf8.span)
  }

  /// Text that is at hand as bytes.
  package mutating func value(_ text: UTF8Span) {
    beginValue()
    appendQuoted(text.span)
  }

  /// In quotes; only what RFC 8259 §7 demands is escaped, in the short form where there is one.
  private mutating func appendQuoted(_ text: Span<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    var position = 0
    while true {
      let plainEnd = Self.plainEnd(text, from: position)
      append(text.extracting(position..<plainEnd))
      if plainEnd == text.count { break }
      appendEscape(text[plainEnd])
      position = plainEnd + 1
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Where the first byte stands that must be escaped.
  private static func plainEnd(_ text: Span<UInt8>, from start: Int) -> Int {
    var position = start
    while position + 8 <= text.count {
      let word = unsafe text.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
      let escapes = WordScan.escapes(UInt64(littleEndian: word))
      if escapes != 0 { return position + escapes.trailingZeroBitCount / 8 }
      position += 8
    }
    while position < text.count, !needsEscape(text[position]) { position += 1 }
    return position
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func appendEscape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append("\\\"")
    case UInt8(ascii: "\\"): append("\\\\")
    case 0x08: append("\\b")
    case 0x0C: append("\\f")
    case UInt8(ascii: "\n"): append("\\n")
    case UInt8(ascii: "\r"): append("\\r")
    case UInt8(ascii: "\t"): append("\\t")
    default:
      append("\\u00")
      for digit in [byte >> 4, byte & 0xF] { bytes.append(digit < 10 ? 0x30 + digit : 0x61 + digit - 10) }
    }
  }
}
