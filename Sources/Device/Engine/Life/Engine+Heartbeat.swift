import Base
import Contract
import Vocabulary

/// Behaviour §18.
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

  /// The beats keep their rhythm; those that a suspended process missed are not made up for.
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

  mutating func restartHeartbeat(at now: Moment, into effects: inout [Effect]) {
    guard state.isEnabled, !state.isMoving else { return }
    stop(.heartbeat, into: &effects)
    if !isSettling { startHeartbeat(at: now, into: &effects) }
  }
}
