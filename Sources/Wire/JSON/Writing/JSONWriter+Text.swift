extension JSONWriter {
  package mutating func key(_ name: StaticString) {
    beginKey()
    name.withUTF8Buffer { appendQuoted(unsafe $0.span, isKey: true) }
  }

  package mutating func key(_ name: String) {
    beginKey()
    appendQuoted(name.utf8.span, isKey: true)
  }

  package mutating func value(_ text: String) {
    beginValue()
    appendQuoted(text.utf8.span, isKey: false)
  }

  /// Text that is at hand as bytes.
  package mutating func value(_ text: UTF8Span) {
    beginValue()
    appendQuoted(text.span, isKey: false)
  }

  /// In quotes, with the colon behind a key; only what RFC 8259 §7 demands is escaped, in the short form where there is
  /// one.
  private mutating func appendQuoted(_ text: Span<UInt8>, isKey: Bool) {
    var position = 0
    unsafe append(atMost: text.count + 3) { start in
      unsafe start[0] = UInt8(ascii: "\"")
      position = unsafe Self.copyPlain(text, from: 0, to: start + 1)
      guard position == text.count else { return 1 + position }
      unsafe start[1 + position] = UInt8(ascii: "\"")
      unsafe start[2 + position] = UInt8(ascii: ":")
      return isKey ? 3 + position : 2 + position
    }
    if position < text.count { appendEscaped(text, from: position, isKey: isKey) }
  }

  /// The rest of a text from the first byte that must be escaped.
  private mutating func appendEscaped(_ text: Span<UInt8>, from start: Int, isKey: Bool) {
    var position = start
    while position < text.count {
      appendEscape(text[position])
      let plainStart = position + 1
      unsafe append(atMost: text.count - plainStart + 1) { start in
        position = unsafe Self.copyPlain(text, from: plainStart, to: start)
        return position - plainStart
      }
    }
    append(isKey ? "\":" : "\"")
  }

  /// Copies up to the first byte that must be escaped, and tells where that is. May write beyond it, but not more bytes
  /// than the text has left.
  private static func copyPlain(
    _ text: Span<UInt8>, from start: Int, to destination: UnsafeMutablePointer<UInt8>
  ) -> Int {
    var position = start
    while position + 8 <= text.count {
      let escapes = unsafe copyWord(text, at: position, to: destination + (position - start))
      if escapes != 0 { return position + escapes.trailingZeroBitCount / 8 }
      position += 8
    }
    if position < text.count, text.count - start >= 8 {
      // The last eight bytes again: those that were copied already need no escape.
      let last = text.count - 8
      let escapes = unsafe copyWord(text, at: last, to: destination + (last - start))
      return escapes == 0 ? text.count : last + escapes.trailingZeroBitCount / 8
    }
    while position < text.count, !needsEscape(text[position]) {
      unsafe destination[position - start] = text[position]
      position += 1
    }
    return position
  }

  /// Copies eight bytes; `WordScan.escapes` of them.
  @inline(__always)
  private static func copyWord(
    _ text: Span<UInt8>, at position: Int, to destination: UnsafeMutablePointer<UInt8>
  ) -> UInt64 {
    let word = unsafe text.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
    unsafe UnsafeMutableRawPointer(destination).storeBytes(of: word, as: UInt64.self)
    return WordScan.escapes(UInt64(littleEndian: word))
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
      bytes.append(Self.hexDigit(byte >> 4))
      bytes.append(Self.hexDigit(byte & 0xF))
    }
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
