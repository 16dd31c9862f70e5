import Base
import Scenario
import Upload
import Vocabulary

/// I26: nothing leaks: each request ends within its timeout and the watchdog's, and a device never has many under way.
final class ResourcesRule: Rule {
  override class var invariant: Invariant { .resources }
  override class var interest: Interest { .sent }

  private static let requestsMax = 4

  override class var absence: String { "no request was sent" }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    exercised += 1
    let open = ledger.pages[context.device].open
    if open.count > ResourcesRule.requestsMax { flag(context, nil, "\(open.count) requests under way") }
  }

  override func close(at instant: MonotonicInstant) {
    for device in ledger.pages.indices {
      for request in ledger.pages[device].open
      where ledger.hasPassed(instant - request.sentAt, timeLimit: request.timeout) {
        ledger.violations.flag(
          .resources, device, at: instant, "request \(request.id), sent at \(request.sentAt.clockText), has no end")
      }
    }
  }
}
