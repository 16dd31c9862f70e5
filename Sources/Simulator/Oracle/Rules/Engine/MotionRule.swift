import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Vocabulary

/// I16: motion changes alternate, and only their records have the event; at rest the SDK records only what was requested and what
/// events bring, and on Android significant changes with `useSignificantChangesOnly`; after `stop` nothing at all (SDK §5.1, §12.1,
/// §12.7.3, §7.3, §19.6).
final class MotionRule: Rule {
  override class var invariant: Invariant { .motion }
  override class var interest: Interest { [.told, .life] }

  private struct State {
    /// The state of the last motion change; nil when the next one may report either.
    var isMoving: Bool?
    var isEnabled: Bool?
    /// When tracking was last reported as off.
    var offSince = MonotonicInstant(nanoseconds: 0)
    /// The record of the last motion change, and one with that event whose motion change is still to be reported.
    var changed: UUID128?
    var claimed: (uuid: UUID128, at: MonotonicInstant)?
    var lastDoubt = MonotonicInstant(nanoseconds: -MotionRule.doubt.count)
  }

  /// The time after a sign of movement in which the SDK may reverse a state whose position it still searches for, without
  /// reporting the state in between.
  private static let doubt = Nanoseconds.seconds(180)

  /// The search for the position of a crossing from before a stop, and more.
  private static let crossingSearch = Nanoseconds.seconds(300)

  private let states: PerDevice<State>

  required init(_ ledger: Ledger) {
    states = PerDevice(State(), in: ledger.space)
    super.init(ledger)
  }

  override class var absence: String { "no motion change was reported" }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    if let claimed = states[device].claimed, claimed.at < context.now.monotonic { judge(claimed, context) }
    switch event {
    // The next launch has lost a stop that could not be stored.
    case .launched: states[device] = State()
    case .configured: states[device].isMoving = nil
    case .told(.engine(let event)): hear(event, context)
    case .sensed: states[device].lastDoubt = context.now.monotonic
    // A server's command is explicit and may change the pace.
    case .told(.commanded): (states[device].isMoving, states[device].lastDoubt) = (nil, context.now.monotonic)
    default: break
    }
  }

  private func hear(_ event: EngineEvent, _ context: EventContext) {
    let device = context.device
    switch event {
    case .motionChange(let record):
      exercised += 1
      if states[device].isMoving == record.isMoving && !isInDoubt(context) && !endsAtOnce(record, context) {
        flag(context, record.uuid, "a second motion change in a row to \(record.isMoving ? "moving" : "stationary")")
      }
      (states[device].isMoving, states[device].changed) = (record.isMoving, record.uuid)
      if states[device].claimed?.uuid == record.uuid { states[device].claimed = nil }
      if record.event != .motionchange {
        flag(context, record.uuid, "the record of a motion change names no such event")
      }
    case .location(let record):
      if record.event == .motionchange, record.uuid != states[device].changed {
        states[device].claimed = (record.uuid, context.now.monotonic)
      }
      judge(record, context)
    case .enabledChange(let isEnabled):
      (states[device].isEnabled, states[device].isMoving) = (isEnabled, nil)
      states[device].offSince = context.now.monotonic
    case .geofence(let record, let fence):
      if states[device].isEnabled == false, context.now.monotonic - states[device].offSince > MotionRule.crossingSearch
      {
        flag(context, record.uuid, "a crossing of '\(fence.identifier)' although tracking is stopped")
      }
    // A window of another mode begins by reporting its state.
    case .locationError, .schedule: states[device].isMoving = nil
    default: break
    }
  }

  /// A motion change is reported with its position (SDK §12.1).
  private func judge(_ claimed: (uuid: UUID128, at: MonotonicInstant), _ context: EventContext) {
    states[context.device].claimed = nil
    ledger.violations.flag(
      Self.invariant, context.device, claimed.uuid, at: claimed.at,
      "a record has the event 'motionchange', and no motion change was reported")
  }

  /// Reports whether the trip may have ended before it had a position, without a motion change of its beginning: in Android's
  /// mode for significant changes `stopTimeout` 0 counts as 0, and no activity precedes a trip (SDK §12.7.2, §12.7.7).
  private func endsAtOnce(_ record: LocationRecord, _ context: EventContext) -> Bool {
    let life = ledger.truth.lives[context.device]
    return !record.isMoving && life.followsSignificantChanges
      && life.configuration?.geolocation.stopTimeoutMinutes == 0
  }

  private func isInDoubt(_ context: EventContext) -> Bool {
    context.now.monotonic - states[context.device].lastDoubt < MotionRule.doubt
  }

  private func judge(_ record: LocationRecord, _ context: EventContext) {
    guard !record.isSample, record.event == nil, !isInDoubt(context) else { return }
    if states[context.device].isEnabled == false {
      flag(context, record.uuid, "a position although tracking is stopped")
    } else if !record.isMoving, !ledger.truth.lives[context.device].followsSignificantChanges {
      flag(context, record.uuid, "a position of the stream although the device is stationary")
    }
  }
}
