/// A response head that was found right. As with requests, one may serve many parsers of a loop in turn.
package struct ResponseHead: Sendable {
  package internal(set) var fields = HeadFields()
  /// 100...599.
  package internal(set) var status = 0
  package internal(set) var framing = BodyFraming.none
  /// What the server allows: another request may follow on this connection.
  package internal(set) var keepAlive = true

  package init() {}

  package var version: HTTPVersion { fields.version }
  package var reason: ByteRange { fields.startLine.2 }
  /// An interim answer; the final one is still to come (RFC 9110 §15.2).
  package var isInterim: Bool { status < 200 }

  package subscript(_ range: ByteRange) -> Span<UInt8> {
    @_lifetime(borrow self)
    get { fields[range] }
  }

  mutating func resolve(to method: HTTPMethod, limits: HTTPLimits) throws(HTTPError) {
    status = 0
    for index in fields.startLine.1.bounds { status = status * 10 + Int(fields.bytes[index] - UInt8(ascii: "0")) }
    // Nothing here ever asks for another protocol (RFC 9110 §15.2.2).
    if status == 101 { throw HTTPError(.upgradeNotExpected, at: fields.startLine.1.lowerBound) }
    framing = try .ofResponse(fields, status: status, to: method, limits: limits)
    keepAlive = try fields.allowsKeepAlive() && framing != .untilClose
  }
}
