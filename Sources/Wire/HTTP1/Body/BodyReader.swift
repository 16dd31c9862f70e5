/// Finds the content of one message by its framing; shared by requests and responses.
struct BodyReader: Sendable {
  private var framing = BodyFraming.none
  /// Of a body with a length: what is still to come; of one that ends with the connection: what may still come.
  private var remaining = 0
  private var chunks = ChunkedDecoder()
  /// Bytes of the message so far, the head included.
  private(set) var offset = 0

  mutating func begin(_ framing: BodyFraming, offset: Int, limits: HTTPLimits) {
    self.framing = framing
    self.offset = offset
    switch framing {
    case .none: break
    case .length(let length): remaining = length
    case .chunked: chunks = ChunkedDecoder()
    case .untilClose: remaining = limits.bodyBytes
    }
  }

  mutating func next(_ input: Span<UInt8>, limits: HTTPLimits) throws(HTTPError) -> MessageStep {
    let step = try step(input, limits: limits)
    offset += step.taken
    return step
  }

  private mutating func step(_ input: Span<UInt8>, limits: HTTPLimits) throws(HTTPError) -> MessageStep {
    switch framing {
    case .none:
      return MessageStep(taken: 0, event: .end)
    case .length:
      if remaining == 0 { return MessageStep(taken: 0, event: .end) }
      if input.isEmpty { return MessageStep(taken: 0, event: .needMoreInput) }
      let count = min(remaining, input.count)
      remaining -= count
      return MessageStep(taken: count, event: .body(0..<count))
    case .chunked:
      let (taken, event) = try chunks.next(input, offset: offset, limits: limits)
      switch event {
      case .needMoreInput: return MessageStep(taken: taken, event: .needMoreInput)
      case .data(let range): return MessageStep(taken: taken, event: .body(range))
      case .end: return MessageStep(taken: taken, event: .end)
      }
    case .untilClose:
      if input.isEmpty { return MessageStep(taken: 0, event: .needMoreInput) }
      if remaining == 0 { throw HTTPError(.bodyTooLarge, at: offset) }
      let count = min(remaining, input.count)
      remaining -= count
      return MessageStep(taken: count, event: .body(0..<count))
    }
  }

  /// The connection has ended: whether the message is complete by that.
  var mayEndHere: Bool { framing == .untilClose }
}
