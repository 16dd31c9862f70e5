/// A strict pull reader (RFC 8259) over one span of bytes.
///
/// The caller asks for what it expects; nothing is built, and what is passed over is checked as strictly as what is
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
  package mutating func peek() throws(JSONError) -> JSONKind { try nextKind() }

  @inline(__always)
  private mutating func nextKind() throws(JSONError) -> JSONKind {
    let byte = try nextValueByte()
    switch byte {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    case UInt8(ascii: "t"): return .true
    case UInt8(ascii: "f"): return .false
    case UInt8(ascii: "n"): return .null
    case _ where limits.isStructureOnly && depth > 0 && Self.isOfWord(byte): return .number
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

  /// The next value, which another reader has read and checked, ends there.
  package mutating func pass(to end: Int) {
    precondition(place == .beforeValue && end > offset, "a value is passed where one is due")
    offset = end
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

/// What kind of value begins at a place, told by its first byte.
package enum JSONKind: Equatable, Sendable {
  case object, array, string, number, `true`, `false`, null
}

/// What a reader accepts; RFC 8259 §9 leaves limits to the implementation. How long a text may be is none of them: it stands
/// in bytes that are there already, and where those came from there was a limit.
package struct JSONLimits: Equatable, Sendable {
  /// Depth 64 fits into one machine word, which is where the reader remembers the open brackets.
  package static let greatestDepth = 64

  package static let standard = JSONLimits()

  /// How many objects and arrays the caller may have stepped into at once, at most `greatestDepth`. 0 admits scalars only.
  /// What is skipped may be nested deeper: nothing recurses into it.
  package let maxDepth: Int
  /// Whether what stands between quotes may be anything, and what stands outside of them any word, as `NaN` and `01`, within a bracket, so that
  /// the values behind it can still be found. To use their values, read them with a reader that checks.
  package let isStructureOnly: Bool

  package init(maxDepth: Int = 32, isStructureOnly: Bool = false) {
    precondition((0...Self.greatestDepth).contains(maxDepth), "maxDepth must be in 0...64")
    self.maxDepth = maxDepth
    self.isStructureOnly = isStructureOnly
  }
}

extension JSONReader {
  /// Steps into the object that comes next; then `nextKey` until it gives nil.
  package mutating func enterObject() throws(JSONError) {
    try expect(UInt8(ascii: "{"))
    try enter(isObject: true)
  }

  /// Steps into the array that comes next; then `nextElement` until it gives false.
  package mutating func enterArray() throws(JSONError) {
    try expect(UInt8(ascii: "["))
    try enter(isObject: false)
  }

  /// The next key, after which exactly one value must be read; nil at the closing brace, which is then behind the reader.
  /// Keys come in the order of the text, and a key that occurs twice is seen twice.
  package mutating func nextKey() throws(JSONError) -> JSONText? {
    precondition(depth > 0 && isInsideObject, "nextKey belongs into an object")
    guard try nextMember(closing: UInt8(ascii: "}")) else { return nil }
    guard try nextSignificantByte() == UInt8(ascii: "\"") else { throw JSONError(.expectedKey, at: offset) }
    let key = try scanText()
    guard try nextSignificantByte() == UInt8(ascii: ":") else { throw JSONError(.expectedColon, at: offset) }
    offset += 1
    place = .beforeValue
    return key
  }

  /// Whether there is another element, which must then be read; false at the closing bracket, which is then behind the
  /// reader.
  package mutating func nextElement() throws(JSONError) -> Bool {
    precondition(depth > 0 && !isInsideObject, "nextElement belongs into an array")
    guard try nextMember(closing: UInt8(ascii: "]")) else { return false }
    place = .beforeValue
    return true
  }

  var isInsideObject: Bool { objects & 1 == 1 }

  private mutating func enter(isObject: Bool) throws(JSONError) {
    guard depth < limits.maxDepth else { throw JSONError(.tooDeep, at: offset) }
    open(isObject: isObject)
  }

  mutating func open(isObject: Bool) {
    offset += 1
    depth += 1
    objects = objects << 1 | (isObject ? 1 : 0)
    place = .opened
  }

  /// Passes the comma before the next member, or the closing bracket: then false.
  @inline(__always)
  private mutating func nextMember(closing: UInt8) throws(JSONError) -> Bool {
    precondition(place != .beforeValue, "the value before was not read")
    let byte = try nextSignificantByte()
    if byte == closing {
      offset += 1
      depth -= 1
      objects >>= 1
      place = .afterValue
      return false
    }
    if place == .afterValue {
      guard byte == UInt8(ascii: ",") else { throw JSONError(.expectedCommaOrClosing, at: offset) }
      offset += 1
    }
    return true
  }
}

extension JSONReader {
  /// Any value, with everything inside it checked and nested as deep as it may be; its bytes without the white space
  /// around.
  package mutating func skipValue() throws(JSONError) -> Range<Int> {
    let kind = try nextKind()
    let start = offset
    switch kind {
    case .object, .array: try skipContainer()
    default: try skipScalar(kind)
    }
    return start..<offset
  }

  private mutating func skipContainer() throws(JSONError) {
    let outerDepth = depth
    // The words of brackets that are open outside the present one.
    var outerObjects: [UInt64] = []
    place = .beforeValue
    repeat {
      if place == .beforeValue {
        try skipScalarOrOpening(&outerObjects)
      } else if isInsideObject ? try nextKey() == nil : try !nextElement() {
        restore(&outerObjects)
      }
    } while depth > outerDepth || place == .beforeValue
  }

  private mutating func skipScalarOrOpening(_ outerObjects: inout [UInt64]) throws(JSONError) {
    switch try nextKind() {
    case .object: open(isObject: true, &outerObjects)
    case .array: open(isObject: false, &outerObjects)
    case let kind: try skipScalar(kind)
    }
  }

  @inline(__always)
  private mutating func skipScalar(_ kind: JSONKind) throws(JSONError) {
    if limits.isStructureOnly, kind != .string { return passWord() }
    switch kind {
    case .string: _ = try readText()
    case .number: try skipNumber()
    case .true, .false: _ = try readBool()
    case .null: try readNull()
    case .object, .array: preconditionFailure("a container is no scalar")
    }
  }

  /// To what ends it: a comma, a bracket, a quote or white space.
  private mutating func passWord() {
    while offset < bytes.count, Self.isOfWord(bytes[offset]) { offset += 1 }
    place = .afterValue
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x20, UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"),
      UInt8(ascii: "{"), UInt8(ascii: "}"):
      false
    default: true
    }
  }

  /// Puts the word of brackets aside when it is full: one bit for each level, however deep it goes.
  private mutating func open(isObject: Bool, _ outerObjects: inout [UInt64]) {
    if depth > 0, depth.isMultiple(of: JSONLimits.greatestDepth) {
      outerObjects.append(objects)
      objects = 0
    }
    open(isObject: isObject)
  }

  /// After a bracket has closed: takes the last full word back when no bracket of the present one is open.
  @inline(__always)
  private mutating func restore(_ outerObjects: inout [UInt64]) {
    if !outerObjects.isEmpty, depth == outerObjects.count * JSONLimits.greatestDepth {
      objects = outerObjects.removeLast()
    }
  }
}
