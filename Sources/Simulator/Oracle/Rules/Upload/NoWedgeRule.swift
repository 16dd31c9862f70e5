import Base
import Queue
import Scenario
import Upload
import Vocabulary
import World

/// I14: a device with records, a network and a running app keeps trying, however its last upload ended (SDK §9.2, §9.3): with
/// enough new records after a back-off an upload begins within timeout and watchdog.
final class NoWedgeRule: Rule {
  override class var invariant: Invariant { .noWedge }
  override class var interest: Interest { [.inserted, .sent, .ended, .life] }

  private struct Silence {
    var since = MonotonicInstant(nanoseconds: 0)
    var inserts = 0
    /// The time of the newest insert, and the number of those before it.
    var newest = MonotonicInstant(nanoseconds: 0)
    var earlier = 0
    var isTold = false
  }

  private let silences: PerDevice<Silence>

  required init(_ ledger: Ledger) {
    silences = PerDevice(Silence(), in: ledger.space)
    super.init(ledger)
  }

  override class var absence: String { "no record was made that was due to be sent" }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    switch event {
    case .sent, .ended, .launched, .killed, .network, .healed, .configured:
      silences[context.device] = Silence(since: context.now.monotonic)
    case .queue(.inserted): judge(context)
    default: break
    }
  }

  private func judge(_ context: EventContext) {
    let device = context.device
    if silences[device].newest != context.now.monotonic {
      (silences[device].newest, silences[device].earlier) = (context.now.monotonic, silences[device].inserts)
    }
    silences[device].inserts += 1
    let (silence, waiting) = (silences[device], ledger.pages[device].waiting.count)
    guard !silence.isTold, let terms = ledger.pages[device].terms, terms.autoSync, !terms.url.isEmpty,
      ledger.pages[device].connectedSince != nil, terms.canReachThreshold, waiting >= terms.threshold
    else { return }
    exercised += 1
    if terms.defersOnCellular && ledger.radio.kind(of: context.network) == .cellular { return }
    // An upload that an insert begins follows the others of its instant.
    guard silence.earlier > terms.threshold + DocumentedLimits.backOffRecords else { return }
    let quiet = context.now.monotonic - silence.since
    guard ledger.hasPassed(quiet, timeLimit: terms.timeout) else { return }
    silences[device].isTold = true
    flag(
      context, nil,
      "\(waiting) records wait, \(silence.earlier) of them new, and nothing was sent for \(quiet.wholeMilliseconds / 1_000) s"
    )
  }
}
