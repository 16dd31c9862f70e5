package import Base
import HTTP1
package import Network
import Store

/// The HTTP conversation of one connection: requests in, answers out, in order and one at a time. It has no socket, thread or
/// clock: an event loop drives it live, the simulator in virtual time.
///
/// No input is read while an answer is pending, so that a client that pipelines cannot fill the memory with requests (RFC 9112
/// §9.3.2 requires only that answers keep the order).
///
/// A class although it is not shared: the loop is generic over sessions and would copy a value of this size, with all its
/// references, at each access to a property.
package final class IngestSession: ByteSession {
  package internal(set) var wishes = SessionWishes()
  let context: ServerContext
  let scratch: SessionScratch
  let address: SessionAddress
  private let caller: ConnectedCaller
  private var parser: RequestParser
  var rules: ConnectionRules
  private var exchangeCount: UInt32 = 0
  /// Whether the last request did not come from a device.
  private var isObserver = false
  private(set) var state = State.waiting
  /// The body of the current request. It is not part of `state`, which would be taken apart and rebuilt for every piece.
  var body = BodyBuffer()
  /// The framing that the request head declared.
  private(set) var bodyFraming = BodyFraming.none
  /// The commands in answers, until the client shows that it has read them.
  var carried: [CarriedAnswer] = []
  /// The count of consumed client bytes; `shownCount` includes those received but not yet consumed.
  private var takenCount: UInt64 = 0
  private(set) var shownCount: UInt64 = 0

  /// The number of message pieces that one call processes before other connections get their turn: a tenth of a millisecond,
  /// even when each piece is a chunk of one byte.
  private static let share = 2_048
  /// The cost of a request that is answered at once, in pieces.
  private static let requestCost = 128

  enum State {
    /// Waiting for the head of the next request.
    case waiting
    /// Reading the body.
    case reading(Exchange)
    /// Reading and discarding the body of a request that will be refused.
    case skipping(Exchange, Response)
    /// Discarding the rest of the body after the answer was written.
    case dropping
    /// Waiting for the store's writer.
    case awaitingResult(Exchange, Continuation)
    /// Waiting for a reader of the store or the journal.
    case awaitingAnswer(Exchange)
    /// A responder produces the answer, over more than one call.
    case responding(any Responder)
    /// The last answer has been written.
    case finished
  }

  package init(_ context: ServerContext, scratch: SessionScratch, address: SessionAddress, caller: ConnectedCaller) {
    self.context = context
    self.scratch = scratch
    self.address = address
    self.caller = caller
    parser = RequestParser(limits: context.limits)
    rules = ConnectionRules(limits: context.limits)
  }

  package func receive(_ input: Span<UInt8>, _ output: inout SessionOutput) -> Int {
    var noFault: ServerFault?
    return receive(input, applying: &noFault, &output)
  }

  /// Processes input. The next request that `plannedFault` applies to gets it, before any rule, and clears it. Only an
  /// in-process server passes one.
  func receive(_ input: Span<UInt8>, applying plannedFault: inout ServerFault?, _ output: inout SessionOutput) -> Int {
    var taken = 0
    var share = Self.share
    shownCount = takenCount + UInt64(input.count)
    // Even if all input is consumed, the end of a message may be due, and no further byte would trigger another call.
    while wishes.wantsInput && (taken == input.count || !output.isFull && share > 0) {
      let step: MessageStep
      do throws(HTTPError) {
        step = try parser.next(input.extracting(taken..<input.count), into: &scratch.head)
      } catch {
        refuse(error, &output)
        return input.count
      }
      switch step.event {
      case .needMoreInput: break
      case .head: headReceived(applying: &plannedFault, &output)
      case .body(let range):
        bodyReceived(input.extracting(taken + range.lowerBound..<taken + range.upperBound), &output)
      case .end:
        requestEnded(applying: &plannedFault, &output)
        share -= Self.requestCost
      }
      share -= 1
      taken += step.taken
      takenCount += UInt64(step.taken)
      if step.event == .needMoreInput { break }
    }
    output.hasUsedItsShare = share <= 0 && taken < input.count
    notePhase()
    return taken
  }

  package func inputEnded(_ output: inout SessionOutput) { rules.stop() }

  package func deliver(_ message: SessionMessage, _ output: inout SessionOutput) {
    switch message {
    case .completed(let result):
      let owed = takeState()
      guard case .awaitingResult(let exchange, let continuation) = owed else {
        state = owed
        return
      }
      context.undelivered.received(result, at: address)
      let acknowledged = result.acknowledging(withheld: exchange.withheld)
      perform(context.reply(continuation, acknowledged), exchange, &output)
    case .answered(let response):
      guard case .awaitingAnswer(let exchange) = state else { return }
      answer(exchange, response, bodyComplete: true, &output)
    case .readyAgain:
      guard case .awaitingAnswer(let exchange) = state else { return }
      var noFault: ServerFault?
      handle(exchange, applying: &noFault, &output)
    case .page, .pageFailed, .awaited, .searchEnded, .scanned, .journalReset, .eventsWaiting:
      if case .responding(let responder) = state { responder.delivered(message, self, &output) }
    }
    notePhase()
  }

  package func produce(_ output: inout SessionOutput) {
    if case .responding(let responder) = state { responder.produce(self, &output) }
  }

  package func alarmFired(_ output: inout SessionOutput) {
    wishes.alarm = nil
    if case .responding(let responder) = state { responder.alarmFired(self, &output) }
    notePhase()
  }

  package func timedOut(_ limit: TimeLimit, _ output: inout SessionOutput) {
    _ = takeBody()
    switch limit {
    // Another answer would be taken for that of the next request.
    case .body where isDropping, .bodyRate where isDropping: wishes.ending = .atOnce
    case .head, .body, .bodyRate:
      answerAndClose(begunRequest, .error(408, "timeout", "the request did not arrive in time"), &output)
    case .idle, .write, .linger: wishes.ending = .atOnce
    }
  }

  /// Closing an idle connection is left to the loop, which first checks for a request that was already sent.
  package func drain(_ output: inout SessionOutput) {
    rules.stop()
    if case .responding(let responder) = state { responder.drain(self, &output) }
  }

  package func closed(_ reason: CloseReason, now: MonotonicInstant) {
    _ = takeBody()
    switch state {
    case .awaitingResult(let exchange, let continuation):
      if let device = continuation.device { context.undelivered.abandoned(by: address, for: device) }
      note(exchange, .clientGone, now: now)
    case .responding(let responder):
      responder.closed(self)
      if let exchange = responder.unanswered { note(exchange, .clientGone, now: now) }
    case .waiting, .reading, .skipping, .dropping, .awaitingAnswer, .finished: break
    }
    settleCommands(reason)
    noteCaller(isObserver: false)
    state = .finished
  }

  private func noteCaller(isObserver: Bool) {
    guard isObserver != self.isObserver else { return }
    self.isObserver = isObserver
    context.metrics.observing(isObserver ? 1 : -1)
  }
}

extension IngestSession {
  private var isDropping: Bool { if case .dropping = state { true } else { false } }

  private func headReceived(applying plannedFault: inout ServerFault?, _ output: inout SessionOutput) {
    exchangeCount &+= 1
    if !carried.isEmpty { confirmCarried(at: takenCount) }
    rules.requestBegan(scratch.head)
    let reading = context.reader.read(scratch.head, now: output.now, from: caller)
    let exchange = reading.exchange
    context.live.sampleFigures(at: exchange.receivedAt.millisecondsSince1970)
    noteCaller(isObserver: exchange.route.deviceOperation == nil && exchange.unservedPath == nil)
    guard let refusal = reading.refusal else {
      if let fault = context.faults.fault(for: exchange, at: .head, &plannedFault) {
        return refuseBody(of: exchange, fault, &output)
      }
      if context.isOverloaded(for: exchange.route) { return refuseOverloaded(exchange, &output) }
      if scratch.head.expectsContinue { ResponseWriter.interimContinue(into: &output.bytes) }
      bodyFraming = scratch.head.framing
      state = .reading(exchange)
      return
    }
    // A short body that is on its way is read and discarded to keep the connection. A client that waits for 100 Continue, or
    // sends a long body, is answered now.
    if scratch.head.framing.isWorthReading && !scratch.head.expectsContinue {
      state = .skipping(exchange, refusal)
    } else {
      answer(exchange, refusal, bodyComplete: false, &output)
    }
  }

  /// Answers 503 as soon as the head has arrived. A short body is read and discarded after the answer to keep the connection;
  /// with a long one the connection is closed after the answer, and its loop drains the input for a bounded time, so that the
  /// client can read the answer (RFC 9112 §9.6).
  private func refuseOverloaded(_ exchange: Exchange, _ output: inout SessionOutput) {
    guard scratch.head.framing.isWorthReading, !scratch.head.expectsContinue else {
      return write(exchange, .overloaded, bodyComplete: false, &output)
    }
    let announcement = rules.announcement(for: exchange.version, bodyComplete: true)
    append(.overloaded, exchange.version, withoutContent: false, announcement, &output)
    note(exchange, .overloaded, now: output.now)
    state = .dropping
  }

  private func bodyReceived(_ bytes: Span<UInt8>, _ output: inout SessionOutput) {
    switch state {
    case .reading: if !keep(bytes) { refuseRestOfBody(&output) }
    // It is short and may name the device whose upload is refused.
    case .skipping(let exchange, _) where exchange.mayNameDevice: _ = keep(bytes)
    case .waiting, .skipping, .dropping, .awaitingResult, .awaitingAnswer, .responding, .finished: break
    }
  }

  private func requestEnded(applying plannedFault: inout ServerFault?, _ output: inout SessionOutput) {
    switch takeState() {
    case .skipping(let exchange, let refusal):
      if exchange.mayNameDevice {
        exchange.body = takeBody()
        context.uploads.noteName(in: exchange, scratch)
        // The body of an unserved path may contain anything, also tokens: it is not recorded.
        exchange.body = []
      }
      answer(exchange, refusal, bodyComplete: true, &output)
    case .reading(let exchange):
      exchange.body = takeBody()
      exchange.isBodyWhole = true
      handle(exchange, applying: &plannedFault, &output)
    case .dropping: proceed()
    case .waiting, .awaitingResult, .awaitingAnswer, .responding, .finished:
      preconditionFailure("a request ends once, after it has begun")
    }
  }

  /// Moves the state out before the next one is set: a copy would retain every reference in it.
  private func takeState() -> State {
    var taken = State.waiting
    swap(&taken, &state)
    return taken
  }

  private func handle(
    _ exchange: Exchange, applying plannedFault: inout ServerFault?, _ output: inout SessionOutput
  ) {
    let reply = exchange.route.handler(context, exchange, scratch)
    if case .again = reply { return perform(reply, exchange, &output) }
    if let device = reply.device {
      exchange.device = device
    } else if exchange.mayNameDevice {
      context.uploads.noteName(in: exchange, scratch)
    }
    exchange.fault = context.faults.fault(for: exchange, at: [.body, .answer], &plannedFault)
    if let fault = exchange.fault {
      applyBeforeStore(reply, exchange, fault, &output)
    } else {
      perform(reply, exchange, &output)
    }
  }

  private func refuse(_ error: HTTPError, _ output: inout SessionOutput) {
    _ = takeBody()
    var exchange = begunRequest
    if error.code == .bodyTooLarge, case .waiting = state {
      // The head is complete, so the caller and the route are known; only the length was refused.
      exchange = context.reader.read(scratch.head, now: output.now, from: caller).exchange
      exchange?.isBodyWhole = false
    }
    answerAndClose(exchange, .unreadable(error, bodyBytesMax: context.limits.bodyBytes), &output)
  }

  /// The request whose body is coming in, and that has no answer yet.
  private var begunRequest: Exchange? {
    switch state {
    case .reading(let exchange), .skipping(let exchange, _): exchange
    case .waiting, .dropping, .awaitingResult, .awaitingAnswer, .responding, .finished: nil
    }
  }

  /// Answers a message that is incomplete or not HTTP, then closes the connection. A known request is recorded like any other,
  /// because the phone will repeat it.
  private func answerAndClose(_ exchange: Exchange?, _ response: Response, _ output: inout SessionOutput) {
    rules.stop()
    append(response, .http11, withoutContent: false, .close, &output)
    context.metrics.refused(status: response.status)
    finish(.afterOutput)
    if let exchange { note(exchange, response, now: output.now) }
  }

  func answer(
    _ exchange: Exchange, _ response: Response, bodyComplete: Bool, _ output: inout SessionOutput
  ) {
    if let fault = exchange.fault, applyToAnswer(response, of: exchange, fault, &output) { return }
    write(exchange, response, bodyComplete: bodyComplete, &output)
  }

  /// Writes the answer without applying a fault.
  func write(
    _ exchange: Exchange, _ response: Response, bodyComplete: Bool, _ output: inout SessionOutput
  ) {
    if let commands = response.carried { carry(commands, output) }
    if response.isCut { return end(exchange, response.unsent, with: .reset, output.now) }
    let isWhole = response.rest == nil || exchange.method == .head
    // Content that is delimited by the end of the connection makes this the last answer.
    if case .connection = response.framing(for: exchange.version) { rules.stop() }
    let announcement = rules.announcement(for: exchange.version, bodyComplete: bodyComplete)
    append(response, exchange.version, withoutContent: exchange.method == .head, announcement, &output)
    note(exchange, response, now: output.now)
    if let rest = response.rest, !isWhole { PagedResponse.begin(rest, of: exchange, in: self) } else { proceed() }
  }

  /// Records a finished answer in the counters and views.
  func note(_ exchange: Exchange, _ response: Response, now: MonotonicInstant) {
    context.note(exchange, response, now: now)
  }

  /// Continues after an answer was written: reads the next request, or closes.
  func proceed() {
    switch rules.next {
    case .readNextRequest:
      parser.beginNextRequest()
      state = .waiting
      wishes.wantsInput = true
    case .closeAfterAnswer: finish(.afterOutput)
    }
  }

  /// Hands the following calls to a responder, for an answer that takes more than one.
  func respond(with responder: any Responder) { enter(.responding(responder)) }

  /// Waits for the writer's result, which the continuation turns into a reply.
  func expectResult(of exchange: Exchange, _ continuation: Continuation) {
    enter(.awaitingResult(exchange, continuation))
  }

  /// Waits for a reader to bring the answer.
  func expectAnswer(to exchange: Exchange) { enter(.awaitingAnswer(exchange)) }

  /// Stops writing and ends the connection.
  func finish(_ ending: SessionWishes.Ending) {
    enter(.finished)
    wishes.ending = ending
  }

  /// Enters a state that reads no input.
  private func enter(_ next: State) {
    state = next
    wishes.wantsInput = false
  }

  func append(
    _ response: Response, _ version: HTTPVersion, withoutContent: Bool,
    _ announcement: ConnectionRules.Announcement, _ output: inout SessionOutput
  ) {
    response.append(
      to: &output.bytes, date: scratch.date(context.backend.now), announcing: announcement,
      framing: response.framing(for: version), withoutContent: withoutContent)
  }

  /// Reports to the connection what the session is waiting for.
  private func notePhase() {
    wishes.phase =
      switch state {
      case .waiting: parser.isIdle ? .idle : .head(message: exchangeCount)
      case .reading, .skipping, .dropping: .body(message: exchangeCount)
      case .awaitingResult, .awaitingAnswer, .responding, .finished: .answering
      }
  }
}
