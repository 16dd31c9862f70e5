import Base
import CurlTransport
import Host
import Upload
import Vocabulary

/// What the app sends, and what comes of it.
extension SimulatedDevice {
  /// Puts the requests that the app has made on their way.
  mutating func post(at now: Moment, in site: Site) {
    guard !site.requests.isEmpty else { return }
    var requests: [OutgoingRequest] = []
    swap(&requests, &site.requests)
    for request in requests { link.send(request, at: now, under: faults, in: site) }
  }

  /// What the link has brought by now.
  mutating func carry(at now: Moment, in site: Site) {
    while let event = link.advance(to: now, under: faults, in: site) {
      switch event {
      case .ended(let exchange, let outcome): take(outcome, of: exchange, at: now, in: site)
      case .crash: crash(at: now.monotonic, in: site)
      }
    }
  }

  /// The carrier has brought the end of a request; gives what `next` would give then.
  mutating func receive(
    _ landed: TransportCompletion, at instant: MonotonicInstant, in site: Site
  ) -> MonotonicInstant? {
    guard let event = link.take(landed, under: faults, in: site) else { return next(after: instant) }
    switch event {
    case .ended(let exchange, let outcome):
      let now = moment(at: instant, in: site)
      site.tell(.carried(request: landed.id, landed.timings, head: landed.head), link.sighting(at: now))
      take(outcome, of: exchange, at: now, in: site)
    case .crash: crash(at: instant, in: site)
    }
    finish(at: instant, in: site)
    return next(after: instant)
  }

  private mutating func take(_ outcome: RequestOutcome, of exchange: LinkExchange, at now: Moment, in site: Site) {
    let isAnswer = outcome.status != 0
    site.trace.note(isAnswer ? .answered : .failed, UInt64(outcome.status), of: number, at: now.monotonic)
    site.tell(.ended(request: exchange.request, outcome), link.sighting(at: now))
    if exchange.request > Account.firstRequest { return registered(outcome, at: now, in: site) }
    host.answer(exchange.request, outcome, at: now)
    heed(at: now, in: site)
    dieIfDead(at: now.monotonic, in: site)
    settle(at: now, in: site)
    post(at: now, in: site)
  }
}
