import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary

/// I16: `is_moving` of the record of a crossing is the state of the last motion change (LocationEvent `isMoving`; SDK §5.1), or that of
/// the next one, as the state changes before the position of a motion change is found (SDK §12.2).
final class PaceRule: Rule {
  override class var invariant: Invariant { .motion }
  override class var interest: Interest { [.motionChange, .event, .life, .course] }
  override class var absence: String { "no crossing was recorded between motion changes" }

  private struct Phone {
    /// The state of the last motion change, and its time; nil where it is not known.
    var pace: (isMoving: Bool, since: MonotonicInstant)?
    /// A crossing with the other state, until a motion change has to follow.
    var other: (uuid: UUID128, at: MonotonicInstant, due: MonotonicInstant)?
    var isTold = false
  }

  private let phones: PerDevice<Phone>

  /// The position of a motion change is searched for four times (SDK §12.6.4).
  private static let attempts = 4.0
  private static let patience = Nanoseconds.seconds(120)
  private static let lead = Nanoseconds.seconds(600)

  required init(_ ledger: Ledger) {
    phones = PerDevice(Phone(), in: ledger.space)
    super.init(ledger)
  }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    if let other = phones[device].other, other.due < now { judge(other, context) }
    switch event {
    case .told(.engine(.motionChange(let record))):
      (phones[device].pace, phones[device].other) = ((record.isMoving, now), nil)
    case .told(.engine(.geofence(let record, _))): cross(record, context)
    case .told(.engine(.enabledChange)), .told(.engine(.schedule)), .told(.engine(.locationError)), .told(.commanded),
      .asked, .configured, .killed, .launched, .healed, .faultBegan, .faultEnded:
      (phones[device].pace, phones[device].other) = (nil, nil)
    default: break
    }
  }

  private func cross(_ record: LocationRecord, _ context: EventContext) {
    let (device, now, life) = (context.device, context.now.monotonic, ledger.truth.lives[context.device])
    guard let pace = phones[device].pace, pace.since < now, !phones[device].isTold,
      let wanted = life.expectation, wanted.goal == .location, wanted.since < pace.since,
      !life.followsSignificantChanges
    else { return }
    exercised += 1
    guard record.isMoving != pace.isMoving, phones[device].other == nil else { return }
    let search = PaceRule.attempts * min(max(life.configuration?.geolocation.locationTimeoutSeconds ?? 0, 0), 3_600)
    phones[device].other = (record.uuid, now, now + .seconds(Int64(search)) + PaceRule.patience)
  }

  /// Without a position there is no motion change (SDK §12.6.4).
  private func judge(_ other: (uuid: UUID128, at: MonotonicInstant, due: MonotonicInstant), _ context: EventContext) {
    let (device, life) = (context.device, ledger.truth.lives[context.device])
    phones[device].other = nil
    guard let pace = phones[device].pace, life.seesSky(since: min(pace.since, other.at - PaceRule.lead)) else { return }
    phones[device].isTold = true
    ledger.violations.flag(
      Self.invariant, device, other.uuid, at: other.at,
      "the record of a crossing says is_moving \(!pace.isMoving), and the last motion change was to \(pace.isMoving ? "moving" : "rest")"
    )
  }
}
