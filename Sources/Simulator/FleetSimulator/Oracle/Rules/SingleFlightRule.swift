import Scenario
import Upload
import Vocabulary

/// I7: a device has one upload under way at most (SDK §8.5).
final class SingleFlightRule: Rule {
  override class var invariant: Invariant { .singleFlight }
  override class var interest: Interest { .sent }

  override class var absence: String { "no request was sent" }

  override func see(_ happening: Happening, _ sighting: Sighting) {
    guard case .sent(let request) = happening, request.purpose != .log else { return }
    exercised += 1
    for other in ledger.pages[sighting.device].open where other.id != request.id && other.purpose != .log {
      if other.isGivenUp(at: sighting.now.monotonic) { continue }
      blame(sighting, nil, "request \(request.id) is sent while the answer to request \(other.id) is awaited")
    }
  }
}
