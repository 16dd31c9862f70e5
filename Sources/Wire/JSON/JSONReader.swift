/// A strict pull reader (RFC 8259) over one span of bytes.
///
/// The caller requests what it expects; nothing is built, and skipped values are checked as strictly as those that are read.
/// Copying is cheap, so a caller looks ahead by copying. After an error the reader must not be used further.
///
/// White space is skipped before a value, never after it: after a value `offset` is the first byte that does not belong to it.
/// At the top level another value may follow at once, so concatenated texts are read one by one.
///
/// Calls out of order (a value inside an object before `nextKey`, say) are programming errors and trap.
package struct JSONReader: ~Escapable {
  /// The position of the reader relative to the values of the innermost open bracket.
  enum Place {
    /// A value must be read next.
    case beforeValue
    /// Directly after the opening bracket.
    case opened
    /// After a complete value.
    case afterValue
  }

  let bytes: Span<UInt8>
  let limits: JSONLimits
  /// The offset of the next byte to read.
  package internal(set) var offset = 0
  var place = Place.beforeValue
  /// The number of open brackets.
  var depth = 0
  /// One bit for each open bracket, the innermost lowest: 1 for an object.
  var objects: UInt64 = 0

  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>, limits: JSONLimits = .standard) {
    self.bytes = bytes
    self.limits = limits
  }

  /// Returns the kind of the next value, without consuming it. At the end of the input it throws `unexpectedEnd`.
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

  /// Skips white space; returns whether nothing is left. For concatenated texts in one span.
  package mutating func isAtEnd() -> Bool {
    skipWhiteSpace()
    return offset == bytes.count
  }

  /// Throws unless only white space remains.
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

  /// Throws unless the next value begins with this byte.
  @inline(__always)
  mutating func expect(_ first: UInt8) throws(JSONError) {
    if try nextValueByte() != first { try refuseKind() }
  }

  /// Throws `wrongKind` if another kind of value follows, otherwise the syntax error.
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

  /// Skips the next value, which another reader has read and checked, up to its end.
  package mutating func pass(to end: Int) {
    precondition(place == .beforeValue && end > offset, "a value is passed where one is due")
    offset = end
    place = .afterValue
  }

  /// Returns the first byte of the next value, which must be due.
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

  /// Usually there is none.
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

/// The kind of a value, determined by its first byte.
package enum JSONKind: Equatable, Sendable {
  case object, array, string, number, `true`, `false`, null
}

/// The limits of a reader; RFC 8259 §9 leaves them to the implementation. The length of a text is not limited here: it is
/// already in memory, and its source has a limit.
package struct JSONLimits: Equatable, Sendable {
  /// Depth 64 fits into one machine word, which is where the reader remembers the open brackets.
  package static let greatestDepth = 64

  package static let standard = JSONLimits()

  /// The maximum number of nested objects and arrays that the caller may have entered, at most `greatestDepth`. 0 permits
  /// scalars only. Skipped values may be nested deeper: skipping does not recurse.
  package let maxDepth: Int
  /// Whether texts may contain anything between their quotes, and unquoted words such as `NaN` and `01` are accepted within a
  /// bracket, so that the values after them can still be found. To use the values, read them with a reader that checks.
  package let isStructureOnly: Bool

  package init(maxDepth: Int = 32, isStructureOnly: Bool = false) {
    precondition((0...Self.greatestDepth).contains(maxDepth), "maxDepth must be in 0...64")
    self.maxDepth = maxDepth
    self.isStructureOnly = isStructureOnly
  }
}

extension JSONReader {
  /// Enters the next object; call `nextKey` until it returns nil.
  package mutating func enterObject() throws(JSONError) {
    try expect(UInt8(ascii: "{"))
    try enter(isObject: true)
  }

  /// Enters the next array; call `nextElement` until it returns false.
  package mutating func enterArray() throws(JSONError) {
    try expect(UInt8(ascii: "["))
    try enter(isObject: false)
  }

  /// Returns the next key, after which exactly one value must be read; nil after consuming the closing brace. Keys are returned
  /// in the order of the text, repeated ones repeatedly.
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

  /// Returns whether there is another element, which must then be read; false after consuming the closing bracket.
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

  /// Consumes the comma before the next member and returns true, or the closing bracket and returns false.
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
  /// Skips any value, checked completely and nested to any depth; returns its range without surrounding white space.
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
    // The bit words of brackets outside the current word.
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

  /// Skips up to the end of a word: a comma, a bracket, a quote or white space.
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

  /// Saves the word of brackets when it is full: one bit per level, to any depth.
  private mutating func open(isObject: Bool, _ outerObjects: inout [UInt64]) {
    if depth > 0, depth.isMultiple(of: JSONLimits.greatestDepth) {
      outerObjects.append(objects)
      objects = 0
    }
    open(isObject: isObject)
  }

  /// After a closing bracket: restores the last full word when the current one has no open bracket.
  @inline(__always)
  private mutating func restore(_ outerObjects: inout [UInt64]) {
    if !outerObjects.isEmpty, depth == outerObjects.count * JSONLimits.greatestDepth {
      objects = outerObjects.removeLast()
    }
  }
}
