/// Parses the requests of one connection, in pieces of any size. No I/O, no clock: bytes in, events out.
///
/// ```
/// while true {
///   let step = try parser.next(input.extracting(taken...), into: &head)
///   taken += step.taken
///   switch step.event { … }
/// }
/// ```
///
/// Pipelining: after `.end` the parser stops until `beginNextRequest()`. The caller answers first, and keeps the bytes that
/// were not consumed. An error is final: every later call throws it again.
package struct RequestParser: Sendable {
  package let limits: HTTPLimits
  private var reader = HeadReader(.request)
  private var body = BodyReader()
  private var state = State.head

  private enum State: Sendable {
    case head, body, end
    case failed(HTTPError)
  }

  package init(limits: HTTPLimits = HTTPLimits()) { self.limits = limits }

  /// Whether no byte of a request has arrived since the last one ended: closing now loses nothing.
  package var isIdle: Bool {
    if case .head = state { !reader.isInside } else { false }
  }

  /// Parses more input. `head` is filled while a head is read. From `.head` to `.end` the parser does not use it; it need only
  /// stay the same if the caller reads it.
  package mutating func next(_ input: Span<UInt8>, into head: inout RequestHead) throws(HTTPError) -> MessageStep {
    do throws(HTTPError) {
      switch state {
      case .failed(let error): throw error
      case .end: return MessageStep(taken: 0, event: .end)
      case .body: return try readBody(input)
      case .head:
        let (taken, complete) = try reader.read(input, into: &head.fields, limits: limits)
        guard complete else { return MessageStep(taken: taken, event: .needMoreInput) }
        let size = head.fields.bytes.count
        try head.resolve(limits: limits)
        body.begin(head.framing, offset: size, limits: limits)
        state = .body
        return MessageStep(taken: taken, event: .head)
      }
    } catch {
      state = .failed(error)
      throw error
    }
  }

  private mutating func readBody(_ input: Span<UInt8>) throws(HTTPError) -> MessageStep {
    let step = try body.next(input, limits: limits)
    if step.event == .end { state = .end }
    return step
  }

  /// Begins a new request; called after `.end`.
  package mutating func beginNextRequest() {
    guard case .end = state else { preconditionFailure("the request has not ended") }
    state = .head
  }
}

/// An event of a parser, and the number of input bytes consumed for it. The caller passes the rest in the next call.
package struct MessageStep: Sendable, Equatable {
  package let taken: Int
  package let event: MessageEvent

  package init(taken: Int, event: MessageEvent) {
    self.taken = taken
    self.event = event
  }
}

/// The parts of a message in order: one head, any number of runs of body, one end.
package enum MessageEvent: Sendable, Equatable {
  /// All input was consumed and there is no event yet.
  case needMoreInput

  /// The head passed to the call is filled in. The next call continues with the body, even if there is none.
  case head

  /// A run of content: the range in the input of this call. The parser copies no content.
  case body(Range<Int>)

  /// The message is complete. The parser consumes nothing more until the next message is begun.
  case end
}
