import Base
import Contract
import Gzip
import HTTP1
import Network

/// How much of the upstream's answer the client gets.
enum AnswerPassage {
  case whole
  /// In pieces, with a pause behind each.
  case paced(piece: Int, pause: Nanoseconds)
  /// So many bytes more; then the connection is reset.
  case cut(left: Int)
  /// None of it; the connection ends so.
  case nothing(then: SessionWishes.Ending)
  /// Something else, when it is there.
  case rewritten
  /// What has come of it; the upstream gave no more.
  case broken(SessionWishes.Ending)

  /// How the connection ends behind the answer, where that is not as usual.
  var ending: SessionWishes.Ending? {
    switch self {
    case .whole, .paced, .rewritten: nil
    case .cut: .reset
    case .nothing(let ending), .broken(let ending): ending
    }
  }
}

/// What has to be known of an answer from its head to its end.
struct AnswerForm {
  /// It is an interim answer (RFC 9110 §15.2).
  var isInterim = false
  /// The upstream's connection may serve another exchange.
  var keepsAlive = false
  /// The client gets it in chunks.
  var isChunked = false
  /// Only the end of the connection ends it for the client.
  var endsWithConnection = false
  /// Some of it was left out.
  var isCutShort = false
  /// Of an answer that is rewritten: its head without what frames the body, and the body.
  var head: [UInt8] = []
  var body: [UInt8] = []

  /// The longest answer that is rewritten; of a longer one nothing is sent.
  static let rewrittenBytesMax = 1_048_576
}

/// The upstream's side of an exchange.
extension ProxySession {
  /// There is room for what the upstream sends.
  var takesAnswer: Bool {
    switch passage {
    case .whole, .paced, .broken: toClient.count < Self.heldBytesMax
    case .cut, .nothing, .rewritten: true
    }
  }

  /// The upstream has everything and owes the answer, or more of it.
  var awaitsUpstream: Bool { requestStage == .complete && toUpstream.isEmpty && takesAnswer }

  func answerCame(_ input: Span<UInt8>, from line: UpstreamLine, now: MonotonicInstant) -> Int {
    var taken = 0
    again = []
    // What was taken last may have been the end, for which no further byte will call.
    while takesAnswer || taken == input.count, self.line === line, let current {
      let step: MessageStep
      do throws(HTTPError) {
        step = try line.parser.next(input.extracting(taken..<input.count), into: &scratch.answerHead)
      } catch {
        line.abandon()
        upstreamFailed(line, .malformed(error), now: now)
        return input.count
      }
      switch step.event {
      case .needMoreInput: break
      case .head: scratch.answerHead.isInterim ? interimCame(current) : answerBegan(current, now)
      case .body(let range):
        answerBodyCame(input.extracting(taken + range.lowerBound..<taken + range.upperBound), current)
      case .end where answerForm.isInterim: line.parser.beginNextResponse(to: current.exchange.method)
      case .end: answerEnded(line, now)
      }
      taken += step.taken
      if step.event == .needMoreInput { break }
    }
    if !toClient.isEmpty || answerStage == .complete { nudgeClient() }
    return taken
  }

  /// HTTP/1.0 knows none (RFC 9110 §15.2).
  private func interimCame(_ current: ProxyExchange) {
    answerForm.isInterim = true
    guard current.exchange.version == .http11, !isDetached else { return }
    ForwardedHead.append(scratch.answerHead, omitting: [], by: desk.name, into: &toClient)
    HeadWriter.end(into: &toClient)
  }

  private func answerBegan(_ current: ProxyExchange, _ now: MonotonicInstant) {
    let version = current.exchange.version
    answerStage = .passing
    current.answerBegan(scratch.answerHead)
    answerForm = AnswerForm()
    answerForm.keepsAlive = scratch.answerHead.keepAlive
    switch scratch.answerHead.framing {
    case .none, .length: break
    case .chunked, .untilClose: if version == .http11 { answerForm.isChunked = true } else { endWithConnection() }
    }
    if let fault = current.answerFault, !isDetached { meet(fault, current, now) }
    if case .rewritten = passage {
      return ForwardedHead.append(
        scratch.answerHead, omitting: .contentLength, by: desk.name, into: &answerForm.head)
    }
    let announcement = rules.announcement(for: version, bodyComplete: requestStage == .complete)
    emit { [scratch, answerForm, desk] bytes in
      ForwardedHead.append(scratch.answerHead, omitting: [], by: desk.name, into: &bytes)
      if answerForm.isChunked { HeadWriter.chunked(into: &bytes) }
      HeadWriter.append(announcement, into: &bytes)
      HeadWriter.end(into: &bytes)
    }
  }

  private func endWithConnection() {
    answerForm.endsWithConnection = true
    rules.stop()
  }

  private func answerBodyCame(_ bytes: Span<UInt8>, _ current: ProxyExchange) {
    current.keepAnswer(bytes)
    if case .rewritten = passage {
      answerForm.body.append(copying: bytes)
      if answerForm.body.count > AnswerForm.rewrittenBytesMax { passage = .nothing(then: .reset) }
      return
    }
    if answerForm.isChunked {
      emit { ChunkWriter.chunk(bytes, into: &$0) }
    } else {
      emit { $0.append(copying: bytes) }
    }
  }

  /// The status with which the client has the whole of an answer, when the upstream's has come to its end; 0 where it has not.
  private var statusDelivered: Int {
    guard let current else { return 0 }
    switch passage {
    case .whole, .paced: return current.status
    case .cut: return answerForm.isCutShort || answerForm.endsWithConnection ? 0 : current.status
    case .nothing, .broken: return 0
    case .rewritten: return current.answerFault?.fault.status(insteadOf: current.status) ?? 0
    }
  }

  private func answerEnded(_ line: UpstreamLine, _ now: MonotonicInstant) {
    current?.answeredAt = now
    current?.deliveredStatus = statusDelivered
    if case .rewritten = passage {
      appendRewritten()
    } else if answerForm.isChunked {
      emit { ChunkWriter.end(into: &$0) }
    }
    self.line = nil
    if answerForm.keepsAlive, requestStage == .complete, toUpstream.isEmpty {
      pool.giveBack(line, now: now)
    } else {
      line.abandon()
    }
    completeAnswer(now)
  }

  /// What the client gets is here.
  private func completeAnswer(_ now: MonotonicInstant) {
    dropRest()
    toUpstream = []
    answerStage = .complete
    // Otherwise it is over when the client has it, or is gone.
    if isDetached { endExchange(now) }
  }

  /// Appends to what the client gets, as far as it gets it.
  private func emit(_ write: (inout [UInt8]) -> Void) {
    switch passage {
    case .whole, .paced: write(&toClient)
    case .cut(let left):
      let end = toClient.count + left
      write(&toClient)
      if toClient.count > end {
        toClient.removeLast(toClient.count - end)
        answerForm.isCutShort = true
      }
      passage = .cut(left: end - toClient.count)
    case .nothing, .rewritten, .broken: break
    }
  }
}

/// The upstream's failures.
extension ProxySession {
  /// Its side of the connection has ended, in peace or not.
  func upstreamEnded(_ line: UpstreamLine, now: MonotonicInstant) {
    guard self.line === line else { return }
    do throws(HTTPError) {
      guard answerStage == .passing else { return upstreamFailed(line, .closed, now: now) }
      try line.parser.finish()
      answerForm.keepsAlive = false
      answerEnded(line, now)
      nudgeClient()
    } catch {
      upstreamFailed(line, .closed, now: now)
    }
  }

  func upstreamFailed(_ line: UpstreamLine, _ failure: UpstreamFailure, now: MonotonicInstant) {
    guard self.line === line, let current else { return }
    self.line = nil
    if case .closed = failure, !again.isEmpty, !line.hasAnswered {
      // A kept connection that had been closed in the meantime says nothing about the upstream.
      again.move(to: &toUpstream)
      self.line = pool.open(for: self, to: current.exchange.method, now: now)
      return
    }
    current.failure = failure
    current.answeredAt = now
    toUpstream = []
    if isDetached {
      completeAnswer(now)
    } else if answerStage == .passing {
      rules.stop()
      // Where a length or chunks frame it, the missing rest says that it is not the whole; else only a reset does.
      passage = .broken(answerForm.endsWithConnection ? .reset : .afterOutput)
      completeAnswer(now)
    } else {
      answer(failure.response(desk.target, desk.name), now)
    }
    nudgeClient()
  }
}

extension ProxyExchange {
  fileprivate func answerBegan(_ head: borrowing ResponseHead) {
    status = head.status
    answerHead.append(copying: head.fields.bytes.span)
    answerCoding = ContentCoding(head.fields.value(HeaderName.contentEncoding).flatMap { head.fields.text($0) })
  }
}

extension HeadWriter {
  static func append(_ announcement: ConnectionRules.Announcement, into out: inout [UInt8]) {
    switch announcement {
    case .nothing: break
    case .keepAlive: field(HeaderName.connection, "keep-alive", into: &out)
    case .close: field(HeaderName.connection, "close", into: &out)
    }
  }
}

extension UpstreamFailure {
  /// What the client gets instead of the upstream's answer; the field says that it is not the upstream's (RFC 9209).
  func response(_ target: UpstreamTarget, _ name: ProxyName) -> Response {
    let (status, code, word, sentence) =
      switch self {
      case .unreachable(let error):
        (
          502, "upstream_unreachable", "destination_unavailable",
          "the upstream \(target.url) cannot be reached: \(error)"
        )
      case .connectTimeout:
        (
          504, "upstream_timeout", "connection_timeout",
          "connection to the upstream \(target.url) timed out"
        )
      case .answerTimeout:
        (504, "upstream_timeout", "http_response_timeout", "the upstream \(target.url) did not answer in time")
      case .closed:
        (
          502, "upstream_closed", "http_response_incomplete",
          "the upstream \(target.url) closed the connection without an answer"
        )
      case .malformed(let error):
        (
          502, "upstream_malformed", "http_protocol_error",
          "the answer of \(target.url) is not an HTTP response: \(error.reason)"
        )
      }
    return .error(status, code, sentence).with(HeaderName.proxyStatus, "\(name.text); error=\(word)")
  }
}
