import Base
import Contract
import HTTP1
import Network

/// The connection of one client: requests and answers in turn. A class for the same reason as `IngestSession`.
final class ServiceSession: ByteSession {
  typealias Message = ServiceAnswer

  private(set) var wishes = SessionWishes()
  private let service: ServiceBehaviour
  private let isLocal: Bool
  /// Posts an answer that was computed elsewhere.
  private let post: @Sendable (ServiceAnswer) -> Void
  private var parser: RequestParser
  private var rules: ConnectionRules
  private var head = RequestHead()
  private var state = State.waiting
  private var exchangeCount: UInt32 = 0

  private enum State {
    /// Waiting for the head of the next request.
    case waiting
    case reading(ServiceRequest)
    /// Discarding the body of a refused request.
    case dropping(ServiceAnswer)
    /// The answer is computed elsewhere.
    case awaitingResult
    case streaming(any ServiceStream)
    case finished
  }

  init(_ service: ServiceBehaviour, isLocal: Bool, post: @escaping @Sendable (ServiceAnswer) -> Void) {
    self.service = service
    self.isLocal = isLocal
    self.post = post
    parser = RequestParser(limits: service.limits)
    rules = ConnectionRules(limits: service.limits)
  }

  func receive(_ input: Span<UInt8>, _ output: inout SessionOutput) -> Int {
    var taken = 0
    while wishes.wantsInput, !output.isFull {
      do throws(HTTPError) {
        let step = try parser.next(input.extracting(taken..<input.count), into: &head)
        switch step.event {
        case .needMoreInput: break
        case .head: headReceived(&output)
        case .body(let range): keep(input.extracting(taken + range.lowerBound..<taken + range.upperBound))
        case .end: requestEnded(&output)
        }
        taken += step.taken
        if step.event == .needMoreInput { break }
      } catch {
        refuse(error, &output)
        return input.count
      }
    }
    notePhase()
    return taken
  }

  private func headReceived(_ output: inout SessionOutput) {
    exchangeCount &+= 1
    rules.requestBegan(head)
    if service.isOneToAConnection { rules.stop() }
    do throws(HTTPError) {
      let request = try ServiceRequest(head, limits: service.limits, isLocal: isLocal)
      if head.expectsContinue { ResponseWriter.interimContinue(into: &output.bytes) }
      state = .reading(request)
    } catch {
      state = .dropping(service.refusal(error))
    }
  }

  private func keep(_ bytes: Span<UInt8>) {
    guard case .reading(var request) = state else { return }
    state = .waiting
    request.body.append(copying: bytes)
    state = .reading(request)
  }

  private func requestEnded(_ output: inout SessionOutput) {
    switch state {
    case .reading(let request):
      switch service.handle(request) {
      case .answer(let answer): write(answer, &output)
      case .later(let begin):
        state = .awaitingResult
        wishes.wantsInput = false
        begin(post)
      case .stream(let stream): begin(stream, &output)
      }
    case .dropping(let answer): write(answer, &output)
    case .waiting, .awaitingResult, .streaming, .finished:
      preconditionFailure("a request ends once, after it has begun")
    }
  }

  private func write(_ answer: ServiceAnswer, _ output: inout SessionOutput) {
    let announcement = rules.announcement(for: head.version, bodyComplete: true)
    answer.append(to: &output.bytes, withoutContent: head.method == .head, announcing: announcement)
    switch rules.next {
    case .readNextRequest:
      parser.beginNextRequest()
      state = .waiting
      wishes.wantsInput = true
    case .closeAfterAnswer: finish()
    }
  }

  private func finish() {
    state = .finished
    wishes.wantsInput = false
    wishes.alarm = nil
    wishes.ending = .afterOutput
  }

  private func refuse(_ error: HTTPError, _ output: inout SessionOutput) {
    last(service.refusal(error), &output)
  }

  private func last(_ answer: ServiceAnswer, _ output: inout SessionOutput) {
    answer.append(to: &output.bytes, withoutContent: false, announcing: .close)
    finish()
    wishes.phase = .answering
  }

  func deliver(_ message: ServiceAnswer, _ output: inout SessionOutput) {
    guard case .awaitingResult = state else { return }
    write(message, &output)
    notePhase()
  }

  func timedOut(_ limit: TimeLimit, _ output: inout SessionOutput) {
    switch limit {
    case .head, .body, .bodyRate: last(service.tooSlow, &output)
    case .idle, .write, .linger: wishes.ending = .atOnce
    }
  }

  func inputEnded(_ output: inout SessionOutput) { rules.stop() }

  func drain(_ output: inout SessionOutput) {
    rules.stop()
    switch state {
    case .streaming(let stream):
      // The final state of the run is the last event that listeners get.
      tell(stream, &output)
      stream.end()
      ChunkWriter.end(into: &output.bytes)
      finish()
    // The loop closes idle connections, once it has read what has arrived.
    case .waiting, .reading, .dropping, .awaitingResult, .finished: break
    }
  }

  func closed(_ reason: CloseReason, now: MonotonicInstant) {
    if case .streaming(let stream) = state { stream.end() }
    state = .finished
  }

  private func notePhase() {
    wishes.phase =
      switch state {
      case .waiting: parser.isIdle ? .idle : .head(message: exchangeCount)
      case .reading, .dropping: .body(message: exchangeCount)
      case .awaitingResult, .streaming, .finished: .answering
      }
  }
}

/// Streams of events.
extension ServiceSession {
  /// The minimal interval between events of a listener.
  static let streamInterval = Nanoseconds.milliseconds(250)

  private func begin(_ stream: any ServiceStream, _ output: inout SessionOutput) {
    // HTTP/1.0 clients do not support chunks, and HEAD has no content.
    guard head.version == .http11, head.method != .head else {
      stream.end()
      return write(service.noStream, &output)
    }
    rules.stop()
    ResponseWriter.statusLine(200, into: &output.bytes)
    HeadWriter.field(HeaderName.contentType, "text/event-stream", into: &output.bytes)
    HeadWriter.field(HeaderName.cacheControl, "no-store", into: &output.bytes)
    HeadWriter.field(HeaderName.connection, "close", into: &output.bytes)
    HeadWriter.chunked(into: &output.bytes)
    HeadWriter.end(into: &output.bytes)
    ChunkWriter.chunk(Array("retry: 1000\n\n".utf8).span, into: &output.bytes)
    state = .streaming(stream)
    wishes.wantsInput = false
    tell(stream, &output)
  }

  private func tell(_ stream: any ServiceStream, _ output: inout SessionOutput) {
    // A listener gets nothing new before it has read the last output; the loop closes one that reads nothing at all.
    if output.unsentBefore == 0 {
      let events = stream.next(at: output.now)
      if !events.isEmpty { ChunkWriter.chunk(events.span, into: &output.bytes) }
    }
    wishes.alarm = output.now + ServiceSession.streamInterval
  }

  func alarmFired(_ output: inout SessionOutput) {
    wishes.alarm = nil
    if case .streaming(let stream) = state { tell(stream, &output) }
  }

  func produce(_ output: inout SessionOutput) {}
}
