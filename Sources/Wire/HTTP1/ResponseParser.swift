/// Parses the responses of one connection, in pieces of any size: the counterpart of `RequestParser`, for the virtual link and
/// for tests. An interim response has a `.head` and an `.end` of its own; the final one follows.
package struct ResponseParser: Sendable {
  package let limits: HTTPLimits
  private var reader = HeadReader(.response)
  private var body = BodyReader()
  private var state = State.head
  private var method: HTTPMethod

  private enum State: Sendable {
    case head, body, end
    case failed(HTTPError)
  }

  /// `method` is that of the response's request: it decides whether there is a body.
  package init(to method: HTTPMethod, limits: HTTPLimits = HTTPLimits()) {
    self.limits = limits
    self.method = method
  }

  /// Parses more input; see `RequestParser.next`.
  package mutating func next(_ input: Span<UInt8>, into head: inout ResponseHead) throws(HTTPError) -> MessageStep {
    do throws(HTTPError) {
      switch state {
      case .failed(let error): throw error
      case .end: return MessageStep(taken: 0, event: .end)
      case .body:
        let step = try body.next(input, limits: limits)
        if step.event == .end { state = .end }
        return step
      case .head:
        let (taken, complete) = try reader.read(input, into: &head.fields, limits: limits)
        guard complete else { return MessageStep(taken: taken, event: .needMoreInput) }
        try head.resolve(to: method, limits: limits)
        body.begin(head.framing, offset: head.fields.bytes.count, limits: limits)
        state = .body
        return MessageStep(taken: taken, event: .head)
      }
    } catch {
      state = .failed(error)
      throw error
    }
  }

  /// Called at the end of the connection, which completes only a body that ends with the connection (RFC 9112 §8).
  package mutating func finish() throws(HTTPError) {
    switch state {
    case .failed(let error): throw error
    case .end: return
    case .body where body.mayEndHere: state = .end
    case .body, .head:
      let error = HTTPError(.truncated, at: isHead ? reader.pendingCount : body.offset)
      state = .failed(error)
      throw error
    }
  }

  private var isHead: Bool { if case .head = state { true } else { false } }

  /// Begins another response, to a request with this method; called after `.end`. After an interim response the request is
  /// still the same one.
  package mutating func beginNextResponse(to method: HTTPMethod) {
    guard case .end = state else { preconditionFailure("the response has not ended") }
    self.method = method
    state = .head
  }
}

/// A valid response head. Like a request head, it may serve many parsers of a loop in turn.
package struct ResponseHead: Sendable {
  package internal(set) var fields = HeadFields()
  /// 100...599.
  package internal(set) var status = 0
  package internal(set) var framing = BodyFraming.none
  /// Whether the server allows another request on this connection.
  package internal(set) var keepAlive = true

  package init() {}

  package var version: HTTPVersion { fields.version }
  package var reason: ByteRange { fields.startLine.2 }
  /// Whether it is an interim answer; the final one is still to come (RFC 9110 §15.2).
  package var isInterim: Bool { status < 200 }

  package subscript(_ range: ByteRange) -> Span<UInt8> {
    @_lifetime(borrow self)
    get { fields[range] }
  }

  mutating func resolve(to method: HTTPMethod, limits: HTTPLimits) throws(HTTPError) {
    status = 0
    for index in fields.startLine.1.bounds { status = status * 10 + Int(fields.bytes[index] - UInt8(ascii: "0")) }
    // We never ask for another protocol (RFC 9110 §15.2.2).
    if status == 101 { throw HTTPError(.upgradeNotExpected, at: fields.startLine.1.lowerBound) }
    framing = try .ofResponse(fields, status: status, to: method, limits: limits)
    keepAlive = try fields.allowsKeepAlive() && framing != .untilClose
  }
}
