import Base
import Contract
import HTTP1
import Network
import Store

/// What a delay holds back.
enum HeldStep {
  case reply(Reply)
  case response(Response)
}

/// An answer that leaves in pieces.
struct SlowResponse {
  let bytes: [UInt8]
  var sent = 0
  let piece: Int
  let pause: Nanoseconds
}

extension IngestSession {
  /// A fault that does not wait for the body.
  func refuseBody(of exchange: Exchange, _ fault: AppliedFault, _ output: inout SessionOutput) {
    var exchange = exchange
    exchange.fault = fault
    switch fault.fault {
    case .refuse(let status): write(exchange, .faulted(status), bodyComplete: false, &output)
    case .reset: end(exchange, .faulted(503), with: .reset, output.now)
    default: preconditionFailure("\(fault.fault.kind) needs the body")
    }
  }

  /// The fault before the commit, or instead of it.
  func applyFault(
    _ reply: Reply, _ exchange: Exchange, _ fault: AppliedFault, _ output: inout SessionOutput
  ) {
    switch fault.fault {
    case .delay: hold(exchange, .reply(reply), fault.delay, &output)
    case .status(let status, let fields):
      var response = Response.faulted(status)
      response.askedFields = fields
      write(exchange, response, bodyComplete: true, &output)
    case .portal: write(exchange, .portal, bodyComplete: true, &output)
    case .redirect(let status, let location):
      let response = Response(status, "text/html", []).with(HeaderName.location, location)
      write(exchange, response, bodyComplete: true, &output)
    case .pretend:
      guard case .store(.ingest(let batch), let continuation) = reply else { return perform(reply, exchange, &output) }
      let receipt = IngestReceipt(accepted: batch.points.count, quarantined: batch.quarantined.count)
      perform(context.reply(continuation, .ingested(receipt)), exchange, &output)
    case .prefix(let records):
      guard case .store(.ingest(var batch), let continuation) = reply else { return perform(reply, exchange, &output) }
      var exchange = exchange
      exchange.withheld = batch.withhold(after: records)
      perform(.store(.ingest(batch), afterwards: continuation), exchange, &output)
    case .cut, .drop, .delayAfterCommit, .dribble, .malformed, .wrongLength, .empty:
      perform(reply, exchange, &output)
    case .refuse, .reset: preconditionFailure("\(fault.fault.kind) comes before the body")
    }
  }

  /// The fault of an answer; false when it leaves as it is.
  func applyFault(
    _ response: Response, of exchange: Exchange, _ fault: AppliedFault, _ output: inout SessionOutput
  ) -> Bool {
    carried = response.carried
    switch fault.fault {
    case .delayAfterCommit: hold(exchange, .response(response), fault.delay, &output)
    case .drop: end(exchange, response, with: .atOnce, output.now)
    case .cut(let count):
      var bytes: [UInt8] = []
      append(response, exchange, to: &bytes)
      output.bytes += bytes.prefix(count)
      end(exchange, response, with: .reset, output.now)
    case .wrongLength(let difference):
      returnCarried()
      rules.stop()
      append(response, exchange, claiming: max(0, response.body.count + difference), to: &output.bytes)
      note(exchange, response, now: output.now)
      proceed()
    case .dribble(let piece, _):
      var bytes: [UInt8] = []
      append(response, exchange, to: &bytes)
      note(exchange, response, now: output.now)
      wishes.wantsInput = false
      dribble(SlowResponse(bytes: bytes, piece: piece, pause: fault.delay), &output)
    case .malformed:
      returnCarried()
      var response = response
      response.carried = nil
      response.body = response.body.isEmpty ? [UInt8(ascii: "{")] : response.body.dropLast()
      write(exchange, response, bodyComplete: true, &output)
    case .empty:
      returnCarried()
      var response = response
      response.carried = nil
      response.body = []
      write(exchange, response, bodyComplete: true, &output)
    case .refuse, .reset, .delay, .status, .portal, .redirect, .pretend, .prefix: return false
    }
    return true
  }

  private func hold(
    _ exchange: Exchange, _ step: HeldStep, _ delay: Nanoseconds, _ output: inout SessionOutput
  ) {
    state = .delaying(exchange, step)
    wishes.wantsInput = false
    wishes.alarm = output.now + delay
  }

  /// The delay is over.
  func resume(_ exchange: Exchange, _ step: HeldStep, _ output: inout SessionOutput) {
    switch step {
    case .reply(let reply): perform(reply, exchange, &output)
    case .response(let response): write(exchange, response, bodyComplete: true, &output)
    }
  }

  func dribble(_ answer: SlowResponse, _ output: inout SessionOutput) {
    var answer = answer
    let end = min(answer.sent + answer.piece, answer.bytes.count)
    output.bytes += answer.bytes[answer.sent..<end]
    answer.sent = end
    guard end < answer.bytes.count else { return proceed() }
    state = .dribbling(answer)
    wishes.alarm = output.now + answer.pause
  }

  func end(
    _ exchange: Exchange, _ response: Response, with ending: SessionWishes.Ending, _ now: MonotonicInstant
  ) {
    note(exchange, response, now: now)
    rules.stop()
    state = .finished
    wishes.wantsInput = false
    wishes.ending = ending
  }

  private func append(
    _ response: Response, _ exchange: Exchange, claiming length: Int? = nil, to bytes: inout [UInt8]
  ) {
    let announcement = rules.announcement(for: exchange.version, bodyComplete: true)
    response.append(
      to: &bytes, date: scratch.date(context.wallNow()), announcing: announcement,
      framing: .length, withoutContent: exchange.method == .head, claiming: length)
  }
}

extension IngestBatch {
  /// Leaves the first `count` records of the body and says how many went.
  fileprivate mutating func withhold(after count: Int) -> Int {
    let before = points.count + quarantined.count
    let offsets = (points.map(\.record.lowerBound) + quarantined.map(\.record.lowerBound)).sorted()
    guard count < offsets.count else { return 0 }
    points.removeAll { $0.record.lowerBound >= offsets[count] }
    quarantined.removeAll { $0.record.lowerBound >= offsets[count] }
    return before - points.count - quarantined.count
  }
}

extension StoreResult {
  /// The receipt as if the withheld records had been stored too.
  func acknowledging(withheld: Int) -> StoreResult {
    guard withheld > 0, case .ingested(var receipt) = self else { return self }
    receipt.accepted += withheld
    return .ingested(receipt)
  }
}

extension Response {
  static func faulted(_ status: Int) -> Response {
    // 204 and 304 have no content (RFC 9110 §§15.3.5, 15.4.5).
    if status == 204 || status == 304 { return Response(status, "application/json", []) }
    return .error(status, "fault", "a fault was asked for; nothing was stored")
  }

  static let portal = Response(
    200, "text/html",
    Array("<!DOCTYPE html><html><head><title>Sign in</title></head><body>Welcome to the network</body></html>".utf8))
}
