extension JSONReader {
  /// Any value, with everything inside it checked and nested as deep as it may be; its bytes without the white space
  /// around.
  package mutating func skipValue() throws(JSONError) -> Range<Int> {
    _ = try peek()
    let start = offset
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
    return start..<offset
  }

  private mutating func skipScalarOrOpening(_ outerObjects: inout [UInt64]) throws(JSONError) {
    switch try peek() {
    case .object: open(isObject: true, &outerObjects)
    case .array: open(isObject: false, &outerObjects)
    case .string: _ = try readText()
    case .number: _ = try readNumber()
    case .true, .false: _ = try readBool()
    case .null: try readNull()
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
