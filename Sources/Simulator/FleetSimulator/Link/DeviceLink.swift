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
  var idleConnection: LinkConnection?
  /// The number of connections so far.
  private var connectionsMade: UInt64 = 0
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
    if let outcome = outcomeOfFault(for: request, exchange, under: faults, in: run) {
      exchange.outcome = outcome
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
    travel(request, head, &exchange, at: instant, under: faults, in: run)
    return exchange
  }

  /// Returns the outcome of a request that a fault ends in front of the server.
  private func outcomeOfFault(
    for request: OutgoingRequest, _ exchange: LinkExchange, under faults: FaultTimeline, in run: RunContext
  ) -> RequestOutcome? {
    if let outcome = playedAnswer(to: request, exchange, under: faults, in: run) {
      run.played.count(request.purpose)
      return outcome
    }
    if isCarried(in: run), case .fails(let message)? = interception(under: faults, in: run) {
      return .failed(.tls, message: message)
    }
    return nil
  }

  /// Sends a request on its way to the server, over a connection that may first have to be made.
  private mutating func travel(
    _ request: OutgoingRequest, _ head: [UInt8], _ exchange: inout LinkExchange, at instant: MonotonicInstant,
    under faults: FaultTimeline, in run: RunContext
  ) {
    var (connection, isNew) = takeConnection(at: instant, in: run)
    run.tell(.connected(request: request.id, isNew: isNew), context(at: run.setup.moment(at: instant)))
    var connecting = Nanoseconds.zero
    if isNew {
      guard let span = connect(connection, &exchange, at: instant, under: faults, in: run) else { return }
      connecting = span
    }
    let weight = request.weight(headBytes: head.count)
    let way = transit(
      .up, of: weight, headBytes: head.count - request.traceBytes, through: connection, for: request.id, at: instant,
      under: faults, in: run)
    connection.sentBytes += weight
    exchange.connection = connection
    exchange.cut = way.cut?.failure
    exchange.pieces = WireBytes.pieces(head, request.body, upTo: way.cut?.bytes, way.pieces)
    exchange.advance(to: .arriving, after: way.span.map { $0 + connecting }, from: instant)
  }

  /// Returns the time that a new connection takes; nil when it fails, which ends the exchange.
  private mutating func connect(
    _ connection: LinkConnection, _ exchange: inout LinkExchange, at instant: MonotonicInstant,
    under faults: FaultTimeline, in run: RunContext
  ) -> Nanoseconds? {
    let connecting = transit(
      .connect, of: 0, through: connection, for: exchange.request, at: instant, under: faults, in: run)
    if let cut = connecting.cut {
      exchange.advance(to: .failing(cut.failure), after: connecting.span, from: instant)
      return nil
    }
    let span = connecting.span ?? .zero
    switch interception(under: faults, in: run) {
    case nil: return span
    case .takes(let time)?: return span + time
    case .fails(let message)?:
      // One flight in each direction (RFC 8446 §2); no byte has reached the server.
      connection.serverEnd?.close(.clientGone, at: run.setup.moment(at: instant))
      exchange.outcome = .failed(.tls, message: message)
      exchange.advance(to: .returning, after: connecting.span.map { $0 + $0 }, from: instant)
      return nil
    }
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
        if case .answered = outcome { giveBack(exchange.connection, at: now, in: run) }
        return end(exchange, outcome)
      case .failing, .left:
        let exchange = exchanges.remove(at: index)
        exchange.connection?.serverEnd?.close(.clientGone, at: run.setup.moment(at: now.monotonic))
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
    let (connection, serverEnd) = way(of: exchanges[index])
    let wall = run.setup.moment(at: now.monotonic)
    run.requestsInside += 1
    let fault = serverFault(of: exchanges[index], under: faults, in: run)
    exchanges[index].isDisregarded = fault.map { !$0.isAfterCommit } ?? false
    for piece in exchanges[index].pieces {
      exchanges[index].answer += serverEnd.receive(piece, at: wall, applying: fault)
    }
    exchanges[index].pieces = []
    if exchanges[index].purpose == .records && run.faults.crash(.betweenSendAndAnswer, among: faults) { return true }
    answer(index, connection, at: now, under: faults, in: run)
    return false
  }

  private mutating func way(of exchange: LinkExchange) -> (connection: LinkConnection, serverEnd: InProcessConnection) {
    guard let connection = exchange.connection, let serverEnd = connection.serverEnd else {
      preconditionFailure("within the run bytes travel on a connection to the server")
    }
    return (connection, serverEnd)
  }

  /// Handles a connection that breaks during the transfer.
  private mutating func arriveInPart(_ index: Int, _ cut: TransportFailure, at now: Moment, in run: RunContext) {
    let wall = run.setup.moment(at: now.monotonic)
    if let serverEnd = exchanges[index].connection?.serverEnd {
      for piece in exchanges[index].pieces { _ = serverEnd.receive(piece, at: wall) }
      serverEnd.close(.reset, at: wall)
    }
    exchanges[index].advance(to: .failing(cut), after: .zero, from: now.monotonic)
  }

  /// Continues the server's delayed answer.
  private mutating func work(_ index: Int, at now: Moment, under faults: FaultTimeline, in run: RunContext) {
    let (connection, serverEnd) = way(of: exchanges[index])
    exchanges[index].answer += serverEnd.resume(at: run.setup.moment(at: now.monotonic))
    answer(index, connection, at: now, under: faults, in: run)
  }

  private mutating func answer(
    _ index: Int, _ connection: LinkConnection, at now: Moment, under faults: FaultTimeline, in run: RunContext
  ) {
    if let alarm = connection.serverEnd?.alarm {
      return exchanges[index].advance(to: .working, after: alarm - now.monotonic, from: now.monotonic)
    }
    let exchange = exchanges[index]
    let isCommitted = !exchange.isDisregarded && WireBytes.isSuccess(exchange.answer)
    let bytes = exchange.answer.count
    run.tell(
      .served(request: exchange.request, isCommitted: isCommitted, answerBytes: bytes), context(at: now))
    returns(index, connection, bytes: bytes, at: now, under: faults, in: run)
  }

  /// Starts the return of an answer of `bytes`.
  mutating func returns(
    _ index: Int, _ connection: LinkConnection, bytes: Int, at now: Moment, under faults: FaultTimeline,
    in run: RunContext
  ) {
    let (request, purpose) = (exchanges[index].request, exchanges[index].purpose)
    let weight = purpose == .records ? bytes : OutgoingRequest.tokenAnswerBytes
    run.trace.note(.arrived, UInt64(weight), of: device, at: now.monotonic)
    exchanges[index].connection?.receivedBytes += weight
    let way = transit(.down, of: weight, through: connection, for: request, at: now.monotonic, under: faults, in: run)
    if let cut = way.cut {
      connection.serverEnd?.close(.reset, at: run.setup.moment(at: now.monotonic))
      exchanges[index].advance(to: .failing(cut.failure), after: way.span, from: now.monotonic)
    } else {
      exchanges[index].advance(to: .returning, after: way.span, from: now.monotonic)
    }
  }

  /// Returns the idle connection if it is still usable, or a new one.
  mutating func takeConnection(at instant: MonotonicInstant, in run: RunContext) -> (
    connection: LinkConnection, isNew: Bool
  ) {
    if let connection = idleConnection {
      idleConnection = nil
      let silence = instant - connection.idleSince
      let now = run.setup.moment(at: instant)
      let serverLimit = run.inside?.idleLimit ?? run.setup.keepAlive
      if silence < min(serverLimit, run.setup.keepAlive) { return (connection, false) }
      connection.serverEnd?.close(serverLimit <= run.setup.keepAlive ? .idleTimeout : .clientClosed, at: now)
    }
    connectionsMade += 1
    return (LinkConnection(number: connectionsMade - 1, serverEnd: run.inside?.connect()), true)
  }

  /// Returns a connection after a complete answer.
  mutating func giveBack(_ connection: LinkConnection?, at now: Moment, in run: RunContext) {
    guard var connection, connection.serverEnd?.isOpen ?? true else { return }
    precondition(
      !exchanges.contains { $0.connection?.number == connection.number }, "a connection carries one exchange at a time")
    connection.idleSince = now.monotonic
    idleConnection?.serverEnd?.close(.clientClosed, at: run.setup.moment(at: now.monotonic))
    idleConnection = connection
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

  /// Reports the connections of the requests outside the process, whose end will not be waited for.
  func tellCarried(at now: Moment, in run: RunContext) {
    guard let transport = run.transport else { return }
    for exchange in exchanges {
      guard case .carried = exchange.stage, let timings = transport.timings(of: exchange.request, of: device)
      else { continue }
      run.tell(.carried(request: exchange.request, timings, head: []), context(at: now))
    }
  }

  /// Drops everything under way, because the app has ended.
  mutating func drop(at instant: MonotonicInstant, in run: RunContext) {
    loseConnections(.clientGone, at: instant, in: run)
    exchanges.removeAll()
  }

  mutating func change(to network: RadioNetwork) { self.network = network }

  /// Closes all connections: they belong to an interface and end with it, wherever their bytes are.
  mutating func reset(at instant: MonotonicInstant, in run: RunContext) {
    loseConnections(.lost, at: instant, in: run)
    run.transport?.changeNetwork(of: device)
    tellCarried(at: run.setup.moment(at: instant), in: run)
    for index in exchanges.indices {
      if case .carried = exchanges[index].stage { run.transport?.cancel(exchanges[index].request, of: device) }
      exchanges[index].connection = nil
      exchanges[index].stage = .left
      exchanges[index].due = instant
    }
  }

  /// Closes the unused connection, which belongs to the network before. Requests under way go on, as on a phone that keeps
  /// its cellular network beside the Wi-Fi until they have ended.
  mutating func leaveUnusedConnection(at instant: MonotonicInstant, in run: RunContext) {
    idleConnection?.serverEnd?.close(.idleTimeout, at: run.setup.moment(at: instant))
    idleConnection = nil
    run.transport?.changeNetwork(of: device)
  }

  /// Switches to a network without faults for the end of the run, whatever the scenario calls Wi-Fi.
  mutating func heal() { isHealed = true }

  private mutating func loseConnections(_ reason: CloseReason, at instant: MonotonicInstant, in run: RunContext) {
    let now = run.setup.moment(at: instant)
    // A server detects a silent end only by its timeout.
    idleConnection?.serverEnd?.close(reason == .lost ? .idleTimeout : .clientClosed, at: now)
    idleConnection = nil
    for exchange in exchanges { exchange.connection?.serverEnd?.close(reason, at: now) }
  }
}

extension OutgoingRequest {
  /// Returns the bytes on the link. A token counts as a typical number of bytes, because its length depends on the
  /// number of other tokens.
  fileprivate func weight(headBytes: Int) -> Int {
    switch purpose {
    case .records, .log:
      var count = headBytes + body.count - traceBytes
      if let token = headers.first(where: { $0.isNamed(HeaderName.authorization) }) {
        count += OutgoingRequest.tokenBytes - token.value.utf8.count
      }
      if purpose == .log, let bytes = stateTokenBytes { count += OutgoingRequest.tokenBytes - bytes }
      return count
    case .refresh: return OutgoingRequest.tokenAnswerBytes
    }
  }

  /// The length of the token in the state that goes with a log; nil without one.
  private var stateTokenBytes: Int? {
    let (body, key) = (self.body, Array(#""accessToken":""#.utf8))
    guard let start = body.span.firstIndex(of: key.span) else { return nil }
    let token = body[(start + key.count)...]
    return token.firstIndex(of: UInt8(ascii: "\"")).map { $0 - token.startIndex }
  }

  fileprivate static let tokenBytes = 280
  fileprivate static let tokenAnswerBytes = 640
}
