import Base
import Contract
import HTTP1
import Network

/// A client's connection to a proxy: requests go in and on to the upstream, answers come back, in order and one exchange at a
/// time. It has no socket, thread or clock: a loop, or a test in its place, passes it the input of both sides.
///
/// The data held for either side is bounded: it stops reading from one while the other does not accept what is there.
final class ProxySession: ProxyEnd {
  enum RequestStage {
    case waiting
    case receiving
    /// Received completely, or not worth receiving.
    case complete
  }

  enum AnswerStage {
    /// Nothing was sent to the upstream, and nothing was answered.
    case none
    case awaited
    case passing
    /// Everything that the client gets has been received.
    case complete
  }

  let context: ProxyContext
  let scratch: ProxyScratch
  let pool: UpstreamPool
  private let token: ConnectionToken
  var parser: RequestParser
  var rules: ConnectionRules
  private var exchangeCount: UInt32 = 0

  var requestStage = RequestStage.waiting
  var answerStage = AnswerStage.none
  /// The exchange in progress.
  var current: ProxyExchange?
  var line: UpstreamLine?
  /// Output for the upstream; its line takes it when it can.
  var toUpstream: [UInt8] = []
  /// Output for the client, held back until `gate` if that is set.
  var toClient: [UInt8] = []
  /// Whether the rest of the body is not forwarded.
  var dropsBody = false
  /// A copy of the request, while it may be sent a second time.
  var again: [UInt8] = []
  var passage = AnswerPassage.whole
  /// Properties of the current answer.
  var answerForm = AnswerForm()
  /// The time until which nothing is sent to the client or on to the upstream.
  var gate: MonotonicInstant?
  /// Whether the client's connection is closed, and only the upstream's answer is awaited.
  private(set) var isDetached = false

  /// The number of message pieces that one call processes before other connections get their turn.
  private static let share = 2_048

  init(
    _ context: ProxyContext, scratch: ProxyScratch, pool: UpstreamPool, token: ConnectionToken
  ) {
    (self.context, self.scratch, self.pool, self.token) = (context, scratch, pool, token)
    parser = RequestParser(limits: context.limits)
    rules = ConnectionRules(limits: context.limits)
  }

  /// Whether there is room for input of the client.
  private var takesRequest: Bool {
    wishes.ending == .open && requestStage != .complete && toUpstream.count < Self.heldBytesMax
  }

  override func receive(_ input: Span<UInt8>, _ output: inout SessionOutput) -> Int {
    var taken = 0
    var share = Self.share
    // Even if all input is consumed, the end of a message may be due, and no further byte would trigger another call.
    while wishes.ending == .open, requestStage != .complete, taken == input.count || takesRequest && share > 0 {
      let step: MessageStep
      do throws(HTTPError) {
        step = try parser.next(input.extracting(taken..<input.count), into: &scratch.head)
      } catch {
        refuse(error, output.now)
        work(&output)
        return input.count
      }
      switch step.event {
      case .needMoreInput: break
      case .head: headReceived(output.now)
      case .body(let range):
        bodyReceived(input.extracting(taken + range.lowerBound..<taken + range.upperBound), output.now)
      case .end: requestEnded(output.now)
      }
      share -= 1
      taken += step.taken
      if step.event == .needMoreInput { break }
    }
    output.hasUsedItsShare = share <= 0 && taken < input.count
    if !toUpstream.isEmpty { line?.nudge() }
    work(&output)
    return taken
  }

  override func inputEnded(_ output: inout SessionOutput) {
    rules.stop()
    noteWishes()
  }

  override func produce(_ output: inout SessionOutput) { work(&output) }

  override func nudged(_ output: inout SessionOutput) { work(&output) }

  override func alarmFired(_ output: inout SessionOutput) {
    wishes.alarm = nil
    work(&output)
  }

  override func timedOut(_ limit: TimeLimit, _ output: inout SessionOutput) {
    switch limit {
    case .head, .body, .bodyRate:
      guard answerStage == .none || answerStage == .awaited else {
        wishes.ending = .atOnce
        return giveUp(output.now)
      }
      rules.stop()
      leaveUpstream()
      answer(.error(408, "timeout", "the request did not arrive in time"), output.now)
      work(&output)
    case .idle, .write, .linger: wishes.ending = .atOnce
    }
  }

  override func drain(_ output: inout SessionOutput) {
    rules.stop()
  }

  override func closed(_ reason: CloseReason, now: MonotonicInstant) {
    toClient = []
    guard let current else { return }
    current.isClientGone = !current.hasAnswerLeft
    if answerStage == .complete { return endExchange(now) }
    // A request that the upstream has completely is continued as on a network that has lost the client: its answer is worth
    // recording.
    if requestStage == .complete, line != nil, reason != .stopped {
      isDetached = true
      gate = nil
      passage = .nothing(then: .atOnce)
      line?.nudge()
    } else {
      giveUp(now)
    }
  }

  /// Ends the exchange without an answer.
  private func giveUp(_ now: MonotonicInstant) {
    leaveUpstream()
    toUpstream = []
    endExchange(now)
  }
}

extension ProxySession {
  private func headReceived(_ now: MonotonicInstant) {
    exchangeCount &+= 1
    rules.requestBegan(scratch.head)
    let current = context.begin(scratch, now: now)
    self.current = current
    requestStage = .receiving
    (dropsBody, passage, gate, again) = (false, .whole, nil, [])
    if let answer = context.ownAnswer(to: scratch.head) { return self.answer(answer, now) }
    if let fault = context.fault(for: current, at: .head) { return refuseBody(of: current, fault, now) }
    current.isHeld = context.holdsBody(of: current)
    if current.isHeld {
      if current.expectsContinue { ResponseWriter.interimContinue(into: &toClient) }
      context.appendHead(scratch.head, omitting: [.contentLength, .expect], into: &current.heldHead)
    } else {
      context.appendHead(scratch.head, omitting: [], into: &toUpstream)
      if current.framing == .chunked { HeadWriter.chunked(into: &toUpstream) }
      HeadWriter.end(into: &toUpstream)
      sendOn(now)
    }
  }

  /// Sends `toUpstream`, the beginning of a request, to the upstream.
  func sendOn(_ now: MonotonicInstant) {
    guard let current else { return }
    let method = current.exchange.method
    answerStage = .awaited
    current.passedAt = now
    let line = pool.take(for: self, to: method, now: now)
    self.line = line
    if line.isReused, current.framing == .none, method.isIdempotent { again = toUpstream }
    line.nudge()
  }

  private func bodyReceived(_ bytes: Span<UInt8>, _ now: MonotonicInstant) {
    guard let current else { return }
    // Records of a request that was already answered were sent as well, and the ledger counts them.
    let isKept = context.keep(bytes, of: current)
    guard !dropsBody else { return }
    if !current.isHeld { return appendBody(bytes, of: current) }
    guard !isKept else { return }
    // There is no room to hold it: faults that need the complete request are skipped, and the rest is streamed.
    release(current, nil, now)
    appendBody(bytes, of: current)
  }

  private func appendBody(_ bytes: Span<UInt8>, of current: ProxyExchange) {
    if current.framing == .chunked {
      ChunkWriter.chunk(bytes, into: &toUpstream)
    } else {
      toUpstream.append(copying: bytes)
    }
  }

  /// Forwards a held request with the received part of its body, or with what a fault leaves of it.
  func release(_ current: ProxyExchange, _ body: [UInt8]? = nil, _ now: MonotonicInstant) {
    current.isHeld = false
    current.heldHead.move(to: &toUpstream)
    let bytes = body ?? current.body.bytes
    switch current.framing {
    case .none, .untilClose: break
    case .length(let length):
      HeadWriter.contentLength(requestStage == .complete ? bytes.count : length, into: &toUpstream)
    case .chunked: HeadWriter.chunked(into: &toUpstream)
    }
    HeadWriter.end(into: &toUpstream)
    appendBody(bytes.span, of: current)
    if requestStage == .complete, current.framing == .chunked { ChunkWriter.end(into: &toUpstream) }
    sendOn(now)
  }

  private func requestEnded(_ now: MonotonicInstant) {
    requestStage = .complete
    guard let current else { return }
    current.exchange.isBodyWhole = current.body.isWhole
    guard answerStage != .complete else { return }
    let isHeld = current.isHeld
    // Data that was sent to the upstream cannot be taken back.
    let fault = context.fault(for: current, at: isHeld ? [.body, .answer] : .answer)
    if isHeld { return requestIsHere(current, fault, now) }
    if current.framing == .chunked { ChunkWriter.end(into: &toUpstream) }
    current.answerFault = fault
  }

  /// Called when the input is not HTTP, or exceeds a limit. The part already sent to the upstream is never completed there.
  private func refuse(_ error: HTTPError, _ now: MonotonicInstant) {
    rules.stop()
    leaveUpstream()
    toUpstream = []
    context.server.metrics.refused(status: error.status)
    guard answerStage != .passing, answerStage != .complete else {
      wishes.ending = .atOnce
      return endExchange(now)
    }
    answer(.unreadable(error), now)
  }

  /// This exchange needs nothing more from the upstream.
  func leaveUpstream() {
    line?.abandon()
    line = nil
  }

  /// Answers in the upstream's place.
  func answer(_ response: Response, _ now: MonotonicInstant) {
    let version = current?.exchange.version ?? .http11
    let announcement = rules.announcement(for: version, bodyComplete: dropRest())
    response.append(
      to: &toClient, date: context.date(scratch), announcing: announcement, framing: .length,
      withoutContent: current?.exchange.method == .head)
    current?.ownAnswer = response
    answerStage = .complete
  }

  /// The answer may come before the request is complete. A short rest that is on its way is read and not forwarded, because the
  /// ledger needs its records and the connection is worth keeping; a longer one is not awaited. Returns false for the latter.
  @discardableResult func dropRest() -> Bool {
    dropsBody = true
    guard requestStage != .complete else { return true }
    guard let current, current.framing.isWorthReading, !current.expectsContinue else {
      requestStage = .complete
      return false
    }
    return true
  }

  /// Ends and records the exchange.
  func endExchange(_ now: MonotonicInstant) {
    guard let current else { return }
    self.current = nil
    context.note(current, scratch, now: now)
  }
}

/// Sends output to the client.
extension ProxySession {
  /// Called when the line has taken the output for the upstream.
  func upstreamHasRoom() { if requestStage == .receiving { nudgeClient() } }

  func nudgeClient() { if !isDetached { pool.peers.nudge(token) } }

  private func work(_ output: inout SessionOutput) {
    if let gate, gate <= output.now { openGate(output.now) }
    let wasFull = toClient.count >= Self.heldBytesMax
    let hasRoom = output.unsentBefore <= Self.heldBytesMax
    if gate == nil, !toClient.isEmpty, hasRoom { moveToClient(&output) }
    if wasFull, toClient.count < Self.heldBytesMax { line?.nudge() }
    if answerStage == .complete, toClient.isEmpty, wishes.ending == .open {
      answerLeft(output)
    }
    noteWishes()
  }

  private func moveToClient(_ output: inout SessionOutput) {
    guard case .paced(let piece, let pause) = passage, toClient.count > piece || answerStage != .complete else {
      return toClient.move(to: &output.bytes)
    }
    let count = min(piece, toClient.count)
    output.bytes += toClient[..<count]
    toClient.removeFirst(count)
    gate = output.now + pause
  }

  /// Called when the client has got its answer: continues with the rest of its request, the next one, or the end.
  private func answerLeft(_ output: borrowing SessionOutput) {
    if let current, !current.hasAnswerLeft {
      current.hasAnswerLeft = true
      // A client that has ended its output before the answer arrived may have given up.
      if output.hasClientEnded { current.deliveredStatus = 0 }
    }
    if let ending = passage.ending {
      endExchange(output.now)
      return wishes.ending = ending
    }
    guard requestStage == .complete else { return }
    endExchange(output.now)
    leaveUpstream()
    switch rules.next {
    case .readNextRequest:
      requestStage = .waiting
      answerStage = .none
      parser.beginNextRequest()
    case .closeAfterAnswer: wishes.ending = .afterOutput
    }
  }

  func noteWishes() {
    wishes.wantsInput = takesRequest
    wishes.hasMoreOutput = gate == nil && !toClient.isEmpty
    wishes.alarm = gate
    wishes.phase =
      switch requestStage {
      case .waiting: parser.isIdle ? .idle : .head(message: exchangeCount)
      // While the upstream accepts nothing, the client is not responsible for the delay.
      case .receiving: takesRequest && answerStage != .passing ? .body(message: exchangeCount) : .answering
      case .complete: .answering
      }
  }
}

extension HTTPMethod {
  /// RFC 9110 §9.2.2: a proxy may send such a request again.
  fileprivate var isIdempotent: Bool {
    switch self {
    case .get, .head, .put, .delete, .options, .trace: true
    case .post, .patch, .connect, .other: false
    }
  }
}
