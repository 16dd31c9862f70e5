import Base
import CurlTransport
import Host
import Queue
import Scenario
import Upload
import Vocabulary
import World

/// Between the app and the server: bytes that take their time, or never arrive.
extension SimulatedDevice {
  /// Puts the requests that the app has made on their way.
  mutating func post(at now: Moment, in site: Site) {
    if !host.platform.cancelled.isEmpty {
      for request in host.platform.cancelled {
        exchanges.removeAll { $0.request == request }
        site.carrier?.cancel(request, of: number)
      }
      host.platform.cancelled = []
    }
    guard !host.platform.outbox.isEmpty else { return }
    let requests = host.platform.outbox
    // An idle phone keeps no memory for requests.
    host.platform.outbox = []
    for request in requests {
      var hash = TraceHash()
      hash.fold(request.body.span)
      site.trace.note(.sent, hash.low, of: number, at: now.monotonic)
      site.tell(.sent(request), sighting(at: now))
      exchanges.append(exchange(for: request, at: now.monotonic, in: site))
    }
  }

  private mutating func exchange(
    for request: OutgoingRequest, at instant: MonotonicInstant, in site: Site
  ) -> Exchange {
    var exchange = Exchange(
      request: request.id, deadline: instant + request.timeout, stage: .failing(.unreachable), due: instant)
    guard network != .none else { return exchange }
    if let carrier = site.carrier {
      carrier.send(request, of: number)
      (exchange.stage, exchange.due) = (.carried, .never)
      return exchange
    }
    guard let bytes = WireBytes.bytes(of: request) else {
      exchange.stage = .failing(.invalidURL)
      return exchange
    }
    // A connection is made first: once there and back (RFC 9293 §3.5).
    let handshake = Nanoseconds(Int64(quality.latency * 1e9))
    let span = quality.transfer(bytes: bytes.count, isUpload: true, from: &link).map { $0 + handshake }
    exchange.advance(to: .arriving(bytes), after: span, from: instant)
    return exchange
  }

  private var quality: LinkQuality {
    var quality = network.link
    if isHealed { quality.loss = 0 }
    return quality
  }

  /// What has arrived by now: at the server, then at the device.
  mutating func carry(at now: Moment, in site: Site) {
    while let index = exchanges.firstIndex(where: { $0.due <= now.monotonic }) {
      switch exchanges[index].stage {
      case .arriving(let bytes):
        guard let server = site.server else { preconditionFailure("bytes arrive at a server inside") }
        let request = exchanges[index].request
        let answer = server.answer(bytes, at: site.setup.moment(at: now.monotonic))
        site.trace.note(.arrived, UInt64(answer.count), of: number, at: now.monotonic)
        site.tell(.served(request: request, answerBytes: answer.count), sighting(at: now))
        if crashes(.betweenSendAndAnswer, in: site) { return crash(at: now.monotonic, in: site) }
        let span = quality.transfer(bytes: answer.count, isUpload: false, from: &link)
        exchanges[index].advance(to: .returning(answer), after: span, from: now.monotonic)
      case .carried: preconditionFailure("what is carried has no time to be due")
      case .returning(let bytes):
        let request = exchanges.remove(at: index).request
        take(WireBytes.outcome(of: bytes, into: &site.head), of: request, at: now, in: site)
      case .failing(let failure):
        let request = exchanges.remove(at: index).request
        take(.failed(failure, message: failure.rawValue), of: request, at: now, in: site)
      }
    }
  }

  /// The carrier has brought the end of a request; gives what `next` would give then. Nobody waits for it any more when the
  /// app or the network that sent it is gone.
  mutating func receive(
    _ landed: TransportCompletion, at instant: MonotonicInstant, in site: Site
  ) -> MonotonicInstant? {
    let request = landed.id
    if let index = exchanges.firstIndex(where: { $0.request == request }) {
      if crashes(.betweenSendAndAnswer, in: site) {
        crash(at: instant, in: site)
      } else {
        exchanges.remove(at: index)
        let now = moment(at: instant, in: site)
        site.tell(.carried(request: request, landed.timings), sighting(at: now))
        take(landed.outcome, of: request, at: now, in: site)
      }
      finish(at: instant, in: site)
    }
    return next(after: instant)
  }

  private mutating func take(_ outcome: RequestOutcome, of request: UInt64, at now: Moment, in site: Site) {
    let isAnswer = outcome.status != 0
    site.trace.note(isAnswer ? .answered : .failed, UInt64(outcome.status), of: number, at: now.monotonic)
    site.ledger.reading = Ledger.Answer(request: request, status: outcome.status)
    site.tell(.ended(request: request, outcome), sighting(at: now))
    host.answer(request, outcome, at: now)
    dieIfDead(at: now.monotonic, in: site)
    settle(at: now, in: site)
    site.ledger.reading = nil
    post(at: now, in: site)
  }
}
