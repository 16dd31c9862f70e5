import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary

/// I17: in geofences-only mode the odometer grows with the way from crossing to crossing (LocationEvent `odometer`; SDK §15.6, §17), and
/// while locations are tracked the record of a crossing does not advance it (SDK §17).
final class OdometerTransitionRule: Rule {
  override class var invariant: Invariant { .odometerTolerance }
  override class var interest: Interest { [.location, .motionChange, .event, .life, .course] }
  override class var absence: String { "no crossing was recorded" }

  private struct Phone {
    /// The odometer of the last record while locations are tracked, and its time; nil where it may have changed since.
    var told: (metres: Double, at: MonotonicInstant)?
    /// The last crossing of geofences-only mode whose position counts.
    var crossing: (metres: Double, place: Coordinate)?
    /// A crossing with which the odometer has grown, unless another record of that instant has grown with it.
    var grown: (metres: Double, uuid: UUID128, at: MonotonicInstant)?
    var isTold = false
  }

  private let phones: PerDevice<Phone>

  /// Records contain two decimals.
  private static let rounding = 0.011
  /// Far more than the errors of two positions that count, which are subtracted from a step.
  private static let certainMetres = 200.0

  required init(_ ledger: Ledger) {
    phones = PerDevice(Phone(), in: ledger.space)
    super.init(ledger)
  }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    if let grown = phones[device].grown, grown.at < context.now.monotonic { judge(grown, context) }
    switch event {
    case .told(.engine(.location(let record))) where !record.isSample:
      if record.event == .geofence { cross(record, context) } else { follow(record, context) }
    // Its position may have counted before it is reported, or was rejected.
    case .told(.engine(.locationFilter)), .told(.engine(.heartbeat)): phones[device].told = nil
    case .told(.engine(.enabledChange)), .told(.engine(.schedule)), .told(.commanded), .asked, .configured, .killed,
      .launched, .healed, .strayed, .faultBegan, .faultEnded:
      (phones[device].told, phones[device].crossing, phones[device].grown) = (nil, nil, nil)
    default: break
    }
  }

  private func follow(_ record: LocationRecord, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    phones[device].crossing = nil
    if phones[device].grown?.at == now { phones[device].grown = nil }
    let isSet = ledger.truth.lives[device].mayRecordOdometer(at: now)
    phones[device].told = isSet ? nil : (record.odometer, now)
  }

  private func cross(_ record: LocationRecord, _ context: EventContext) {
    let (device, now, life) = (context.device, context.now.monotonic, ledger.truth.lives[context.device])
    guard !life.mayRecordOdometer(at: now), let wanted = life.expectation, wanted.since < now,
      ledger.behaviours[ledger.homes[device].fleet] == .documented
    else { return (phones[device].told, phones[device].crossing) = (nil, nil) }
    switch wanted.goal {
    case .location:
      phones[device].crossing = nil
      guard let told = phones[device].told, wanted.since < told.at else { return }
      exercised += 1
      guard record.odometer > told.metres + OdometerTransitionRule.rounding, told.at < now else { return }
      phones[device].grown = (record.odometer, record.uuid, now)
    case .geofences: measure(record, context)
    case .off: (phones[device].told, phones[device].crossing) = (nil, nil)
    }
  }

  private func measure(_ record: LocationRecord, _ context: EventContext) {
    let device = context.device
    let threshold = ledger.truth.lives[device].configuration?.geolocation.filter.odometerAccuracyThresholdMetres ?? 0
    guard let place = record.coords.place, let accuracy = record.coords.accuracy, accuracy >= 0, accuracy <= threshold
    else { return }
    defer { phones[device].crossing = (record.odometer, place) }
    guard let last = phones[device].crossing else { return }
    let metres = last.place.distanceMetres(to: place)
    guard metres > OdometerTransitionRule.certainMetres + 2 * threshold else { return }
    exercised += 1
    guard record.odometer <= last.metres, !phones[device].isTold else { return }
    phones[device].isTold = true
    flag(
      context, record.uuid, "the odometer has not grown on the \(Int(metres)) m between two crossings, without tracking"
    )
  }

  private func judge(_ grown: (metres: Double, uuid: UUID128, at: MonotonicInstant), _ context: EventContext) {
    let device = context.device
    phones[device].grown = nil
    guard !phones[device].isTold else { return }
    phones[device].isTold = true
    ledger.violations.flag(
      Self.invariant, device, grown.uuid, at: grown.at,
      "the odometer grows to \(Int(grown.metres)) m with a crossing while locations are tracked")
  }
}
