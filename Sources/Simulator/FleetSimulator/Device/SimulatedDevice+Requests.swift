import Base
import CurlTransport
import Host
import Oracle
import Upload
import Vocabulary

/// The requests of the app and their outcomes.
extension SimulatedDevice {
  /// Sends the requests that the app has made.
  mutating func post(at now: Moment, in run: RunContext) {
    guard !run.requests.isEmpty else { return }
    var requests: [OutgoingRequest] = []
    swap(&requests, &run.requests)
    for request in requests {
      link.send(phone.target?.applied(to: request) ?? request, at: now, under: faults, in: run)
    }
  }

  /// Delivers what the link has received by now.
  mutating func carry(at now: Moment, in run: RunContext) {
    while let event = link.advance(to: now, under: faults, in: run) {
      switch event {
      case .ended(let exchange, let outcome): take(outcome, of: exchange, at: now, in: run)
      case .crash: crash(at: now.monotonic, in: run)
      }
    }
  }

  /// Handles the end of a request that the transport reports; returns what `next` would return then.
  mutating func receive(
    _ landed: TransportCompletion, at instant: MonotonicInstant, in run: RunContext
  ) -> MonotonicInstant? {
    guard let event = link.take(landed, under: faults, in: run) else { return next(after: instant) }
    switch event {
    case .ended(let exchange, let outcome):
      let now = moment(at: instant, in: run)
      run.tell(.carried(request: landed.id, landed.timings, head: landed.head), link.context(at: now))
      take(outcome, of: exchange, at: now, in: run)
    case .crash: crash(at: instant, in: run)
    }
    finish(at: instant, in: run)
    return next(after: instant)
  }

  private mutating func take(_ outcome: RequestOutcome, of exchange: LinkExchange, at now: Moment, in run: RunContext) {
    let isAnswer = outcome.status != 0
    run.trace.note(isAnswer ? .answered : .failed, UInt64(outcome.status), of: number, at: now.monotonic)
    run.tell(.ended(request: exchange.request, outcome), link.context(at: now))
    if exchange.request > AppRequest.first { return registered(outcome, at: now, in: run) }
    host.answer(exchange.request, outcome, at: now)
    applyEffects(at: now, in: run)
    dieIfDead(at: now.monotonic, in: run)
    settle(at: now, in: run)
    post(at: now, in: run)
  }
}
