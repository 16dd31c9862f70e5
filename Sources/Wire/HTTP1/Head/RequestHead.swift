/// A request head that was found right: method, target taken apart, fields, and what they mean for the connection.
///
/// Keep one per event loop and pass it to every parser of the loop: what it holds is valid until the next read into it.
/// A connection whose body is still to come swaps its head out of the loop's.
package struct RequestHead: Sendable {
  package internal(set) var fields = HeadFields()
  package internal(set) var method = HTTPMethod.other
  package internal(set) var form = TargetForm.origin

  /// The path as it was written, and the query without its question mark; nil without one.
  package internal(set) var path = ByteRange(0, 0)
  package internal(set) var query: ByteRange?

  /// The decoded segments of the path, cut at each "/" that was written as such: `/a%2Fb` is one segment `a/b`. Nothing
  /// is merged or dropped: `/` has no segment, `/a/` has `a` and an empty one, `//` has two empty ones.
  package internal(set) var segments: [ByteRange] = []

  /// `host[:port]`: of an absolute-form target, else of Host; nil in HTTP/1.0 without either (RFC 9112 §3.3).
  package internal(set) var authority: ByteRange?

  package internal(set) var framing = BodyFraming.none

  /// What the client allows: the connection may stay open after the answer (RFC 9112 §9.3).
  package internal(set) var keepAlive = true

  /// The client may wait for `100 Continue` before it sends the body (RFC 9110 §10.1.1).
  package internal(set) var expectsContinue = false

  package init() {}

  package var version: HTTPVersion { fields.version }
  /// The method as it was written: `other` tells no name.
  package var methodBytes: ByteRange { fields.startLine.0 }
  /// The whole target as it was written.
  package var target: ByteRange { fields.startLine.1 }

  /// Bytes of a target, a segment or a field.
  package subscript(_ range: ByteRange) -> Span<UInt8> {
    @_lifetime(borrow self)
    get { fields[range] }
  }

  /// Whether the decoded segment number `index` exists and is exactly `text`.
  package func segment(_ index: Int, is text: StaticString) -> Bool {
    index < segments.count && self[segments[index]].equals(text)
  }

  /// The decoded items of the query in their order; none without a query.
  package func queryItems(limits: HTTPLimits) throws(HTTPError) -> [FormItem] {
    guard let query else { return [] }
    do { return try FormItem.parse(self[query], limits: limits) } catch {
      throw HTTPError(error.code, at: query.lowerBound + error.offset)
    }
  }
}

extension RequestHead {
  /// Everything that needs the whole head. Its lines are known to be right.
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
    // An empty value is right when the target has no authority (§3.2).
    if !host.isEmpty { try checkAuthority(host) }
    if authority == nil { authority = host }
  }

  /// Only `100-continue` can be met (RFC 9110 §10.1.1). HTTP/1.0 knows no interim answers, so it is ignored there, and
  /// where no body will come there is nothing to wait for.
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
  /// RFC 9112 §9.3: `close` wins, then HTTP/1.1 persists, HTTP/1.0 only with `keep-alive`.
  func allowsKeepAlive() throws(HTTPError) -> Bool {
    var close = false
    var keepAlive = false
    try forEachElement(of: .connection) { (option, offset) throws(HTTPError) in
      // Empty elements are borne (RFC 9110 §5.6.1.2): nothing hangs on them here.
      for index in option.indices where !ByteSet.token.contains(option[index]) {
        throw HTTPError(.invalidConnection, at: offset + index)
      }
      if option.equals(lowercase: "close") { close = true }
      if option.equals(lowercase: "keep-alive") { keepAlive = true }
    }
    return !close && (version == .http11 || keepAlive)
  }
}
