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
