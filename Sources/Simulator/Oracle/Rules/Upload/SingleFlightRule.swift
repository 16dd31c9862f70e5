import Scenario
import Upload
import Vocabulary

/// I7: a device has at most one upload under way (SDK §8.5).
final class SingleFlightRule: Rule {
  override class var invariant: Invariant { .singleFlight }
  override class var interest: Interest { .sent }

  override class var absence: String { "no request was sent" }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    guard case .sent(let request) = event, request.purpose != .log else { return }
    exercised += 1
    for other in ledger.pages[context.device].open where other.id != request.id && other.purpose != .log {
      if other.isGivenUp(at: context.now.monotonic) { continue }
      flag(context, nil, "request \(request.id) is sent while the answer to request \(other.id) is awaited")
    }
  }
}
