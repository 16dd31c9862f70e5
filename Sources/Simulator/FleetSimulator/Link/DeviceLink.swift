import Base
import Contract
import CurlTransport
import HTTP1
import Host
import IngestServer
import Network
import Oracle
import Queue
import Scenario
import Upload
import Vocabulary
import World

/// The network between one device's app and its server: bytes take time, or never arrive.
struct DeviceLink {
  let device: Int
  let key: UInt64
  private(set) var network = RadioNetwork.none
  var exchanges: [LinkExchange] = []
  var idleLine: LinkConnection?
  /// The number of connections so far.
  private var lines: UInt64 = 0
  var stream: RandomStream
  private(set) var isHealed = false
  /// Tokens that a fault has invalidated in front of a server that cannot inject faults.
  var withdrawnTokens: WithdrawnTokens?

  init(of device: Int, key: UInt64, seed: UInt64) {
    (self.device, self.key) = (device, key)
    stream = RandomStream(seed: seed, device: key, concern: RandomStreamID.link.rawValue)
  }

  /// The events for the app.
  enum Event {
    case ended(LinkExchange, RequestOutcome)
    /// A fault makes the app crash while a request is at the server.
    case crash
  }

  /// The time of the next event of this link.
  var next: MonotonicInstant? {
    exchanges.reduce(nil) { $1.due == .never ? $0 : earlier($0, $1.due) }
  }

  /// Returns the context of an event for watchers.
  func context(at now: Moment) -> EventContext { EventContext(device: device, now: now, network: network) }

  mutating func send(_ request: OutgoingRequest, at now: Moment, under faults: FaultTimeline, in run: RunContext) {
    precondition(!exchanges.contains { $0.request == request.id }, "an answer is found by the id of its request")
    let request = run.traced.map { request.traced(isSampled: $0[device]) } ?? request
    // Bodies count only for uploads of records to the in-process server: tokens are random and independent of the seed, and
    // runs in real time do not repeat.
    var hash = TraceHash()
    let body = request.body
    if request.purpose == .records && run.transport == nil { hash.fold(body.span) }
    run.trace.note(.sent, hash.low, of: device, at: now.monotonic)
    run.tell(.sent(request), context(at: now))
    exchanges.append(exchange(for: request, at: now.monotonic, under: faults, in: run))
  }

  private mutating func exchange(
    for request: OutgoingRequest, at instant: MonotonicInstant, under faults: FaultTimeline, in run: RunContext
  ) -> LinkExchange {
    var exchange = LinkExchange(
      request: request.id, purpose: request.purpose, bodyBytes: request.body.count, deadline: instant + request.timeout,
      stage: .failing(.unreachable), due: instant)
    guard run.setup.radio.kind(of: network) != .none else { return exchange }
    if let outcome = playedAnswer(to: request, exchange, under: faults, in: run) {
      run.played.count(request.purpose)
      exchange.outcome = outcome
      exchange.advance(to: .returning, after: .milliseconds(20), from: instant)
      return exchange
    }
    if isCarried(in: run), case .fails(let message)? = interception(under: faults, in: run) {
      exchange.outcome = .failed(.tls, message: message)
      exchange.advance(to: .returning, after: .milliseconds(20), from: instant)
      return exchange
    }
    if let transport = run.transport {
      transport.send(request, of: device)
      (exchange.stage, exchange.due) = (.carried, .never)
      return exchange
    }
    guard let head = WireBytes.head(of: request) else {
      exchange.stage = .failing(.invalidURL)
      return exchange
    }
    if let lockstep = run.lockstep {
      exchange.outside = request
      if lockstep.latency == .measured {
        exchange.advance(to: .arriving, after: .zero, from: instant)
        return exchange
      }
    }
    var (line, isNew) = takeLine(at: instant, in: run)
    run.tell(.connected(request: request.id, isNew: isNew), context(at: run.setup.moment(at: instant)))
    var span = Nanoseconds.zero
    if isNew {
      let connecting = transit(.connect, of: 0, through: line, for: request.id, at: instant, under: faults, in: run)
      if let cut = connecting.cut {
        exchange.advance(to: .failing(cut.failure), after: connecting.span, from: instant)
        return exchange
      }
      span = connecting.span ?? .zero
      switch interception(under: faults, in: run) {
      case nil: break
      case .takes(let time)?: span = span + time
      case .fails(let message)?:
        // One flight in each direction (RFC 8446 §2); no byte has reached the server.
        line.serverEnd?.close(.clientGone, at: run.setup.moment(at: instant))
        exchange.outcome = .failed(.tls, message: message)
        exchange.advance(to: .returning, after: connecting.span.map { $0 + $0 }, from: instant)
        return exchange
      }
    }
    let weight = request.weight(headBytes: head.count)
    let way = transit(
      .up, of: weight, headBytes: head.count - request.traceBytes, through: line, for: request.id, at: instant,
      under: faults, in: run)
    line.sentBytes += weight
    exchange.line = line
    exchange.cut = way.cut?.failure
    exchange.pieces = WireBytes.pieces(head, request.body, upTo: way.cut?.bytes, way.pieces)
    exchange.advance(to: .arriving, after: way.span.map { $0 + span }, from: instant)
    return exchange
  }

  /// Returns the next event that is due; nil when there is none.
  mutating func advance(to now: Moment, under faults: FaultTimeline, in run: RunContext) -> Event? {
    while let index = exchanges.firstIndex(where: { $0.due <= now.monotonic }) {
      switch exchanges[index].stage {
      case .arriving:
        if arrive(index, at: now, under: faults, in: run) { return .crash }
      case .working: work(index, at: now, under: faults, in: run)
      case .carried: preconditionFailure("what is carried has no time to be due")
      case .returning:
        let exchange = exchanges.remove(at: index)
        let outcome = exchange.outcome ?? WireBytes.outcome(of: exchange.answer, into: &run.head)
        if case .answered = outcome { giveBack(exchange.line, at: now, in: run) }
        return end(exchange, outcome)
      case .failing, .left:
        let exchange = exchanges.remove(at: index)
        exchange.line?.serverEnd?.close(.clientGone, at: run.setup.moment(at: now.monotonic))
        guard let failure = exchange.stage.failure else { preconditionFailure("a stage that fails says how") }
        return end(exchange, failure)
      }
    }
    return nil
  }

  /// Handles the arrival of a request, or of its part that arrives. Returns true when the app crashes then.
  private mutating func arrive(
    _ index: Int, at now: Moment, under faults: FaultTimeline, in run: RunContext
  ) -> Bool {
    if let cut = exchanges[index].cut {
      arriveInPart(index, cut, at: now, in: run)
      return false
    }
    if let lockstep = run.lockstep { return arriveOutside(index, lockstep, at: now, under: faults, in: run) }
    let (line, serverEnd) = way(of: exchanges[index])
    let wall = run.setup.moment(at: now.monotonic)
    run.requestsInside += 1
    let fault = serverFault(of: exchanges[index], under: faults, in: run)
    exchanges[index].isDisregarded = fault.map { !$0.isAfterCommit } ?? false
    for piece in exchanges[index].pieces {
      exchanges[index].answer += serverEnd.receive(piece, at: wall, meeting: fault)
    }
    exchanges[index].pieces = []
    if exchanges[index].purpose == .records && run.faults.crash(.betweenSendAndAnswer, among: faults) { return true }
    answer(index, line, at: now, under: faults, in: run)
    return false
  }

  private mutating func way(of exchange: LinkExchange) -> (line: LinkConnection, serverEnd: InProcessConnection) {
    guard let line = exchange.line, let serverEnd = line.serverEnd else {
      preconditionFailure("within the run bytes travel on a line to the server")
    }
    return (line, serverEnd)
  }

  /// Handles a connection that breaks during the transfer.
  private mutating func arriveInPart(_ index: Int, _ cut: TransportFailure, at now: Moment, in run: RunContext) {
    let wall = run.setup.moment(at: now.monotonic)
    if let serverEnd = exchanges[index].line?.serverEnd {
      for piece in exchanges[index].pieces { _ = serverEnd.receive(piece, at: wall) }
      serverEnd.close(.reset, at: wall)
    }
    exchanges[index].advance(to: .failing(cut), after: .zero, from: now.monotonic)
  }

  /// Continues the server's delayed answer.
  private mutating func work(_ index: Int, at now: Moment, under faults: FaultTimeline, in run: RunContext) {
    let (line, serverEnd) = way(of: exchanges[index])
    exchanges[index].answer += serverEnd.goOn(at: run.setup.moment(at: now.monotonic))
    answer(index, line, at: now, under: faults, in: run)
  }

  private mutating func answer(
    _ index: Int, _ line: LinkConnection, at now: Moment, under faults: FaultTimeline, in run: RunContext
  ) {
    if let alarm = line.serverEnd?.alarm {
      return exchanges[index].advance(to: .working, after: alarm - now.monotonic, from: now.monotonic)
    }
    let exchange = exchanges[index]
    let isCommitted = !exchange.isDisregarded && WireBytes.isSuccess(exchange.answer)
    let bytes = exchange.answer.count
    run.tell(
      .served(request: exchange.request, isCommitted: isCommitted, answerBytes: bytes), context(at: now))
    returns(index, line, bytes: bytes, at: now, under: faults, in: run)
  }

  /// Starts the return of an answer of `bytes`.
  mutating func returns(
    _ index: Int, _ line: LinkConnection, bytes: Int, at now: Moment, under faults: FaultTimeline, in run: RunContext
  ) {
    let (request, purpose) = (exchanges[index].request, exchanges[index].purpose)
    let weight = purpose == .records ? bytes : OutgoingRequest.tokenAnswerBytes
    run.trace.note(.arrived, UInt64(weight), of: device, at: now.monotonic)
    exchanges[index].line?.receivedBytes += weight
    let way = transit(.down, of: weight, through: line, for: request, at: now.monotonic, under: faults, in: run)
    if let cut = way.cut {
      line.serverEnd?.close(.reset, at: run.setup.moment(at: now.monotonic))
      exchanges[index].advance(to: .failing(cut.failure), after: way.span, from: now.monotonic)
    } else {
      exchanges[index].advance(to: .returning, after: way.span, from: now.monotonic)
    }
  }

  /// Returns the idle connection if it is still usable, or a new one.
  mutating func takeLine(at instant: MonotonicInstant, in run: RunContext) -> (line: LinkConnection, isNew: Bool) {
    if let line = idleLine {
      idleLine = nil
      let silence = instant - line.idleSince
      let now = run.setup.moment(at: instant)
      let serverLimit = run.inside?.idleLimit ?? run.setup.keepAlive
      if silence < min(serverLimit, run.setup.keepAlive) { return (line, false) }
      line.serverEnd?.close(serverLimit <= run.setup.keepAlive ? .idleTimeout : .clientClosed, at: now)
    }
    lines += 1
    return (LinkConnection(number: lines - 1, serverEnd: run.inside?.connect()), true)
  }

  /// Returns a connection after a complete answer.
  mutating func giveBack(_ line: LinkConnection?, at now: Moment, in run: RunContext) {
    guard var line, line.serverEnd?.isOpen ?? true else { return }
    precondition(!exchanges.contains { $0.line?.number == line.number }, "a connection carries one exchange at a time")
    line.idleSince = now.monotonic
    idleLine?.serverEnd?.close(.clientClosed, at: run.setup.moment(at: now.monotonic))
    idleLine = line
  }

  /// Takes a real server's answer or failure; nil when it is no longer waited for, because the app or the network that sent
  /// the request is gone.
  mutating func take(_ landed: TransportCompletion, under faults: FaultTimeline, in run: RunContext) -> Event? {
    guard let index = exchanges.firstIndex(where: { $0.request == landed.id }) else { return nil }
    if exchanges[index].purpose == .records && run.faults.crash(.betweenSendAndAnswer, among: faults) { return .crash }
    return end(exchanges.remove(at: index), landed.outcome)
  }

  private mutating func end(_ exchange: LinkExchange, _ outcome: RequestOutcome) -> Event {
    if exchange.request > AppRequest.first || exchange.purpose == .refresh, (200..<300).contains(outcome.status) {
      // The server has issued new ones, possibly with the same text.
      withdrawnTokens = nil
    }
    return .ended(exchange, outcome)
  }

  /// Drops everything under way, because the app has ended.
  mutating func drop(at instant: MonotonicInstant, in run: RunContext) {
    loseLines(.clientGone, at: instant, in: run)
    exchanges.removeAll()
  }

  mutating func change(to network: RadioNetwork) { self.network = network }

  /// Closes all connections: they belong to an interface and end with it, wherever their bytes are.
  mutating func reset(at instant: MonotonicInstant, in run: RunContext) {
    loseLines(.lost, at: instant, in: run)
    run.transport?.changeNetwork(of: device)
    for index in exchanges.indices {
      if case .carried = exchanges[index].stage { run.transport?.cancel(exchanges[index].request, of: device) }
      exchanges[index].line = nil
      exchanges[index].stage = .left
      exchanges[index].due = instant
    }
  }

  /// Switches to a network without faults for the end of the run, whatever the scenario calls Wi-Fi.
  mutating func heal() { isHealed = true }

  private mutating func loseLines(_ reason: CloseReason, at instant: MonotonicInstant, in run: RunContext) {
    let now = run.setup.moment(at: instant)
    // A server detects a silent end only by its timeout.
    idleLine?.serverEnd?.close(reason == .lost ? .idleTimeout : .clientClosed, at: now)
    idleLine = nil
    for exchange in exchanges { exchange.line?.serverEnd?.close(reason, at: now) }
  }
}

extension OutgoingRequest {
  /// Returns the bytes on the link. A token counts as a typical number of bytes, because its length depends on the
  /// number of other tokens.
  fileprivate func weight(headBytes: Int) -> Int {
    switch purpose {
    case .records, .log:
      let count = headBytes + body.count - traceBytes
      guard let token = headers.first(where: { $0.isNamed(HeaderName.authorization) }) else { return count }
      return count - token.value.utf8.count + OutgoingRequest.tokenBytes
    case .refresh: return OutgoingRequest.tokenAnswerBytes
    }
  }

  fileprivate static let tokenBytes = 280
  fileprivate static let tokenAnswerBytes = 640
}
