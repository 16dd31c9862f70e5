package import HTTP1

/// Everything that a parser says about one input, in a form in which two runs can be compared.
package struct HTTP1Transcript: Equatable {
  package struct Field: Equatable {
    package let name: [UInt8]
    package let value: [UInt8]
  }

  package struct Message: Equatable {
    /// The parts of the start line; of a request method, target and version, of a response version, status and reason.
    package var startLine: [[UInt8]] = []
    package var segments: [[UInt8]] = []
    package var query: [UInt8]?
    package var authority: [UInt8]?
    package var fields: [Field] = []
    package var framing = BodyFraming.none
    package var keepAlive = false
    package var expectsContinue = false
    package var body: [UInt8] = []
    /// Where the message begins in the input, and where it ends once it has.
    package var start = 0
    package var end: Int?
  }

  package var messages: [Message] = []
  /// The refusal, its offset counted from the start of the message.
  package var error: HTTPError?
  /// Where the message that was refused began.
  package var errorStart = 0

  package init() {}

  package var isComplete: Bool { error == nil && !messages.isEmpty && messages.last?.end != nil }
}

extension HTTP1Transcript {
  /// Feeds the input in pieces of these lengths, every byte as often as the parser leaves it.
  package static func ofRequests(
    _ input: Span<UInt8>, pieces: [Int], limits: HTTPLimits = HTTPLimits()
  ) -> HTTP1Transcript {
    var transcript = HTTP1Transcript()
    var parser = RequestParser(limits: limits)
    var head = RequestHead()
    transcript.feed(input, pieces) { (piece, transcript) throws(HTTPError) in
      let step = try parser.next(piece, into: &head)
      if step.event == .head { transcript.begin(head) }
      if step.event == .end { parser.beginNextRequest() }
      return step
    }
    return transcript
  }

  /// The same for responses, all of them to requests with this method.
  package static func ofResponses(
    _ input: Span<UInt8>, pieces: [Int], to method: HTTPMethod, limits: HTTPLimits = HTTPLimits()
  ) -> HTTP1Transcript {
    var transcript = HTTP1Transcript()
    var parser = ResponseParser(to: method, limits: limits)
    var head = ResponseHead()
    transcript.feed(input, pieces) { (piece, transcript) throws(HTTPError) in
      let step = try parser.next(piece, into: &head)
      if step.event == .head { transcript.begin(head) }
      if step.event == .end { parser.beginNextResponse(to: method) }
      return step
    }
    return transcript
  }

  private mutating func feed(
    _ input: Span<UInt8>, _ pieces: [Int],
    _ next: (Span<UInt8>, inout HTTP1Transcript) throws(HTTPError) -> MessageStep
  ) {
    var taken = 0
    var arrived = 0
    do throws(HTTPError) {
      for piece in pieces {
        arrived += piece
        while true {
          let before = taken
          let step = try next(input.extracting(taken..<arrived), &self)
          taken += step.taken
          switch step.event {
          case .head: messages[messages.count - 1].start = errorStart
          case .body(let range):
            for index in range { messages[messages.count - 1].body.append(input[before + index]) }
          case .end:
            messages[messages.count - 1].end = taken
            errorStart = taken
          case .needMoreInput: break
          }
          if step.event == .needMoreInput || (step.event == .end && taken == arrived) { break }
        }
        precondition(taken == arrived, "a parser that needs more input has taken all it was given")
      }
    } catch {
      self.error = error
    }
  }

  private mutating func begin(_ head: RequestHead) {
    var message = Message()
    message.startLine = [
      Array(copying: head[head.methodBytes]), Array(copying: head[head.target]),
      Array((head.version == .http11 ? "HTTP/1.1" : "HTTP/1.0").utf8),
    ]
    message.segments = head.segments.map { Array(copying: head[$0]) }
    message.query = head.query.map { Array(copying: head[$0]) }
    message.authority = head.authority.map { Array(copying: head[$0]) }
    message.fields = Self.fields(head.fields)
    message.framing = head.framing
    message.keepAlive = head.keepAlive
    message.expectsContinue = head.expectsContinue
    messages.append(message)
  }

  private mutating func begin(_ head: ResponseHead) {
    var message = Message()
    message.startLine = [
      Array((head.version == .http11 ? "HTTP/1.1" : "HTTP/1.0").utf8), Array("\(head.status)".utf8),
      Array(copying: head[head.reason]),
    ]
    message.fields = Self.fields(head.fields)
    message.framing = head.framing
    message.keepAlive = head.keepAlive
    messages.append(message)
  }

  private static func fields(_ fields: HeadFields) -> [Field] {
    fields.list.map { Field(name: Array(copying: fields[$0.name]), value: Array(copying: fields[$0.value])) }
  }
}

extension [UInt8] {
  package init(copying span: Span<UInt8>) {
    self.init()
    for index in span.indices { append(span[index]) }
  }
}
