import Base
import Contract
import Host
import Queue
import Scenario
import Upload
import Vocabulary

/// I15: what a server rejects is not sent again at once: each attempt after a failure needs a new event (SDK §9.3), after one
/// without an answer ten more records where a record begins it (SDK §9.3.2), and once the faults are over a queue needs about as
/// many requests as it has pages.
final class BoundedEffortRule: Rule {
  override class var invariant: Invariant { .boundedEffort }
  override class var interest: Interest { [.sent, .inserted, .told, .ended, .life, .course] }

  private struct Effort {
    /// Whether the last upload failed and no event has followed.
    var mustWait = false
    /// When an upload got no answer, if nothing has ended the waiting since, and the number of records that have come.
    var unanswered: MonotonicInstant?
    var inserts = 0
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
      if isUpload || outcome.status != 0 { backOff(after: request, outcome, context) }
      // New tokens permit a new attempt (SDK §11.2).
      if !isUpload && (200..<300).contains(outcome.status) { efforts[device].mustWait = false }
    case .queue(.inserted):
      efforts[device].mustWait = false
      efforts[device].inserts += 1
      // A command in the first answer may make a record.
      if efforts[device].attemptsMax < .max { efforts[device].attemptsMax += 1 }
    // Uploads that an answer's commands start follow its rejection (SDK §8.5, §9.2).
    case .told(.commanded(.start)), .told(.commanded(.startGeofences)), .told(.commanded(.startSchedule)):
      efforts[device].mustWait = false
    case .launched, .killed, .network:
      efforts[device].mustWait = false
      efforts[device].unanswered = nil
    case .told(.engine), .opened, .fetched: efforts[device].mustWait = false
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
      judgeBackOff(request, context)
      judge(request.id, context)
    default: break
    }
  }

  /// What ends within its time limit was not given up before (SDK §9.2.2).
  private func backOff(after request: UInt64, _ outcome: RequestOutcome, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    let isInTime = ledger.pages[device].request(request).map { ledger.isAwaited($0, at: now) }
    efforts[device].unanswered = outcome.status == 0 && isInTime ?? false ? now : nil
    efforts[device].inserts = 0
  }

  /// A queue of Android that cannot grow so far does not wait (SDK §9.3.3).
  private func judgeBackOff(_ request: OutgoingRequest, _ context: EventContext) {
    let (device, effort) = (context.device, efforts[context.device])
    guard let unanswered = effort.unanswered, let payload = request.payload, payload.trigger == .insert,
      payload.triggeredAt > unanswered, effort.inserts < DocumentedLimits.backOffRecords,
      !ledger.pages[device].isHealed, let terms = ledger.pages[device].terms, terms.queueMax == nil
    else { return }
    flag(context, nil, "request \(request.id) follows one without an answer after \(effort.inserts) records")
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
