/// A strict pull reader (RFC 8259) over one span of bytes.
///
/// The caller asks for what it expects; nothing is built, and whatever is passed over is checked as strictly as what is
/// read. Copying is cheap, so a caller looks ahead by copying. After an error the reader must not be used further.
///
/// White space is skipped before a value, never after it: behind a value `offset` is the first byte that does not belong
/// to it. At the top another value may be read at once, so texts that follow each other are read one by one.
///
/// Calls out of order (a value inside an object before `nextKey`, say) are programmer errors and trap.
package struct JSONReader: ~Escapable {
  /// Where the reader stands relative to the values of the innermost open bracket.
  enum Place {
    /// A value must be read next.
    case beforeValue
    /// Directly behind the opening bracket.
    case opened
    /// Behind a complete value.
    case afterValue
  }

  let bytes: Span<UInt8>
  let limits: JSONLimits
  /// The offset of the next byte to read.
  package internal(set) var offset = 0
  var place = Place.beforeValue
  /// How many brackets are open.
  var depth = 0
  /// One bit for each open bracket, the innermost lowest: 1 for an object.
  var objects: UInt64 = 0

  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>, limits: JSONLimits = .standard) {
    self.bytes = bytes
    self.limits = limits
  }

  /// The kind of the next value, which stays unread. At the end of the input this is `unexpectedEnd`.
  package mutating func peek() throws(JSONError) -> JSONKind {
    switch try nextValueByte() {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    case UInt8(ascii: "t"): return .true
    case UInt8(ascii: "f"): return .false
    case UInt8(ascii: "n"): return .null
    default: throw JSONError(.expectedValue, at: offset)
    }
  }

  /// Skips white space; whether nothing is left. For texts that follow each other in one span.
  package mutating func isAtEnd() -> Bool {
    skipWhiteSpace()
    return offset == bytes.count
  }

  /// Only white space may remain.
  package mutating func finish() throws(JSONError) {
    precondition(depth == 0, "an object or array was not read to its end")
    if !isAtEnd() { throw JSONError(.unexpectedByteAfterText, at: offset) }
  }

  package mutating func readBool() throws(JSONError) -> Bool {
    switch try peek() {
    case .true:
      try read("true")
      return true
    case .false:
      try read("false")
      return false
    case .object, .array, .string, .number, .null: try refuseKind()
    }
  }

  package mutating func readNull() throws(JSONError) {
    try expect(UInt8(ascii: "n"))
    try read("null")
  }

  /// The next value must begin with this byte.
  @inline(__always)
  mutating func expect(_ first: UInt8) throws(JSONError) {
    if try nextValueByte() != first { try refuseKind() }
  }

  /// Another value than the one that was expected is of the wrong kind; what begins no value at all is not.
  func refuseKind() throws(JSONError) -> Never {
    var other = self
    _ = try other.peek()
    throw JSONError(.wrongKind, at: offset)
  }

  private mutating func read(_ literal: StaticString) throws(JSONError) {
    for index in 0..<literal.utf8CodeUnitCount {
      guard offset < bytes.count else { throw JSONError(.unexpectedEnd, at: offset) }
      guard unsafe bytes[offset] == literal.utf8Start[index] else { throw JSONError(.expectedValue, at: offset) }
      offset += 1
    }
    place = .afterValue
  }

  /// The first byte of the next value, which must be due.
  @inline(__always)
  mutating func nextValueByte() throws(JSONError) -> UInt8 {
    precondition(place == .beforeValue || depth == 0, "nextKey or nextElement comes before a value")
    return try nextSignificantByte()
  }

  @inline(__always)
  mutating func nextSignificantByte() throws(JSONError) -> UInt8 {
    skipWhiteSpace()
    guard offset < bytes.count else { throw JSONError(.unexpectedEnd, at: offset) }
    return bytes[offset]
  }

  /// Mostly there is none.
  @inline(__always)
  mutating func skipWhiteSpace() {
    if offset < bytes.count, bytes[offset] <= UInt8(ascii: " ") { skipSomeWhiteSpace() }
  }

  private mutating func skipSomeWhiteSpace() {
    while offset < bytes.count {
      switch bytes[offset] {
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): offset += 1
      default: return
      }
    }
  }
}
