import Base
import Contract
import CurlTransport
import HTTP1
import Host
import IngestServer
import Network
import Queue
import Scenario
import Upload
import Vocabulary
import World

/// Between the app and the server: bytes that take their time, or never arrive.
extension SimulatedDevice {
  /// Puts the requests that the app has made on their way.
  mutating func post(at now: Moment, in site: Site) {
    guard !site.requests.isEmpty else { return }
    var requests: [OutgoingRequest] = []
    swap(&requests, &site.requests)
    for request in requests { send(request, at: now, in: site) }
  }

  mutating func send(_ request: OutgoingRequest, at now: Moment, in site: Site) {
    // Tokens are made of chance that is none of the run's; and no run by the machine's clock goes like another one.
    var hash = TraceHash()
    let body = request.body
    if request.purpose == .records && site.carrier == nil { hash.fold(body.span) }
    site.trace.note(.sent, hash.low, of: number, at: now.monotonic)
    site.tell(.sent(request), sighting(at: now))
    exchanges.append(exchange(for: request, at: now.monotonic, in: site))
  }

  private mutating func exchange(
    for request: OutgoingRequest, at instant: MonotonicInstant, in site: Site
  ) -> LinkExchange {
    var exchange = LinkExchange(
      request: request.id, purpose: request.purpose, bodyBytes: request.body.count, deadline: instant + request.timeout,
      stage: .failing(.unreachable), due: instant)
    guard site.setup.radio.kind(of: network) != .none else { return exchange }
    if let outcome = playedAnswer(to: request, exchange, in: site) {
      site.played.count(request.purpose)
      exchange.outcome = outcome
      exchange.advance(to: .returning, after: .milliseconds(20), from: instant)
      return exchange
    }
    if let carrier = site.carrier {
      carrier.send(request, of: number)
      (exchange.stage, exchange.due) = (.carried, .never)
      return exchange
    }
    guard let bytes = WireBytes.bytes(of: request) else {
      exchange.stage = .failing(.invalidURL)
      return exchange
    }
    if let lockstep = site.lockstep {
      exchange.outside = request
      if lockstep.latency == .measured {
        exchange.advance(to: .arriving, after: .zero, from: instant)
        return exchange
      }
    }
    var (line, isNew) = takeLine(at: instant, in: site)
    site.tell(.connected(request: request.id, isNew: isNew), sighting(at: site.setup.moment(at: instant)))
    var span = Nanoseconds.zero
    if isNew {
      let connecting = passage(.connect, of: 0, through: line, for: request.id, at: instant, in: site)
      if let cut = connecting.cut {
        exchange.advance(to: .failing(cut.failure), after: connecting.span, from: instant)
        return exchange
      }
      span = connecting.span ?? .zero
    }
    let weight = request.weight(of: bytes)
    let way = passage(
      .up, of: weight, headBytes: bytes.count - request.body.count, through: line, for: request.id, at: instant,
      in: site)
    line.sentBytes += weight
    exchange.line = line
    exchange.cut = way.cut?.failure
    exchange.pieces = bytes.prefix(way.cut?.bytes ?? bytes.count).cut(into: way.pieces)
    exchange.advance(to: .arriving, after: way.span.map { $0 + span }, from: instant)
    return exchange
  }

  /// What has arrived by now: at the server, then at the device.
  mutating func carry(at now: Moment, in site: Site) {
    while let index = exchanges.firstIndex(where: { $0.due <= now.monotonic }) {
      switch exchanges[index].stage {
      case .arriving: arrive(index, at: now, in: site)
      case .working: work(index, at: now, in: site)
      case .carried: preconditionFailure("what is carried has no time to be due")
      case .returning:
        let exchange = exchanges.remove(at: index)
        let outcome = exchange.outcome ?? WireBytes.outcome(of: exchange.answer, into: &site.head)
        if case .answered = outcome { giveBack(exchange.line, at: now, in: site) }
        take(outcome, of: exchange, at: now, in: site)
      case .failing(let failure):
        let exchange = exchanges.remove(at: index)
        exchange.line?.serverEnd?.close(.clientGone, at: site.setup.moment(at: now.monotonic))
        take(.failed(failure, message: failure.rawValue), of: exchange, at: now, in: site)
      }
    }
  }

  /// The request is at the server, or what of it gets there.
  private mutating func arrive(_ index: Int, at now: Moment, in site: Site) {
    if let cut = exchanges[index].cut { return arriveInPart(index, cut, at: now, in: site) }
    if let lockstep = site.lockstep { return arriveOutside(index, lockstep, at: now, in: site) }
    let (line, serverEnd) = way(of: exchanges[index])
    let wall = site.setup.moment(at: now.monotonic)
    site.requestsInside += 1
    let spoilage = spoilage(of: exchanges[index], in: site)
    if spoilage != nil { site.server.spoilNext(spoilage) }
    for piece in exchanges[index].pieces { exchanges[index].answer += serverEnd.receive(piece, at: wall) }
    if spoilage != nil { site.server.spoilNext(nil) }
    exchanges[index].pieces = []
    if exchanges[index].purpose == .records && crashes(.betweenSendAndAnswer, in: site) {
      return crash(at: now.monotonic, in: site)
    }
    answer(index, line, at: now, in: site)
  }

  private mutating func way(of exchange: LinkExchange) -> (line: LinkConnection, serverEnd: InProcessConnection) {
    guard let line = exchange.line, let serverEnd = line.serverEnd else {
      preconditionFailure("within the run bytes travel on a line to the server")
    }
    return (line, serverEnd)
  }

  /// The connection breaks on the way.
  private mutating func arriveInPart(_ index: Int, _ cut: TransportFailure, at now: Moment, in site: Site) {
    let wall = site.setup.moment(at: now.monotonic)
    if let serverEnd = exchanges[index].line?.serverEnd {
      for piece in exchanges[index].pieces { _ = serverEnd.receive(piece, at: wall) }
      serverEnd.close(.reset, at: wall)
    }
    exchanges[index].advance(to: .failing(cut), after: .zero, from: now.monotonic)
  }

  /// The server goes on with what it has held back.
  private mutating func work(_ index: Int, at now: Moment, in site: Site) {
    let (line, serverEnd) = way(of: exchanges[index])
    exchanges[index].answer += serverEnd.goOn(at: site.setup.moment(at: now.monotonic))
    answer(index, line, at: now, in: site)
  }

  private mutating func answer(_ index: Int, _ line: LinkConnection, at now: Moment, in site: Site) {
    if let alarm = line.serverEnd?.alarm {
      return exchanges[index].advance(to: .working, after: alarm - now.monotonic, from: now.monotonic)
    }
    let bytes = exchanges[index].answer.count
    site.tell(.served(request: exchanges[index].request, answerBytes: bytes), sighting(at: now))
    returns(index, line, bytes: bytes, at: now, in: site)
  }

  /// An answer of so many bytes sets out for the device.
  mutating func returns(_ index: Int, _ line: LinkConnection, bytes: Int, at now: Moment, in site: Site) {
    let (request, purpose) = (exchanges[index].request, exchanges[index].purpose)
    let weight = purpose == .records ? bytes : OutgoingRequest.tokenAnswerBytes
    site.trace.note(.arrived, UInt64(weight), of: number, at: now.monotonic)
    exchanges[index].line?.receivedBytes += weight
    let way = passage(.down, of: weight, through: line, for: request, at: now.monotonic, in: site)
    if let cut = way.cut {
      line.serverEnd?.close(.reset, at: site.setup.moment(at: now.monotonic))
      exchanges[index].advance(to: .failing(cut.failure), after: way.span, from: now.monotonic)
    } else {
      exchanges[index].advance(to: .returning, after: way.span, from: now.monotonic)
    }
  }

  /// The carrier has brought the end of a request; gives what `next` would give then. It is no longer waited for when the
  /// app or the network that sent it is gone.
  mutating func receive(
    _ landed: TransportCompletion, at instant: MonotonicInstant, in site: Site
  ) -> MonotonicInstant? {
    if let index = exchanges.firstIndex(where: { $0.request == landed.id }) {
      if exchanges[index].purpose == .records && crashes(.betweenSendAndAnswer, in: site) {
        crash(at: instant, in: site)
      } else {
        let exchange = exchanges.remove(at: index)
        let now = moment(at: instant, in: site)
        site.tell(.carried(request: landed.id, landed.timings, head: landed.head), sighting(at: now))
        take(landed.outcome, of: exchange, at: now, in: site)
      }
      finish(at: instant, in: site)
    }
    return next(after: instant)
  }

  mutating func take(_ outcome: RequestOutcome, of exchange: LinkExchange, at now: Moment, in site: Site) {
    let isAnswer = outcome.status != 0
    site.trace.note(isAnswer ? .answered : .failed, UInt64(outcome.status), of: number, at: now.monotonic)
    site.tell(.ended(request: exchange.request, outcome), sighting(at: now))
    if withdrawnTokens != nil, exchange.request > Account.firstRequest || exchange.purpose == .refresh,
      (200..<300).contains(outcome.status)
    {
      // The server has given new ones, whatever they are called.
      withdrawnTokens = nil
    }
    if exchange.request > Account.firstRequest { return registered(outcome, at: now, in: site) }
    host.answer(exchange.request, outcome, at: now)
    heed(at: now, in: site)
    dieIfDead(at: now.monotonic, in: site)
    settle(at: now, in: site)
    post(at: now, in: site)
  }
}

extension OutgoingRequest {
  /// Bytes on the link. A token counts for as many as tokens usually have: its length says how many others there are.
  fileprivate func weight(of bytes: [UInt8]) -> Int {
    switch purpose {
    case .records, .log:
      guard let token = headers.first(where: { $0.isNamed(HeaderName.authorization) }) else { return bytes.count }
      return bytes.count - token.value.utf8.count + OutgoingRequest.tokenBytes
    case .refresh: return OutgoingRequest.tokenAnswerBytes
    }
  }

  fileprivate static let tokenBytes = 280
  fileprivate static let tokenAnswerBytes = 640
}

extension ArraySlice<UInt8> {
  /// In pieces of these sizes; what is left comes last.
  fileprivate func cut(into sizes: [Int]) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var rest = self
    for size in sizes where !rest.isEmpty {
      pieces.append(rest.prefix(size))
      rest = rest.dropFirst(size)
    }
    if !rest.isEmpty { pieces.append(rest) }
    return pieces
  }
}

/// A request on its way through the modelled link, and then its answer.
struct LinkExchange {
  enum Stage {
    /// The request is on its way to the server, or the part of it that gets there.
    case arriving
    /// The server holds its answer back.
    case working
    /// The answer is on its way back.
    case returning
    /// Outside the process, until the carrier brings its end.
    case carried
    /// The device will notice that nothing comes.
    case failing(TransportFailure)
  }

  let request: UInt64
  let purpose: OutgoingRequest.Purpose
  /// How many of the last bytes of the pieces are its body.
  let bodyBytes: Int
  let deadline: MonotonicInstant
  var line: LinkConnection?
  var stage: Stage
  var due: MonotonicInstant
  /// What is on its way to the server, in the pieces in which it comes there.
  var pieces: [ArraySlice<UInt8>] = []
  /// How the connection ends when they are there; nil: it does not.
  var cut: TransportFailure?
  /// What the server has said so far.
  var answer: [UInt8] = []
  /// What goes to a server outside once it has arrived, and how that ended.
  var outside: OutgoingRequest?
  var outcome: RequestOutcome?

  /// For faults that look at it; of a request that gets through as a whole.
  var body: [UInt8] { Array(pieces.joined().suffix(bodyBytes)) }

  /// What does not get through before the device gives up fails then.
  mutating func advance(to stage: Stage, after span: Nanoseconds?, from instant: MonotonicInstant) {
    if let span, instant + span <= deadline {
      self.stage = stage
      due = instant + span
    } else {
      self.stage = .failing(.timeout)
      due = deadline
    }
  }
}

extension MonotonicInstant {
  /// Of what waits for the world outside.
  static let never = MonotonicInstant(nanoseconds: .max)
}

/// A connection of a device to the server.
struct LinkConnection {
  /// Counted from 0 for each device.
  let number: UInt64
  /// Nil when the server is outside: the connections that there are to it are kept elsewhere.
  let serverEnd: InProcessConnection?
  /// Since when no request uses it.
  var idleSince = MonotonicInstant(nanoseconds: 0)
  /// What has gone through it so far.
  var sentBytes = 0
  var receivedBytes = 0
}

/// The device's connections: one is kept for the next request.
extension SimulatedDevice {
  /// The idle connection when it is still good, or a new one.
  mutating func takeLine(at instant: MonotonicInstant, in site: Site) -> (line: LinkConnection, isNew: Bool) {
    if let line = idleLine {
      idleLine = nil
      let silence = instant - line.idleSince
      let now = site.setup.moment(at: instant)
      let serverLimit = site.inside?.idleLimit ?? site.setup.keepAlive
      if silence < min(serverLimit, site.setup.keepAlive) { return (line, false) }
      line.serverEnd?.close(serverLimit <= site.setup.keepAlive ? .idleTimeout : .clientClosed, at: now)
    }
    lines += 1
    return (LinkConnection(number: lines - 1, serverEnd: site.inside?.connect()), true)
  }

  /// A whole answer has come through it.
  mutating func giveBack(_ line: LinkConnection?, at now: Moment, in site: Site) {
    guard var line, line.serverEnd?.isOpen ?? true else { return }
    line.idleSince = now.monotonic
    idleLine?.serverEnd?.close(.clientClosed, at: site.setup.moment(at: now.monotonic))
    idleLine = line
  }

  /// The app or its network is gone, and all connections with it.
  mutating func loseLines(_ reason: CloseReason, at instant: MonotonicInstant, in site: Site) {
    let now = site.setup.moment(at: instant)
    // A server learns of a silent end only by the silence.
    idleLine?.serverEnd?.close(reason == .lost ? .idleTimeout : .clientClosed, at: now)
    idleLine = nil
    for exchange in exchanges { exchange.line?.serverEnd?.close(reason, at: now) }
  }
}
