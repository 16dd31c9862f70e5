import Base
import Engine
import Host
import Queue
import Scenario
import Upload
import Vocabulary
import World

/// I10: with fewer records than `autoSyncThreshold` an upload begins only at a motion change, when the app requests it, or
/// as a retry (SDK §8.5.2, §8.5.3); with `autoSync` off only when the app requests it; and without a network not at all
/// (SDK §8.5.7).
final class TriggerRule: Rule {
  override class var invariant: Invariant { .triggerLegality }
  override class var interest: Interest { [.sent, .motionChange, .ended, .inserted, .deleted, .life, .course] }
  override class var absence: String { "no record was made below a threshold, or without autoSync" }

  private struct Sender {
    var motionChange: MonotonicInstant?
    /// Whether the queue has not been empty since an upload, or since a motion change or a `sync()` that could not send (SDK
    /// §8.5.3).
    var isLeft = false
    /// The time of the last change of its network.
    var linkedAt: MonotonicInstant?
  }

  private let senders: PerDevice<Sender>

  required init(_ ledger: Ledger) {
    senders = PerDevice(Sender(), in: ledger.space)
    super.init(ledger)
  }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    switch event {
    case .told(.engine(.motionChange)): (senders[device].motionChange, senders[device].isLeft) = (now, true)
    case .askedToSync: if ledger.pages[device].waiting.count > 0 { senders[device].isLeft = true }
    case .ended: senders[device].isLeft = true
    case .queue(.deleted):
      if ledger.pages[device].waiting.count == 0 { senders[device].isLeft = false }
    case .queue(.inserted):
      if let terms = ledger.pages[device].terms,
        !terms.autoSync || ledger.pages[device].waiting.count < terms.threshold
      {
        exercised += 1
      }
    case .network: senders[device].linkedAt = now
    case .sent(let request) where request.purpose == .records:
      if ledger.radio.kind(of: context.network) == .none, senders[device].linkedAt != now {
        return flag(context, nil, "request \(request.id) is sent without a network")
      }
      guard ledger.pages[device].endedAt != now, ledger.truth.lives[device].syncedAt != now,
        !ledger.pages[device].isHealed, let terms = ledger.pages[device].terms
      else { return }
      if !terms.autoSync { return flag(context, nil, "request \(request.id) is sent although autoSync is off") }
      let waiting = ledger.pages[device].waiting.count
      guard waiting < terms.threshold, senders[device].motionChange != now else { return }
      if let trigger = request.payload?.trigger, DocumentedLimits.retryTriggers.contains(trigger),
        senders[device].isLeft
      {
        return
      }
      flag(
        context, nil,
        "request \(request.id) is sent with \(waiting) records waiting and a threshold of \(terms.threshold)"
      )
    default: break
    }
  }
}
