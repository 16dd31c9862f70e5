/// An append-only writer: the caller writes keys and values, the writer adds the commas. There is no white space, except that
/// several top-level texts are separated by a line feed (NDJSON).
///
/// Calls out of order (a value inside an object without a key, a bracket that was not opened) are programming errors and trap.
/// After the buffer has grown to its final size, writing allocates nothing.
package struct JSONWriter {
  /// The bytes written so far.
  package internal(set) var bytes: [UInt8] = []
  var depth = 0
  /// One bit for each open bracket, the innermost lowest: 1 for an object.
  var objects: UInt64 = 0
  var needsSeparator = false
  var isAfterKey = false

  /// Reserves `capacity` bytes.
  package init(capacity: Int = 1024) {
    bytes.reserveCapacity(capacity)
  }

  /// Starts again; with `keepingCapacity` the next text needs no allocation.
  package mutating func removeAll(keepingCapacity: Bool = true) {
    bytes.removeAll(keepingCapacity: keepingCapacity)
    depth = 0
    objects = 0
    needsSeparator = false
    isAfterKey = false
  }

  package mutating func beginObject() { open(UInt8(ascii: "{"), isObject: true) }
  package mutating func endObject() { close(UInt8(ascii: "}"), isObject: true) }
  package mutating func beginArray() { open(UInt8(ascii: "["), isObject: false) }
  package mutating func endArray() { close(UInt8(ascii: "]"), isObject: false) }

  package mutating func value(_ flag: Bool) {
    beginValue()
    append(flag ? "true" : "false")
  }

  package mutating func null() {
    beginValue()
    append("null")
  }

  /// Writes one complete value that is known to be valid, for instance a slice from `JSONReader.skipValue`.
  package mutating func raw(_ value: Span<UInt8>) {
    beginValue()
    append(value)
  }

  /// Writes one complete value that is known to be valid.
  package mutating func raw(_ value: [UInt8]) {
    beginValue()
    bytes.append(contentsOf: value)
  }

  private mutating func open(_ bracket: UInt8, isObject: Bool) {
    beginValue()
    precondition(depth < JSONLimits.greatestDepth, "nested deeper than 64")
    bytes.append(bracket)
    depth += 1
    objects = objects << 1 | (isObject ? 1 : 0)
    needsSeparator = false
  }

  private mutating func close(_ bracket: UInt8, isObject: Bool) {
    precondition(depth > 0 && (objects & 1 == 1) == isObject && !isAfterKey, "the closing bracket has no partner")
    bytes.append(bracket)
    depth -= 1
    objects >>= 1
    needsSeparator = true
  }

  mutating func beginValue() {
    precondition(isAfterKey || objects & 1 == 0, "a key comes before a value in an object")
    separate()
    isAfterKey = false
    needsSeparator = true
  }

  mutating func beginKey() {
    precondition(depth > 0 && objects & 1 == 1 && !isAfterKey, "a key belongs into an object, once before each value")
    separate()
    isAfterKey = true
    needsSeparator = false
  }

  mutating func append(_ piece: Span<UInt8>) {
    unsafe piece.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
  }

  /// Calls `write` with a pointer after the last byte, with room for `capacity` bytes; it returns how many it wrote.
  @inline(__always)
  mutating func append(atMost capacity: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int) {
    bytes.append(addingCapacity: capacity) { output in
      unsafe output.withUnsafeMutableBufferPointer { buffer, count in
        guard let start = buffer.baseAddress else { preconditionFailure("room for no byte was asked for") }
        count = unsafe write(start)
      }
    }
  }

  mutating func append(_ piece: StaticString) {
    piece.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
  }

  private mutating func separate() {
    if needsSeparator { bytes.append(depth == 0 ? UInt8(ascii: "\n") : UInt8(ascii: ",")) }
  }
}

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

  /// Writes a text that is available as bytes.
  package mutating func value(_ text: UTF8Span) {
    beginValue()
    appendQuoted(text.span, isKey: false)
  }

  /// Appends in quotes, with the colon after a key; only what RFC 8259 §7 demands is escaped, in the short form if there is
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

  /// Appends the rest of a text from the first byte that must be escaped.
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

  /// Copies up to the first byte that must be escaped, and returns its position. May write beyond it, but not more bytes than
  /// the text has left.
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
      // Copies the last eight bytes again: those already copied need no escape.
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

  /// Copies eight bytes and returns their `WordScan.escapes`.
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

extension JSONWriter {
  package mutating func value(_ number: Int) { value(Int64(number)) }

  package mutating func value(_ number: Int64) {
    beginValue()
    append(number.magnitude, isNegative: number < 0)
  }

  package mutating func value(_ number: UInt64) {
    beginValue()
    append(number, isNegative: false)
  }

  /// Writes the fewest digits that read back as the same bits, so -0.0 keeps its sign: "-0". Integral values have no ".0". From
  /// 1e16 upwards, where the digits would no longer be those of the exact integer, and below 1e-6 there is an exponent. NaN and
  /// the infinities, which JSON lacks, become null as in ECMAScript's JSON.stringify.
  package mutating func value(_ number: Double) {
    beginValue()
    guard number.isFinite else { return append("null") }
    let isNegative = number.sign == .minus
    // A whole number below 2^53 has no shorter form than its digits.
    if number.magnitude < 0x1p53, Double(UInt64(number.magnitude)) == number.magnitude {
      append(UInt64(number.magnitude), isNegative: isNegative)
    } else {
      append(ShortestDecimal(number.magnitude), isNegative: isNegative)
    }
  }

  private mutating func append(_ magnitude: UInt64, isNegative: Bool) {
    let digits = DecimalDigits(magnitude)
    unsafe append(atMost: digits.count + 1) { start in
      unsafe start[0] = UInt8(ascii: "-")
      unsafe digits.write(to: start + (isNegative ? 1 : 0))
      return digits.count + (isNegative ? 1 : 0)
    }
  }

  /// Writes at most a sign, 17 digits, a point and five characters of exponent, or seven characters before the digits.
  private mutating func append(_ decimal: ShortestDecimal, isNegative: Bool) {
    unsafe append(atMost: 32) { start in
      unsafe start[0] = UInt8(ascii: "-")
      let sign = isNegative ? 1 : 0
      return unsafe sign + Self.write(decimal, to: start + sign)
    }
  }

  /// Returns the number of bytes written.
  private static func write(_ decimal: ShortestDecimal, to start: UnsafeMutablePointer<UInt8>) -> Int {
    let digits = DecimalDigits(decimal.digits)
    let integerDigits = digits.count + decimal.exponent
    switch integerDigits {
    case 1...16 where decimal.exponent >= 0:
      unsafe digits.write(to: start)
      for index in digits.count..<integerDigits { unsafe start[index] = UInt8(ascii: "0") }
      return integerDigits
    case 1...16:
      unsafe writeWithPoint(digits, integerDigits, to: start)
      return digits.count + 1
    case -5...0:
      unsafe start[0] = UInt8(ascii: "0")
      unsafe start[1] = UInt8(ascii: ".")
      for index in 0..<(-integerDigits) { unsafe start[2 + index] = UInt8(ascii: "0") }
      unsafe digits.write(to: start + 2 - integerDigits)
      return 2 - integerDigits + digits.count
    default: return unsafe writeScientific(digits, integerDigits - 1, to: start)
    }
  }

  /// Writes the digits one place too far, then moves those before the point forward.
  private static func writeWithPoint(
    _ digits: DecimalDigits, _ integerDigits: Int, to start: UnsafeMutablePointer<UInt8>
  ) {
    unsafe digits.write(to: start + 1)
    for index in 0..<integerDigits { unsafe start[index] = start[index + 1] }
    unsafe start[integerDigits] = UInt8(ascii: ".")
  }

  private static func writeScientific(
    _ digits: DecimalDigits, _ exponent: Int, to start: UnsafeMutablePointer<UInt8>
  ) -> Int {
    var end = digits.count
    if end > 1 {
      unsafe writeWithPoint(digits, 1, to: start)
      end += 1
    } else {
      unsafe digits.write(to: start)
    }
    unsafe start[end] = UInt8(ascii: "e")
    unsafe start[end + 1] = UInt8(ascii: "-")
    end += exponent < 0 ? 2 : 1
    let exponentDigits = DecimalDigits(UInt64(exponent.magnitude))
    unsafe exponentDigits.write(to: start + end)
    return end + exponentDigits.count
  }
}
