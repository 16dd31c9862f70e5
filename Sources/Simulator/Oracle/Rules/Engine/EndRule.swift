import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary

/// I16: tracking ends when the app, a command, the schedule or the end of the app asks for it, with `stopOnStationary` at rest,
/// and `stopAfterElapsedMinutes` after its start and not before (SDK §2.1, §12.1, §19.6). `stopSchedule` does not end it (BGGeo
/// `stopSchedule`).
final class EndRule: Rule {
  override class var invariant: Invariant { .motion }
  override class var interest: Interest { [.event, .life, .course] }

  private struct Phone {
    /// The clock since tracking was last turned on; nil: not known.
    var start: SteadyClock?
    /// The last event that may end tracking.
    var reasonAt = MonotonicInstant(nanoseconds: -1)
    /// The end of tracking, until its instant is over.
    var endedAt: MonotonicInstant?
  }

  private let phones: PerDevice<Phone>

  /// The minutes may go by the clock on the wall, which must not have been set meanwhile.
  private static let clockMost: UInt64 = 1_000

  required init(_ ledger: Ledger) {
    phones = PerDevice(Phone(), in: ledger.space)
    super.init(ledger)
  }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    if let endedAt = phones[device].endedAt, endedAt < now { judge(endedAt, context) }
    switch event {
    case .told(.engine(.enabledChange(let isEnabled))):
      if isEnabled { phones[device].start = SteadyClock(context) } else { phones[device].endedAt = now }
    case .asked(.stopSchedule), .told(.commanded(.stopSchedule)): break
    case .asked, .told(.commanded), .told(.engine(.schedule)), .closed, .killed, .launched, .configured, .healed:
      phones[device].reasonAt = now
    default: break
    }
  }

  private func judge(_ endedAt: MonotonicInstant, _ context: EventContext) {
    let (device, life) = (context.device, ledger.truth.lives[context.device])
    let start = phones[device].start
    (phones[device].endedAt, phones[device].start) = (nil, nil)
    exercised += 1
    guard phones[device].reasonAt != endedAt, !life.isHealed, life.isUndisturbed,
      let configuration = life.configuration,
      !configuration.activity.stopOnStationary
    else { return }
    let minutes = configuration.geolocation.stopAfterElapsedMinutes
    guard minutes > 0 else { return tell("tracking has ended, and nothing has asked for it", endedAt, device) }
    guard let start, !start.isSet(byMoreThan: EndRule.clockMost, context) else { return }
    let elapsed = (endedAt - start.since).seconds
    guard elapsed < 60 * min(minutes, 1e7) * TrueWorld.clockShare - 1 else { return }
    tell(
      "tracking has ended \(Int(elapsed)) s after its start, and stopAfterElapsedMinutes is \(minutes)", endedAt, device
    )
  }

  private func tell(_ what: String, _ endedAt: MonotonicInstant, _ device: Int) {
    ledger.violations.flag(Self.invariant, device, at: endedAt, what)
  }
}
