import Base
import Contract
import HTTP1
import Network
import Store

/// Delays a request or its answer until the alarm.
final class HeldAnswer: Responder {
  enum Step {
    case reply(Reply)
    case response(Response)
  }

  private let exchange: Exchange
  private let step: Step

  var unanswered: Exchange? { exchange }

  init(_ exchange: Exchange, _ step: Step) {
    self.exchange = exchange
    self.step = step
  }

  func alarmFired(_ session: IngestSession, _ output: inout SessionOutput) {
    switch step {
    case .reply(let reply): session.perform(reply, exchange, &output)
    case .response(let response): session.write(exchange, response, bodyComplete: true, &output)
    }
  }

  func closed(_ session: IngestSession) {
    guard case .response(let response) = step else { return }
    session.giveBack(response.carried)
  }
}

/// Sends an answer in pieces with pauses, as a fault demands.
private final class SlowResponse: Responder {
  private let bytes: [UInt8]
  private var sent = 0
  private let piece: Int
  private let pause: Nanoseconds

  init(_ bytes: [UInt8], piece: Int, pause: Nanoseconds) {
    self.bytes = bytes
    self.piece = piece
    self.pause = pause
  }

  func alarmFired(_ session: IngestSession, _ output: inout SessionOutput) {
    let end = min(sent + piece, bytes.count)
    output.bytes += bytes[sent..<end]
    sent = end
    guard end < bytes.count else { return session.proceed() }
    session.respond(with: self)
    session.wishes.alarm = output.now + pause
  }

  func closed(_ session: IngestSession) { session.returnCarried() }
}

extension IngestSession {
  /// Applies a fault that does not wait for the body.
  func refuseBody(of exchange: Exchange, _ fault: AppliedFault, _ output: inout SessionOutput) {
    exchange.fault = fault
    switch fault.fault {
    case .refuse(let status): write(exchange, .faulted(status), bodyComplete: false, &output)
    case .reset: end(exchange, .unsent, with: .reset, output.now)
    default: preconditionFailure("\(fault.fault.kind) needs the body")
    }
  }

  /// Applies a fault before the commit, or instead of it.
  func applyBeforeStore(
    _ reply: Reply, _ exchange: Exchange, _ fault: AppliedFault, _ output: inout SessionOutput
  ) {
    switch fault.fault {
    case .delay: hold(exchange, .reply(reply), fault.delay, &output)
    case .status(let status, let fields, let body):
      write(exchange, .asked(status, fields, body: body), bodyComplete: true, &output)
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
      exchange.withheld = UploadReading.keepFirst(
        records, points: &batch.points, quarantined: &batch.quarantined)
      perform(.store(.ingest(batch), afterwards: continuation), exchange, &output)
    case .cut, .drop, .delayAfterCommit, .dribble, .malformed, .wrongLength, .empty, .replace:
      perform(reply, exchange, &output)
    case .refuse, .reset, .certificate, .cutHandshake, .slowHandshake:
      preconditionFailure("\(fault.fault.kind) comes before the body")
    }
  }

  /// Applies a fault to an answer; returns false when the answer is sent unchanged. Commands in an unreadable answer are
  /// returned to the queue at once.
  func applyToAnswer(
    _ response: Response, of exchange: Exchange, _ fault: AppliedFault, _ output: inout SessionOutput
  ) -> Bool {
    switch fault.fault {
    case .delayAfterCommit: hold(exchange, .response(response), fault.delay, &output)
    case .drop:
      giveBack(response.carried)
      end(exchange, response.unsent, with: .atOnce, output.now)
    case .cut(let count):
      giveBack(response.carried)
      var bytes: [UInt8] = []
      append(response, exchange, to: &bytes)
      output.bytes += bytes.prefix(count)
      end(exchange, response, with: .reset, output.now)
    case .wrongLength(let difference):
      giveBack(response.carried)
      rules.stop()
      append(response, exchange, claiming: max(0, response.body.count + difference), to: &output.bytes)
      note(exchange, response, now: output.now)
      proceed()
    case .dribble(let piece, _):
      var bytes: [UInt8] = []
      append(response, exchange, to: &bytes)
      if let commands = response.carried { carry(commands, output) }
      note(exchange, response, now: output.now)
      wishes.wantsInput = false
      SlowResponse(bytes, piece: piece, pause: fault.delay).alarmFired(self, &output)
    case .malformed:
      giveBack(response.carried)
      var response = response
      response.carried = nil
      response.body = response.body.isEmpty ? [UInt8(ascii: "{")] : response.body.dropLast()
      write(exchange, response, bodyComplete: true, &output)
    case .empty:
      giveBack(response.carried)
      var response = response
      response.carried = nil
      response.body = []
      write(exchange, response, bodyComplete: true, &output)
    case .replace(let status, let fields, let body):
      giveBack(response.carried)
      write(exchange, .asked(status, fields, body: body, isHandled: true), bodyComplete: true, &output)
    case .refuse, .reset, .delay, .status, .portal, .redirect, .pretend, .prefix, .certificate, .cutHandshake,
      .slowHandshake:
      return false
    }
    return true
  }

  func hold(
    _ exchange: Exchange, _ step: HeldAnswer.Step, _ delay: Nanoseconds, _ output: inout SessionOutput
  ) {
    respond(with: HeldAnswer(exchange, step))
    wishes.alarm = output.now + delay
  }

  func end(
    _ exchange: Exchange, _ response: Response, with ending: SessionWishes.Ending, _ now: MonotonicInstant
  ) {
    note(exchange, response, now: now)
    rules.stop()
    finish(ending)
  }

  private func append(
    _ response: Response, _ exchange: Exchange, claiming length: Int? = nil, to bytes: inout [UInt8]
  ) {
    let announcement = rules.announcement(for: exchange.version, bodyComplete: true)
    response.append(
      to: &bytes, date: scratch.date(context.backend.now), announcing: announcement,
      framing: .length, withoutContent: exchange.method == .head, claiming: length)
  }
}

extension StoreResult {
  /// Returns the receipt as if the withheld records had been stored too.
  func acknowledging(withheld: Int) -> StoreResult {
    guard withheld > 0, case .ingested(var receipt) = self else { return self }
    receipt.accepted += withheld
    return .ingested(receipt)
  }
}

extension Response {
  /// `isHandled`: the request was carried out, and only its answer is replaced.
  static func faulted(_ status: Int, isHandled: Bool = false) -> Response {
    if !hasContent(status) { return Response(status, "application/json", []) }
    return .error(status, "fault", "injected fault; \(isHandled ? "the request was handled" : "nothing was stored")")
  }

  /// Returns the answer that a rule specifies.
  static func asked(
    _ status: Int, _ fields: [NameValuePair], body: String?, isHandled: Bool = false
  ) -> Response {
    var response =
      body.map { Response(status, $0.first == "{" ? "application/json" : "text/plain", Array($0.utf8)) }
      ?? .faulted(status, isHandled: isHandled)
    response.askedFields = fields
    return response
  }

  static let portal = Response(
    200, "text/html",
    Array("<!DOCTYPE html><html><head><title>Sign in</title></head><body>Welcome to the network</body></html>".utf8))
}
