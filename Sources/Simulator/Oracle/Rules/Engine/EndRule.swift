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
    /// The clock since tracking was last turned on; nil where it was set since then, as the process may count anew by it.
    var start: SteadyClock?
    /// The last event that may end tracking.
    var reasonAt = MonotonicInstant(nanoseconds: -1)
    /// The end of tracking, until its instant is over.
    var end: End?
  }

  /// An end of tracking, by the clock and the configuration of that instant.
  private struct End {
    let at: MonotonicInstant
    /// The seconds since tracking was turned on; nil: not known.
    let elapsed: Double?
    /// `stopAfterElapsedMinutes`; nil where the end may have come with a rest.
    let minutes: Double?
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
    if let end = phones[device].end, end.at < now { judge(end, device) }
    if phones[device].start?.isSet(byMoreThan: EndRule.clockMost, context) ?? false { phones[device].start = nil }
    switch event {
    case .told(.engine(.enabledChange(let isEnabled))):
      if isEnabled { phones[device].start = SteadyClock(context) } else { end(context) }
    case .asked(.stopSchedule), .told(.commanded(.stopSchedule)): break
    case .asked, .told(.commanded), .told(.engine(.schedule)), .closed, .killed, .launched, .configured, .healed:
      phones[device].reasonAt = now
    default: break
    }
  }

  private func end(_ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    let configuration = ledger.truth.lives[device].configuration
    phones[device].end = End(
      at: now, elapsed: phones[device].start.map { (now - $0.since).seconds },
      minutes: configuration.flatMap {
        $0.activity.stopOnStationary ? nil : $0.geolocation.stopAfterElapsedMinutes
      })
    phones[device].start = nil
  }

  private func judge(_ end: End, _ device: Int) {
    let life = ledger.truth.lives[device]
    phones[device].end = nil
    exercised += 1
    guard phones[device].reasonAt != end.at, !life.isHealed, life.isUndisturbed, let minutes = end.minutes else {
      return
    }
    guard minutes > 0 else { return tell("tracking has ended, and nothing has asked for it", end.at, device) }
    guard let elapsed = end.elapsed, elapsed < 60 * min(minutes, 1e7) * TrueWorld.clockShare - 1 else { return }
    tell(
      "tracking has ended \(Int(elapsed)) s after its start, and stopAfterElapsedMinutes is \(minutes)", end.at, device)
  }

  private func tell(_ what: String, _ endedAt: MonotonicInstant, _ device: Int) {
    ledger.violations.flag(Self.invariant, device, at: endedAt, what)
  }
}
