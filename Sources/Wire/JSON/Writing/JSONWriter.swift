/// An append-only writer: the caller says what comes next, commas are the writer's affair. There is no white space,
/// except that several texts at the top are separated by a line feed (NDJSON).
///
/// Calls out of order (a value inside an object without a key, a bracket that was not opened) are programmer errors and
/// trap. After the buffer has grown to the size it needs, writing allocates nothing.
package struct JSONWriter {
  /// What was written so far.
  package internal(set) var bytes: [UInt8] = []
  var depth = 0
  /// One bit for each open bracket, the innermost lowest: 1 for an object.
  var objects: UInt64 = 0
  var needsSeparator = false
  var isAfterKey = false

  /// `capacity` in bytes is reserved at once.
  package init(capacity: Int = 1024) {
    bytes.reserveCapacity(capacity)
  }

  /// Starts anew; with `keepingCapacity` the next text needs no allocation.
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

  /// One complete value that is known to be valid, for instance a slice that `JSONReader.skipValue` gave.
  package mutating func raw(_ value: Span<UInt8>) {
    beginValue()
    append(value)
  }

  /// One complete value that is known to be valid.
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

  /// `write` gets the place behind the last byte, with room for that many, and says how many it wrote.
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
