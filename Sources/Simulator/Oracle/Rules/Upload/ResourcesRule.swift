import Base
import Contract
import Host
import Scenario
import Upload
import Vocabulary

/// I26: nothing leaks: each request ends within its timeout and the watchdog's, and a device never has many under way, but
/// for the logs that commands ask for (SDK §20.5).
final class ResourcesRule: Rule {
  override class var invariant: Invariant { .resources }
  override class var interest: Interest { [.sent, .event, .life] }

  private static let requestsMax = 4

  /// The number of logs that commands have asked for since the app began.
  private var logs: [Int: Int] = [:]

  override class var absence: String { "no request was sent" }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    switch event {
    case .told(.commanded(.uploadLog)): logs[context.device, default: 0] += 1
    case .killed: logs[context.device] = nil
    case .sent:
      exercised += 1
      let open = ledger.pages[context.device].open
      let count = open.count - min(logs[context.device] ?? 0, open.count { $0.purpose == .log })
      if count > ResourcesRule.requestsMax { flag(context, nil, "\(count) requests under way") }
    default: break
    }
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
