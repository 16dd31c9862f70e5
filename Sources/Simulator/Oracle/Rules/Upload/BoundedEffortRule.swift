import Base
import Contract
import Host
import Queue
import Scenario
import Upload
import Vocabulary

/// I15: what a server rejects is not sent again at once: each attempt after a failure needs a new event (SDK §9.3), and once
/// the faults are over a queue needs about as many requests as it has pages.
final class BoundedEffortRule: Rule {
  override class var invariant: Invariant { .boundedEffort }
  override class var interest: Interest { [.sent, .inserted, .told, .ended, .life, .course] }

  private struct Effort {
    /// Whether the last upload failed and no event has followed.
    var mustWait = false
    /// The number of attempts since all faults ended, and its limit.
    var attemptsAfterHealing = 0
    var attemptsMax = Int.max
  }

  private let efforts: PerDevice<Effort>
  /// The allowance beyond one request per page, for open requests and token refreshes.
  private static let spareAttempts = 12

  required init(_ ledger: Ledger) {
    efforts = PerDevice(Effort(), in: ledger.space)
    super.init(ledger)
  }

  override class var absence: String { "no upload failed" }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    switch event {
    case .ended(let request, let outcome):
      let isUpload = ledger.pages[device].open.contains { $0.id == request && $0.purpose == .records }
      if isUpload && !(200..<300).contains(outcome.status) { exercised += 1 }
      if isUpload { efforts[device].mustWait = !(200..<300).contains(outcome.status) }
      // New tokens permit a new attempt (SDK §11.2).
      if !isUpload && (200..<300).contains(outcome.status) { efforts[device].mustWait = false }
    case .queue(.inserted):
      efforts[device].mustWait = false
      // A command in the first answer may make a record.
      if efforts[device].attemptsMax < .max { efforts[device].attemptsMax += 1 }
    // Uploads that an answer's commands start follow its rejection (SDK §8.5, §9.2).
    case .told(.commanded(.start)), .told(.commanded(.startGeofences)), .told(.commanded(.startSchedule)):
      efforts[device].mustWait = false
    case .told(.engine), .launched, .opened, .killed, .network, .fetched: efforts[device].mustWait = false
    case .configured: configure(device)
    // Behind the drives the app calls `sync` until its queue is empty, however often the server refuses.
    case .askedToSync:
      efforts[device].mustWait = false
      if efforts[device].attemptsMax < .max { efforts[device].attemptsMax += 1 }
    case .healed:
      efforts[device] = Effort(attemptsMax: pages(of: device) + BoundedEffortRule.spareAttempts)
    case .sent(let request) where request.purpose == .records:
      // A process without a position does not report its heartbeats.
      if request.payload?.trigger == .heartbeat { efforts[device].mustWait = false }
      judge(request.id, context)
    default: break
    }
  }

  /// A command behind the end of the faults may have made the pages smaller.
  private func configure(_ device: Int) {
    efforts[device].mustWait = false
    guard efforts[device].attemptsMax < .max else { return }
    let attempts = efforts[device].attemptsAfterHealing + pages(of: device) + BoundedEffortRule.spareAttempts
    efforts[device].attemptsMax = max(efforts[device].attemptsMax, attempts)
  }

  private func judge(_ request: UInt64, _ context: EventContext) {
    let device = context.device
    if efforts[device].mustWait && !ledger.pages[device].isHealed {
      flag(context, nil, "request \(request) follows a failure without an event in between")
    }
    efforts[device].mustWait = false
    guard ledger.pages[device].isHealed else { return }
    efforts[device].attemptsAfterHealing += 1
    if efforts[device].attemptsAfterHealing == efforts[device].attemptsMax {
      flag(
        context, nil, "\(efforts[device].attemptsMax) requests since the end of all faults, and the queue is not empty"
      )
    }
  }

  private func pages(of device: Int) -> Int {
    let page = ledger.pages[device]
    let size = page.terms?.recordsPerRequestMax ?? page.waiting.count
    return size == 0 ? 0 : (page.waiting.count + size - 1) / size
  }
}
