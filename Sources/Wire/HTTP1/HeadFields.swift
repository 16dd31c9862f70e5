/// The bytes of one head and the ranges of its field lines, in order of arrival, including duplicates.
///
/// The storage is meant to be reused: a server keeps one head per event loop and passes it to every parser, so that reading a
/// head allocates nothing once the arrays have grown. A copy shares the storage until one of the two is read into again.
package struct HeadFields: Sendable {
  /// The head as received, including the empty line.
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

/// Values that go on in the next line (RFC 9112 §5.2).
extension HeadFields {
  /// Adds a line to the value of the last field. A reader that resumed behind that field has none yet, and comes again.
  mutating func extendLast(with line: Range<Int>, of bytes: Span<UInt8>) {
    guard let last = list.last else { return }
    var (start, end) = (line.lowerBound, line.upperBound)
    while end > start, bytes[end - 1].isBlank { end -= 1 }
    guard end > start else { return }
    while bytes[start].isBlank { start += 1 }
    list[list.count - 1] = HeadField(
      name: last.name, value: ByteRange(last.value.isEmpty ? start : last.value.lowerBound, end))
  }

  /// Replaces the line ends within values by spaces.
  mutating func unfold() {
    for field in list {
      for index in field.value.bounds where bytes[index] == .carriageReturn || bytes[index] == .lineFeed {
        bytes[index] = .space
      }
    }
  }
}

extension HeadFields {
  package subscript(_ range: ByteRange) -> Span<UInt8> {
    @_lifetime(borrow self)
    get { bytes.span.extracting(range.bounds) }
  }

  /// Returns the value of the first such field.
  package func value(_ known: KnownField) -> ByteRange? {
    let index = first[known.rawValue]
    return index < 0 ? nil : list[Int(index)].value
  }

  package func isRepeated(_ known: KnownField) -> Bool { repeated & 1 << UInt8(known.rawValue) != 0 }

  /// Returns the value of the first field with this name, ignoring case.
  package func value(_ name: StaticString) -> ByteRange? {
    for field in list where self[field.name].isSameName(name) { return field.value }
    return nil
  }

  /// Returns the bytes as text; nil when they are not UTF-8 (a field value may contain any byte above 127).
  package func text(_ range: ByteRange) -> String? { String(strictUTF8: self[range]) }

  /// Calls `body` with each element of a comma-separated list, over all lines of that field and without surrounding white space
  /// (RFC 9110 §5.6.1). Empty elements are passed too: whether to accept them is the caller's decision.
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
  /// Returns nil when the bytes are not UTF-8; nothing is repaired.
  init?(strictUTF8 bytes: Span<UInt8>) {
    do { self.init(copying: try UTF8Span(validating: bytes)) } catch { return nil }
  }
}

/// A field line: the ranges of its name and its value in the head's bytes, without white space around the value.
package struct HeadField: Sendable, Equatable {
  package let name: ByteRange
  package let value: ByteRange
}

/// A range of bytes in a head's own storage: an offset stays valid when the head is moved, a pointer would not.
package struct ByteRange: Sendable, Equatable {
  package let start: UInt32
  package let count: UInt32

  init(_ start: Int, _ end: Int) {
    self.start = UInt32(truncatingIfNeeded: start)
    count = UInt32(truncatingIfNeeded: end - start)
  }

  package var isEmpty: Bool { count == 0 }
  var lowerBound: Int { Int(start) }
  var upperBound: Int { Int(start) + Int(count) }
  var bounds: Range<Int> { lowerBound..<upperBound }
}

/// The fields that the parser notes while it reads, because framing or every server needs them.
package enum KnownField: Int, Sendable, CaseIterable {
  case host, expect, connection, contentType, authorization, contentLength, transferEncoding

  static let count = 7

  /// Compares by length first, which rules out most field names with one integer comparison.
  @inline(__always)
  init?(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) {
    let candidate: (KnownField, StaticString)
    switch end &- start {
    case 4: candidate = (.host, "host")
    case 6: candidate = (.expect, "expect")
    case 10: candidate = (.connection, "connection")
    case 12: candidate = (.contentType, "content-type")
    case 13: candidate = (.authorization, "authorization")
    case 14: candidate = (.contentLength, "content-length")
    case 17: candidate = (.transferEncoding, "transfer-encoding")
    default: return nil
    }
    guard bytes.extracting(start..<end).equals(lowercase: candidate.1) else { return nil }
    self = candidate.0
  }
}

extension HeadFields {
  /// Reads `method SP target SP HTTP-version CR` in `start..<end`; `end` is the position of the line feed, or the limit when
  /// the line is longer (RFC 9112 §3).
  mutating func readRequestLine(
    _ bytes: Span<UInt8>, from start: Int, to end: Int, limits: HTTPLimits
  ) throws(HTTPError) {
    var index = start
    while index < end, ByteSet.token.contains(bytes[index]) {
      if index - start == limits.methodBytes { throw HTTPError(.methodTooLong, at: index) }
      index += 1
    }
    guard index > start, index < end, bytes[index] == .space else {
      throw HTTPError(lineCode(bytes, index, end, else: .malformedRequestLine), at: index)
    }
    let method = ByteRange(start, index)
    index += 1

    let targetStart = index
    while index < end, bytes[index] > .space, bytes[index] < .delete {
      if index - targetStart == limits.targetBytes { throw HTTPError(.targetTooLong, at: index) }
      index += 1
    }
    guard index > targetStart, index < end, bytes[index] == .space else {
      let other: HTTPError.Code =
        index < end && bytes[index] > .space ? .invalidTargetCharacter : .malformedRequestLine
      throw HTTPError(lineCode(bytes, index, end, else: other), at: index)
    }
    let target = ByteRange(targetStart, index)
    index += 1

    version = try HTTPVersion(bytes, at: index, end: end, malformed: .malformedRequestLine)
    startLine = (method, target, ByteRange(index, index + HTTPVersion.byteCount))
    try endStartLine(bytes, at: index + HTTPVersion.byteCount, to: end, else: .malformedRequestLine)
  }

  /// Reads `HTTP-version SP status-code SP [reason-phrase] [CR]` in `start..<end` (RFC 9112 §4).
  mutating func readStatusLine(_ bytes: Span<UInt8>, from start: Int, to end: Int) throws(HTTPError) {
    version = try HTTPVersion(bytes, at: start, end: end, malformed: .malformedStatusLine)
    let code = start + HTTPVersion.byteCount + 1
    // §4 requires the server to send the space after the status even without a phrase; clients have learnt to accept its
    // absence.
    let isBare = code + 3 == end || (code + 3 < end && bytes[code + 3] == .carriageReturn)
    for index in code - 1...code + (isBare ? 2 : 3) {
      let space = index == code - 1 || index == code + 3
      guard index < end, space ? bytes[index] == .space : bytes[index].isDigit else {
        throw HTTPError(lineCode(bytes, index, end, else: .malformedStatusLine), at: index)
      }
    }
    // 1xx to 5xx; anything else is not a status code (RFC 9110 §15).
    guard (UInt8(ascii: "1")...UInt8(ascii: "5")).contains(bytes[code]) else {
      throw HTTPError(.malformedStatusLine, at: code)
    }
    let phrase = code + (isBare ? 3 : 4)
    var index = phrase
    while index < end, !bytes[index].isForbiddenControl { index += 1 }
    startLine = (
      ByteRange(start, code - 1), ByteRange(code, code + 3), ByteRange(phrase, index)
    )
    // Lines of a response may end with a line feed alone, see `HeadReader`.
    if index == end, end < bytes.count, bytes[end] == .lineFeed { return }
    try endStartLine(bytes, at: index, to: end, else: .malformedStatusLine)
  }

  /// Accepts only the carriage return between `index` and the line feed at `end`.
  private func endStartLine(
    _ bytes: Span<UInt8>, at index: Int, to end: Int, else code: HTTPError.Code
  ) throws(HTTPError) {
    guard index < end, bytes[index] == .carriageReturn, index + 1 == end, end < bytes.count, bytes[end] == .lineFeed
    else { throw HTTPError(lineCode(bytes, index, end, else: code), at: index) }
  }

  /// Returns the specific code for a misplaced line end.
  private func lineCode(
    _ bytes: Span<UInt8>, _ index: Int, _ end: Int, else code: HTTPError.Code
  ) -> HTTPError.Code {
    guard index < bytes.count else { return code }
    // In a response the line feed is only too early.
    if bytes[index] == .lineFeed { return code == .malformedStatusLine ? code : .bareLineFeed }
    if bytes[index] == .carriageReturn, index + 1 < end { return .bareCarriageReturn }
    return code
  }
}
