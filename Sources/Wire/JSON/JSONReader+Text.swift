/// A key or string that the reader has checked: its position, not its content. Valid only together with the span it was read
/// from.
package struct JSONText: Equatable, Sendable {
  /// The bytes between the quotes, with escapes as written.
  package let range: Range<Int>
  /// Whether the bytes between the quotes are the text itself, because they contain no escape.
  package let isPlain: Bool
}

extension JSONReader {
  package mutating func readText() throws(JSONError) -> JSONText {
    try expect(UInt8(ascii: "\""))
    let text = try scanText()
    place = .afterValue
    return text
  }

  /// Scans from the opening quote past the closing one. Most texts are plain.
  @inline(__always)
  mutating func scanText() throws(JSONError) -> JSONText {
    let start = offset + 1
    offset = plainEnd(from: start)
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else { return try scanRest(from: start) }
    offset += 1
    return JSONText(range: start..<offset - 1, isPlain: true)
  }

  /// Scans the rest of a text that began at `start` and is plain so far.
  private mutating func scanRest(from start: Int) throws(JSONError) -> JSONText {
    var isPlain = true
    while true {
      guard offset < bytes.count else { throw JSONError(.unexpectedEnd, at: offset) }
      switch bytes[offset] {
      case UInt8(ascii: "\""):
        let range = start..<offset
        offset += 1
        return JSONText(range: range, isPlain: isPlain)
      case UInt8(ascii: "\\"):
        isPlain = false
        if limits.isStructureOnly { try passEscape() } else { try scanEscape() }
      case _ where limits.isStructureOnly: offset += 1
      case 0..<0x20: throw JSONError(.controlCharacterInText, at: offset)
      default: try scanMultibyteCharacter()
      }
      offset = plainEnd(from: offset)
    }
  }

  /// Skips a backslash and the byte after it: a quote there does not close the text.
  private mutating func passEscape() throws(JSONError) {
    guard offset + 1 < bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
    offset += 2
  }

  /// Returns the first byte from `start` that needs a closer look: a quote, a backslash, a control character or not ASCII.
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

  /// Accepts the well-formed sequences of RFC 3629 §4, which excludes overlong forms, surrogates and code points beyond
  /// U+10FFFF: only the second byte has a special range.
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

extension JSONReader {
  /// Scans an escape from its backslash (RFC 8259 §7).
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

  /// Scans the four digits after "\u", and the second half if they are the first half of a surrogate pair. RFC 8259 §8.2 does
  /// not define the meaning of a surrogate without its partner; here it is refused, because it has no UTF-8 form.
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

  /// Returns the character of an escape, and moves `position` past it. For an invalid escape, which only a reader of the
  /// structure accepts, it is the replacement character.
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

  /// `position` is after "\u".
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

  /// Returns nil without four digits; the quote at the end of a text is not one.
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

extension JSONReader {
  package func string(_ text: JSONText) -> String {
    if text.isPlain {
      return unsafe String(copying: UTF8Span(unchecked: bytes.extracting(text.range)))
    }
    var unescaped: [UInt8] = []
    unescaped.reserveCapacity(text.range.count)
    append(text, to: &unescaped)
    return String(decoding: unescaped, as: UTF8.self)
  }

  /// Returns whether the unescaped text is this name.
  package func equals(_ text: JSONText, _ name: StaticString) -> Bool {
    name.withUTF8Buffer { name in equals(text, unsafe name.span) }
  }

  package func equals(_ text: JSONText, _ name: Span<UInt8>) -> Bool {
    text.isPlain ? isPlain(text.range, name) : isEscaped(text.range, name)
  }

  /// Appends the unescaped text as UTF-8. Allocates only when the array must grow.
  package func append(_ text: JSONText, to output: inout [UInt8]) {
    guard !text.isPlain else { return append(rawValue: text.range, to: &output) }
    var position = text.range.lowerBound
    var plainStart = position
    while position < text.range.upperBound {
      if bytes[position] == UInt8(ascii: "\\") {
        append(rawValue: plainStart..<position, to: &output)
        output.append(contentsOf: unescape(at: &position).utf8)
        plainStart = position
      } else {
        position += 1
      }
    }
    append(rawValue: plainStart..<position, to: &output)
  }

  /// Appends the bytes as written, for a range returned by `skipValue`. Allocates only when the array must grow.
  package func append(rawValue range: Range<Int>, to output: inout [UInt8]) {
    unsafe bytes.extracting(range).withUnsafeBufferPointer { unsafe output.append(contentsOf: $0) }
  }

  private func isPlain(_ range: Range<Int>, _ name: Span<UInt8>) -> Bool {
    guard range.count == name.count else { return false }
    for index in name.indices where bytes[range.lowerBound + index] != name[index] { return false }
    return true
  }

  private func isEscaped(_ range: Range<Int>, _ name: Span<UInt8>) -> Bool {
    var position = range.lowerBound
    var matched = 0
    while position < range.upperBound {
      let isEscape = bytes[position] == UInt8(ascii: "\\")
      if isEscape {
        for byte in unescape(at: &position).utf8 {
          guard matched < name.count, name[matched] == byte else { return false }
          matched += 1
        }
      } else {
        guard matched < name.count, name[matched] == bytes[position] else { return false }
        matched += 1
        position += 1
      }
    }
    return matched == name.count
  }
}
