import Base
import Engine
import Host
import Queue
import Scenario
import Upload
import Vocabulary

/// I10: with fewer records than `autoSyncThreshold` an upload begins only at a motion change, when the app asks for it, or
/// as a retry (SDK §8.5.2, §8.5.3); and with `autoSync` off only when it asks.
final class TriggerRule: Rule {
  override class var invariant: Invariant { .triggerLegality }
  override class var interest: Interest { [.sent, .told, .ended, .queue] }
  override class var absence: String { "no record was made below a threshold, or without autoSync" }

  /// Of each device: when its motion state changed last, and when an upload that goes on had its last answer.
  private var motionChanges: [MonotonicInstant?]
  private var answers: [MonotonicInstant?]
  /// Since an upload, or a motion change without a network, the queue has not been empty (SDK §8.5.3).
  private var isLeft: [Bool]

  required init(_ ledger: Ledger) {
    motionChanges = Array(repeating: nil, count: ledger.names.count)
    answers = motionChanges
    isLeft = Array(repeating: false, count: ledger.names.count)
    super.init(ledger)
  }

  override func see(_ happening: Happening, _ sighting: Sighting) {
    let (device, now) = (sighting.device, sighting.now.monotonic)
    switch happening {
    case .told(.engine(.motionChange)): (motionChanges[device], isLeft[device]) = (now, true)
    case .ended: (answers[device], isLeft[device]) = (now, true)
    case .queue(.deleted):
      if ledger.pages[device].waiting.count == 0 { isLeft[device] = false }
    case .queue(.inserted):
      if let terms = ledger.pages[device].terms,
        !terms.autoSync || ledger.pages[device].waiting.count < terms.threshold
      {
        exercised += 1
      }
    case .sent(let request) where request.purpose == .records:
      let page = ledger.pages[device]
      guard !page.isHealed, answers[device] != now, let terms = page.terms else { return }
      if !terms.autoSync { return blame(sighting, nil, "request \(request.id) is sent although autoSync is off") }
      guard page.waiting.count < terms.threshold, motionChanges[device] != now else { return }
      if let trigger = request.cargo?.trigger, trigger.isRetry, isLeft[device] { return }
      blame(
        sighting, nil,
        "request \(request.id) is sent with \(page.waiting.count) records waiting and a threshold of \(terms.threshold)"
      )
    default: break
    }
  }
}
