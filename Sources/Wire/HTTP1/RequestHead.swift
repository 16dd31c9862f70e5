/// A valid request head: method, parsed target, fields, and their meaning for the connection.
///
/// Keep one per event loop and pass it to every parser of the loop: its contents are valid until the next read into it. A
/// connection whose body is still to come swaps its head out of the loop's.
package struct RequestHead: Sendable {
  package internal(set) var fields = HeadFields()
  package internal(set) var method = HTTPMethod.other
  package internal(set) var form = TargetForm.origin

  /// The path as written, and the query without its question mark; nil without one.
  package internal(set) var path = ByteRange(0, 0)
  package internal(set) var query: ByteRange?

  /// The decoded segments of the path, split at each literal "/": `/a%2Fb` is one segment `a/b`. Nothing is merged or dropped:
  /// `/` has no segment, `/a/` has `a` and an empty one, `//` has two empty ones.
  package internal(set) var segments: [ByteRange] = []

  /// `host[:port]` of an absolute-form target, else of Host; nil in HTTP/1.0 without either (RFC 9112 §3.3).
  package internal(set) var authority: ByteRange?

  package internal(set) var framing = BodyFraming.none

  /// Whether the client allows the connection to stay open after the answer (RFC 9112 §9.3).
  package internal(set) var keepAlive = true

  /// Whether the client may wait for `100 Continue` before it sends the body (RFC 9110 §10.1.1).
  package internal(set) var expectsContinue = false

  package init() {}

  package var version: HTTPVersion { fields.version }
  /// The method as written, also for `other`.
  package var methodBytes: ByteRange { fields.startLine.0 }
  /// The whole target as written.
  package var target: ByteRange { fields.startLine.1 }

  /// The bytes of a target, a segment or a field.
  package subscript(_ range: ByteRange) -> Span<UInt8> {
    @_lifetime(borrow self)
    get { fields[range] }
  }

  /// Returns whether the decoded segment `index` exists and is exactly `text`.
  package func segment(_ index: Int, is text: StaticString) -> Bool {
    index < segments.count && self[segments[index]].equals(text)
  }

  /// Returns the decoded items of the query in order; none without a query.
  package func queryItems(limits: HTTPLimits) throws(HTTPError) -> [FormItem] {
    guard let query else { return [] }
    do { return try FormItem.parse(self[query], limits: limits) } catch {
      throw HTTPError(error.code, at: query.lowerBound + error.offset)
    }
  }
}

extension RequestHead {
  /// Derives everything that needs the whole head. Its lines are known to be valid.
  mutating func resolve(limits: HTTPLimits) throws(HTTPError) {
    method = HTTPMethod(self[fields.startLine.0])
    authority = nil
    query = nil
    segments.removeAll(keepingCapacity: true)
    try resolveTarget()
    try resolveHost()
    framing = try .ofRequest(fields, limits: limits)
    keepAlive = try fields.allowsKeepAlive()
    try resolveExpectation()
  }

  /// RFC 9112 §3.2: HTTP/1.1 has exactly one Host, HTTP/1.0 at most one, and an absolute-form target overrides it.
  private mutating func resolveHost() throws(HTTPError) {
    guard let host = fields.value(.host) else {
      if version == .http11 { throw HTTPError(.missingHost, at: fields.startLine.2.upperBound) }
      return
    }
    if fields.isRepeated(.host) { throw HTTPError(.repeatedHost, at: host.lowerBound) }
    // An empty value is valid when the target has no authority (§3.2).
    if !host.isEmpty { try checkAuthority(host) }
    if authority == nil { authority = host }
  }

  /// Only `100-continue` is supported (RFC 9110 §10.1.1). It is ignored for HTTP/1.0, which has no interim answers, and for a
  /// request without a body.
  private mutating func resolveExpectation() throws(HTTPError) {
    expectsContinue = false
    guard let first = fields.value(.expect) else { return }
    var onlyContinue = true
    try fields.forEachElement(of: .expect) { (element, _) throws(HTTPError) in
      if !element.equals(lowercase: "100-continue") { onlyContinue = false }
    }
    if !onlyContinue { throw HTTPError(.unknownExpectation, at: first.lowerBound) }
    expectsContinue = version == .http11 && framing != .none && framing != .length(0)
  }
}

extension HeadFields {
  /// RFC 9112 §9.3: `close` takes precedence, then HTTP/1.1 persists, HTTP/1.0 only with `keep-alive`.
  func allowsKeepAlive() throws(HTTPError) -> Bool {
    var close = false
    var keepAlive = false
    try forEachElement(of: .connection) { (option, offset) throws(HTTPError) in
      // Empty elements are accepted (RFC 9110 §5.6.1.2); they have no effect here.
      for index in option.indices where !ByteSet.token.contains(option[index]) {
        throw HTTPError(.invalidConnection, at: offset + index)
      }
      if option.equals(lowercase: "close") { close = true }
      if option.equals(lowercase: "keep-alive") { keepAlive = true }
    }
    return !close && (version == .http11 || keepAlive)
  }
}

/// The forms of a request target (RFC 9112 §3.2). The fourth, authority-form, belongs to CONNECT alone.
package enum TargetForm: Sendable { case origin, absolute, asterisk }

extension RequestHead {
  /// Determines the form of the target and parses it (RFC 9112 §3.2).
  mutating func resolveTarget() throws(HTTPError) {
    if method == .connect { throw HTTPError(.methodNotImplemented, at: methodBytes.lowerBound) }
    let target = self.target
    switch fields.bytes[target.lowerBound] {
    case .slash:
      form = .origin
      try splitPath(from: target.lowerBound)
    case UInt8(ascii: "*") where target.count == 1:
      try resolveAsterisk()
    default:
      try resolveAbsolute()
    }
  }

  /// `*` refers to the server as a whole and is valid for OPTIONS only (RFC 9112 §3.2.4).
  private mutating func resolveAsterisk() throws(HTTPError) {
    guard method == .options else { throw HTTPError(.invalidTarget, at: target.lowerBound) }
    form = .asterisk
    path = target
  }

  /// `http://host[:port][/path][?query]`, as sent to a proxy (RFC 9112 §3.2.2).
  private mutating func resolveAbsolute() throws(HTTPError) {
    let target = self.target
    guard let start = authorityStart() else { throw HTTPError(.invalidTarget, at: target.lowerBound) }
    var end = start
    while end < target.upperBound, fields.bytes[end] != .slash, fields.bytes[end] != .question { end += 1 }
    // RFC 9110 §4.2.1: an empty host is invalid here.
    guard end > start, fields.bytes[start] != .colon else { throw HTTPError(.invalidHost, at: start) }
    let host = ByteRange(start, end)
    try checkAuthority(host)
    authority = host
    form = .absolute
    // §3.2.4: OPTIONS without a path is a proxy's form of the asterisk.
    if end == target.upperBound, method == .options { form = .asterisk }
    try splitPath(from: end)
  }

  /// Returns the offset after `http://` or `https://`; nil for any other beginning.
  private func authorityStart() -> Int? {
    for scheme: StaticString in ["http://", "https://"] where target.count >= scheme.utf8CodeUnitCount {
      let end = target.lowerBound + scheme.utf8CodeUnitCount
      if self[ByteRange(target.lowerBound, end)].equals(lowercase: scheme) { return end }
    }
    return nil
  }

  /// Checks `uri-host [":" port]` (RFC 3986 §3.2.2): a name or address, or something in brackets.
  func checkAuthority(_ range: ByteRange) throws(HTTPError) {
    let bytes = fields.bytes.span
    var index = range.lowerBound
    if bytes[index] == UInt8(ascii: "[") {
      index += 1
      while index < range.upperBound, ByteSet.authority.contains(bytes[index]) { index += 1 }
      guard index > range.lowerBound + 1, index < range.upperBound, bytes[index] == UInt8(ascii: "]") else {
        throw HTTPError(.invalidHost, at: index)
      }
      index += 1
    } else {
      while index < range.upperBound, bytes[index] != .colon, ByteSet.authority.contains(bytes[index]) { index += 1 }
    }
    guard index < range.upperBound else { return }
    guard bytes[index] == .colon else { throw HTTPError(.invalidHost, at: index) }
    for place in index + 1..<range.upperBound where !bytes[place].isDigit { throw HTTPError(.invalidHost, at: place) }
  }

  /// Checks every byte from `start` and splits path, segments and query.
  private mutating func splitPath(from start: Int) throws(HTTPError) {
    let end = target.upperBound
    var index = start
    var segment = start + 1
    var escaped = false
    while index < end, fields.bytes[index] != .question {
      let byte = fields.bytes[index]
      guard ByteSet.path.contains(byte) else { throw HTTPError(.invalidTargetCharacter, at: index) }
      if byte == .percent { escaped = true }
      if byte == .slash, index > start {
        try appendSegment(segment, index, escaped: escaped)
        segment = index + 1
        escaped = false
      }
      index += 1
    }
    path = ByteRange(start, index)
    if index > start + 1 { try appendSegment(segment, index, escaped: escaped) }
    guard index < end else { return }
    query = ByteRange(index + 1, end)
    try checkQuery(from: index + 1, to: end)
  }

  private func checkQuery(from start: Int, to end: Int) throws(HTTPError) {
    let bytes = fields.bytes.span
    for index in start..<end {
      guard ByteSet.query.contains(bytes[index]) else { throw HTTPError(.invalidTargetCharacter, at: index) }
      if bytes[index] == .percent, bytes.escapedByte(at: index, end: end) == nil {
        throw HTTPError(.invalidEscape, at: index)
      }
    }
  }

  /// Appends decoded bytes after the head's own; a segment without escapes stays where it is.
  private mutating func appendSegment(_ start: Int, _ end: Int, escaped: Bool) throws(HTTPError) {
    guard escaped else {
      let range = ByteRange(start, end)
      if isDotSegment(range) { throw HTTPError(.dotSegment, at: start) }
      segments.append(range)
      return
    }
    let decoded = fields.bytes.count
    var index = start
    while index < end {
      var byte = fields.bytes[index]
      if byte == .percent {
        guard let value = fields.bytes.span.escapedByte(at: index, end: end) else {
          throw HTTPError(.invalidEscape, at: index)
        }
        if value < .space || value == .delete { throw HTTPError(.controlInPath, at: index) }
        byte = value
        index += 2
      }
      fields.bytes.append(byte)
      index += 1
    }
    let range = ByteRange(decoded, fields.bytes.count)
    do { _ = try UTF8Span(validating: self[range]) } catch { throw HTTPError(.pathNotUTF8, at: start) }
    if isDotSegment(range) { throw HTTPError(.dotSegment, at: start) }
    segments.append(range)
  }

  /// "." or "..", which a client would have resolved (RFC 3986 §5.2.4). Between escaped slashes dots are part of a name.
  private func isDotSegment(_ range: ByteRange) -> Bool {
    let count = range.upperBound - range.lowerBound
    let bytes = fields.bytes.span
    return (count == 1 || count == 2) && bytes[range.lowerBound] == .dot && bytes[range.upperBound - 1] == .dot
  }
}

extension Span<UInt8> {
  /// Returns the byte that `%hh` at `index` stands for.
  func escapedByte(at index: Int, end: Int) -> UInt8? {
    guard index + 2 < end, let high = self[index + 1].hexadecimalValue, let low = self[index + 2].hexadecimalValue
    else { return nil }
    return high << 4 | low
  }
}
