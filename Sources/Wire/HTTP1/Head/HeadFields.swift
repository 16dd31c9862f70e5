/// The bytes of one head and the places of its field lines, in the order of arrival, duplicates included.
///
/// The storage is meant to be used again: a server keeps one head per event loop and hands it to every parser, so that
/// reading a head allocates nothing once the arrays have grown. A copy shares the storage until one of the two is read
/// into again.
package struct HeadFields: Sendable {
  /// The head as it came, the empty line included.
  package internal(set) var bytes: [UInt8] = []
  package internal(set) var list: [HeadField] = []
  /// The three parts of the start line, in the order in which they are written.
  var startLine = (ByteRange(0, 0), ByteRange(0, 0), ByteRange(0, 0))
  var version = HTTPVersion.http11
  private var first = InlineArray<7, Int32>(repeating: -1)
  private var repeated: UInt8 = 0

  package init() {}

  mutating func clear() {
    list.removeAll(keepingCapacity: true)
    first = InlineArray(repeating: -1)
    repeated = 0
  }

  @inline(__always)
  mutating func append(_ field: HeadField, known: KnownField?) {
    if let known {
      if first[known.rawValue] < 0 {
        first[known.rawValue] = Int32(truncatingIfNeeded: list.count)
      } else {
        repeated |= 1 << UInt8(known.rawValue)
      }
    }
    list.append(field)
  }

  mutating func store(_ head: Span<UInt8>) {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(copying: head)
  }
}

extension HeadFields {
  package subscript(_ range: ByteRange) -> Span<UInt8> {
    @_lifetime(borrow self)
    get { bytes.span.extracting(range.bounds) }
  }

  /// Value of the first such field.
  package func value(_ known: KnownField) -> ByteRange? {
    let index = first[known.rawValue]
    return index < 0 ? nil : list[Int(index)].value
  }

  package func isRepeated(_ known: KnownField) -> Bool { repeated & 1 << UInt8(known.rawValue) != 0 }

  /// Value of the first field with this name, case ignored on both sides.
  package func value(_ name: StaticString) -> ByteRange? {
    for field in list where self[field.name].isSameName(name) { return field.value }
    return nil
  }

  /// The bytes as text; nil when they are not UTF-8 (a field value may hold any byte above 127).
  package func text(_ range: ByteRange) -> String? { String(strictUTF8: self[range]) }

  /// Calls `body` with each element of a comma-separated list, over all lines of that field and without the white space
  /// around the element (RFC 9110 §5.6.1). Empty elements are passed on: whether to bear them is the caller's decision.
  func forEachElement(
    of known: KnownField, _ body: (Span<UInt8>, _ offset: Int) throws(HTTPError) -> Void
  ) throws(HTTPError) {
    guard let only = value(known) else { return }
    guard isRepeated(known) else { return try forEachElement(in: only, body) }
    for field in list where KnownField(bytes.span, field.name.lowerBound, field.name.upperBound) == known {
      try forEachElement(in: field.value, body)
    }
  }

  private func forEachElement(
    in range: ByteRange, _ body: (Span<UInt8>, _ offset: Int) throws(HTTPError) -> Void
  ) throws(HTTPError) {
    let bytes = self.bytes.span
    var start = range.lowerBound
    while true {
      var comma = start
      while comma < range.upperBound, bytes[comma] != .comma { comma += 1 }
      var end = comma
      while start < end, bytes[start].isBlank { start += 1 }
      while end > start, bytes[end - 1].isBlank { end -= 1 }
      try body(bytes.extracting(start..<end), start)
      if comma == range.upperBound { return }
      start = comma + 1
    }
  }
}

extension String {
  /// Nil when the bytes are not UTF-8; nothing is repaired.
  init?(strictUTF8 bytes: Span<UInt8>) {
    do { self.init(copying: try UTF8Span(validating: bytes)) } catch { return nil }
  }
}
