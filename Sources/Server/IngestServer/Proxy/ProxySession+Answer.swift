import Base
import Contract
import Gzip
import HTTP1
import Network

/// The part of the upstream's answer that the client gets.
enum AnswerPassage {
  case whole
  /// In pieces, with a pause after each.
  case paced(piece: Int, pause: Nanoseconds)
  /// That many more bytes; then the connection is reset.
  case cut(left: Int)
  /// Nothing; the connection ends in this way.
  case nothing(then: SessionWishes.Ending)
  /// A different answer, sent when this one is complete.
  case rewritten
  /// The part that was received before the upstream failed.
  case broken(SessionWishes.Ending)

  /// How the connection ends after the answer; nil for the usual way.
  var ending: SessionWishes.Ending? {
    switch self {
    case .whole, .paced, .rewritten: nil
    case .cut: .reset
    case .nothing(let ending), .broken(let ending): ending
    }
  }
}

/// Properties of the current answer.
struct AnswerForm {
  /// Whether it is an interim answer (RFC 9110 §15.2).
  var isInterim = false
  /// Whether the upstream's connection can serve another exchange.
  var keepsAlive = false
  /// Whether the client gets it in chunks.
  var isChunked = false
  /// Whether only the end of the connection delimits it for the client.
  var endsWithConnection = false
  /// Whether some of it was left out.
  var isCutShort = false
  /// For an answer that is rewritten: its head without the framing of the body, and the body.
  var head: [UInt8] = []
  var body: [UInt8] = []

  /// The length of the longest answer that is rewritten; of a longer one nothing is sent.
  static let rewrittenBytesMax = 1_048_576
}

/// The upstream's side of an exchange.
extension ProxySession {
  /// Whether there is room for data from the upstream.
  var takesAnswer: Bool {
    switch passage {
    case .whole, .paced, .broken: toClient.count < Self.heldBytesMax
    case .cut, .nothing, .rewritten: true
    }
  }

  /// Whether the upstream has the complete request, and its answer is pending or incomplete.
  var awaitsUpstream: Bool { requestStage == .complete && toUpstream.isEmpty && takesAnswer }

  func answerCame(_ input: Span<UInt8>, from line: UpstreamLine, now: MonotonicInstant) -> Int {
    var taken = 0
    again = []
    // Even if all input is consumed, the end of a message may be due, and no further byte would trigger another call.
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

  /// HTTP/1.0 has no interim answers (RFC 9110 §15.2).
  private func interimCame(_ current: ProxyExchange) {
    answerForm.isInterim = true
    guard current.exchange.version == .http11, !isDetached else { return }
    ForwardedHead.append(scratch.answerHead, omitting: [], by: context.name, into: &toClient)
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
    if let fault = current.answerFault, !isDetached { apply(fault, current, now) }
    if case .rewritten = passage {
      return ForwardedHead.append(
        scratch.answerHead, omitting: .contentLength, by: context.name, into: &answerForm.head)
    }
    let announcement = rules.announcement(for: version, bodyComplete: requestStage == .complete)
    emit { [scratch, answerForm, context] bytes in
      ForwardedHead.append(scratch.answerHead, omitting: [], by: context.name, into: &bytes)
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

  /// The status if the client gets the complete answer, once the upstream's has ended; otherwise 0.
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

  /// Called when everything that the client gets has been received.
  private func completeAnswer(_ now: MonotonicInstant) {
    dropRest()
    toUpstream = []
    answerStage = .complete
    // Otherwise it ends when the client has the answer, or is gone.
    if isDetached { endExchange(now) }
  }

  /// Appends output for the client, limited by `passage`.
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

/// Handles failures of the upstream.
extension ProxySession {
  /// Called when the upstream has ended its connection, orderly or not.
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
      // A kept connection that was closed meanwhile says nothing about the upstream.
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
      // With a length or chunks, the missing rest shows that the answer is incomplete; otherwise only a reset does.
      passage = .broken(answerForm.endsWithConnection ? .reset : .afterOutput)
      completeAnswer(now)
    } else {
      answer(failure.response(context.target, context.name), now)
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
  /// Returns the answer in place of the upstream's; the field shows that it is not the upstream's (RFC 9209).
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
