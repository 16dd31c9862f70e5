import Base
import Contract
import HTTP1
import Network
import Store

/// Injects faults in front of the upstream. "Stores" in the documentation of `ServerFault` means here that the upstream gets
/// the request.
extension ProxySession {
  /// Applies a fault that does not wait for the body; the upstream gets nothing.
  func refuseBody(of current: ProxyExchange, _ fault: AppliedFault, _ now: MonotonicInstant) {
    current.exchange.fault = fault
    guard case .refuse(let status) = fault.fault else {
      passage = .nothing(then: .reset)
      current.ownAnswer = .unsent
      (requestStage, answerStage, dropsBody) = (.complete, .complete, true)
      return rules.stop()
    }
    answer(.faulted(status), now)
  }

  /// Called when a held request has arrived completely.
  func requestIsHere(_ current: ProxyExchange, _ fault: AppliedFault?, _ now: MonotonicInstant) {
    current.exchange.fault = fault
    guard let fault else { return release(current, nil, now) }
    switch fault.fault {
    case .delay: gate = now + fault.delay
    case .status(let status, let fields, let body): answer(.asked(status, fields, body: body), now)
    case .portal: answer(.portal, now)
    case .redirect(let status, let location):
      answer(Response(status, "text/html", []).with(HeaderName.location, location), now)
    case .pretend:
      let records = context.records(in: current, scratch)
      let receipt = IngestReceipt(accepted: records.points.count, quarantined: records.quarantined.count)
      answer(.receipt(receipt), now)
    case .prefix(let count):
      guard let body = context.prefix(of: current, records: count, scratch) else {
        return answer(.receipt(IngestReceipt()), now)
      }
      release(current, body, now)
    case .cut, .drop, .delayAfterCommit, .dribble, .malformed, .wrongLength, .empty, .replace:
      current.answerFault = fault
      release(current, nil, now)
    case .refuse, .reset, .certificate, .cutHandshake, .slowHandshake:
      preconditionFailure("\(fault.fault.kind) comes before the body")
    }
  }

  /// Ends the delay of a fault.
  func openGate(_ now: MonotonicInstant) {
    gate = nil
    if let current, current.isHeld, requestStage == .complete { release(current, nil, now) }
  }

  /// Applies the fault of an answer whose head has arrived.
  func apply(_ fault: AppliedFault, _ current: ProxyExchange, _ now: MonotonicInstant) {
    switch fault.fault {
    case .drop: passage = .nothing(then: .atOnce)
    case .cut(let bytes): passage = .cut(left: bytes)
    case .delayAfterCommit: gate = now + fault.delay
    case .dribble(let piece, _): passage = .paced(piece: piece, pause: fault.delay)
    case .malformed, .wrongLength, .empty, .replace: passage = .rewritten
    case .refuse, .reset, .delay, .status, .portal, .redirect, .pretend, .prefix, .certificate, .cutHandshake,
      .slowHandshake:
      break
    }
  }

  /// Replaces the upstream's answer, which is complete, with the fault's.
  func appendRewritten() {
    guard let current, let fault = current.answerFault else { return }
    var (body, claimed) = (answerForm.body, answerForm.body.count)
    switch fault.fault {
    case .malformed:
      body = body.isEmpty ? [UInt8(ascii: "{")] : body.dropLast()
      claimed = body.count
    case .wrongLength(let difference):
      claimed = max(0, claimed + difference)
      rules.stop()
    case .empty: (body, claimed) = ([], 0)
    case .replace(let status, let fields, let text):
      return append(.asked(status, fields, body: text, isHandled: true), of: current)
    default: preconditionFailure("\(fault.fault.kind) rewrites no answer")
    }
    let announcement = rules.announcement(for: current.exchange.version, bodyComplete: requestStage == .complete)
    // An answer that can have no content is forwarded unchanged: a byte after it would begin the next answer.
    let hasContent = Response.hasContent(current.status)
    answerForm.head.move(to: &toClient)
    if hasContent { HeadWriter.contentLength(claimed, into: &toClient) }
    HeadWriter.append(announcement, into: &toClient)
    HeadWriter.end(into: &toClient)
    if hasContent, current.exchange.method != .head { toClient += body }
  }

  private func append(_ response: Response, of current: ProxyExchange) {
    response.append(
      to: &toClient, date: context.date(scratch),
      announcing: rules.announcement(for: current.exchange.version, bodyComplete: requestStage == .complete),
      framing: .length, withoutContent: current.exchange.method == .head)
  }
}

extension ServerFault {
  /// Returns the status of a rewritten answer; 0 if it has fewer bytes than declared, which a client takes for no answer.
  func status(insteadOf status: Int) -> Int {
    switch self {
    case .replace(let other, _, _): other
    case .wrongLength(let difference): difference > 0 ? 0 : status
    default: status
    }
  }
}
