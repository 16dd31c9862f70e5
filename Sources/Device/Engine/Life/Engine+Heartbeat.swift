import Base
import Contract
import Vocabulary

/// SDK §18.
extension Engine {
  mutating func startHeartbeat(at now: Moment, into effects: inout [Effect]) {
    guard let interval = heartbeatInterval else { return }
    start(.heartbeat, for: interval, isRepeating: true, at: now, into: &effects)
  }

  /// Nil when heartbeats are off.
  private var heartbeatInterval: Nanoseconds? {
    let seconds = configuration.app.heartbeatIntervalSeconds
    return seconds > 0 ? Nanoseconds(seconds: max(seconds, profile.leastHeartbeatSeconds)) : nil
  }

  /// Keeps the rhythm; heartbeats missed by a suspended process are not made up.
  mutating func beat(dueAt due: MonotonicInstant, at now: Moment, into effects: inout [Effect]) {
    guard let interval = heartbeatInterval, state.isEnabled, !state.isMoving else { return }
    let next = due + interval
    timers.start(.heartbeat, at: next > now.monotonic ? next : now.monotonic + interval)
    note(.heartbeat, .debug, into: &effects)
    if let lastFix {
      effects.append(.event(.heartbeat(makeRecord(of: lastFix, event: .heartbeat, at: now))))
    }
    effects.append(.flush(.heartbeat))
  }

  /// Whether the heartbeat is held back. In the background iOS beats only with `preventSuspend` that has an effect, whatever
  /// else wakes the app (SDK §2.1, §18.2). It holds back the heartbeats of an unplugged phone with a dark screen from about two
  /// minutes after the app went to the background or the device last moved (SDK §18.3). The one that is due then comes with the
  /// next activity.
  @inline(__always) var holdsHeartbeat: Bool {
    guard let grace = profile.heartbeatGrace, phone.isInBackground else { return false }
    guard configuration.preventsSuspend else { return true }
    guard let due = timers.deadline(of: .heartbeat) else { return false }
    return phone.holdsBeat(dueAt: due, after: grace)
  }

  mutating func take(_ battery: Battery, at now: Moment, into effects: inout [Effect]) {
    let isPlugChanged = phone.take(battery, at: now)
    if isPlugChanged { fireTimers(at: now, into: &effects) }
  }

  mutating func restartHeartbeat(at now: Moment, into effects: inout [Effect]) {
    guard state.isEnabled, !state.isMoving else { return }
    stop(.heartbeat, into: &effects)
    if !isSettling { startHeartbeat(at: now, into: &effects) }
  }
}
