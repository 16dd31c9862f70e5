package import Base
import Contract
import Vocabulary

extension Engine {
  /// The earliest instant at which the engine wants `.timersDue`; nil when it waits for nothing.
  package var nextDeadline: MonotonicInstant? {
    var next = timers.earliest(isSuspended: isSuspended, holdsHeartbeat: holdsHeartbeat)?.deadline
    for request in requests { next = Engine.earlier(next, request.deadline) }
    // Fences of a process that has ended wait for the next one.
    if phase != .ended { next = Engine.earlier(next, fences.nextDeadline) }
    for task in backgroundTasks { next = Engine.earlier(next, task.deadline) }
    return next
  }

  /// By the names of the log, in the order of `Timers.Name`.
  package var runningTimers: [(name: String, deadline: MonotonicInstant)] {
    Timers.Name.allCases.compactMap { name in timers.deadline(of: name).map { (name.text, $0) } }
  }

  private static func earlier(_ one: MonotonicInstant?, _ other: MonotonicInstant?) -> MonotonicInstant? {
    guard let one else { return other }
    guard let other else { return one }
    return min(one, other)
  }

  /// iOS lets nothing run in the background but what follows from an input, unless it is kept awake, moving or watched.
  var isSuspended: Bool {
    profile.suspendsInBackground && isInBackground && !configuration.preventsSuspend && demands.locationUpdates == nil
      && watches.isEmpty
  }

  mutating func fireTimers(at now: Moment, into effects: inout [Effect]) {
    fireTimers(ofEngineAt: now, into: &effects)
    expireRequests(at: now, into: &effects)
    expireBackgroundTasks(at: now, into: &effects)
  }

  /// All but those of requests and tasks.
  mutating func fireTimers(ofEngineAt now: Moment, into effects: inout [Effect]) {
    while let due = timers.earliest(holdsHeartbeat: holdsHeartbeat), due.deadline <= now.monotonic {
      timers.stop(due.name)
      switch due.name {
      case .stopDetectionDelay: engageStopTimeout(at: now, into: &effects)
      case .stopTimeout: stopTimeoutFired(at: now, into: &effects)
      case .stationaryCheck: stationaryCheckFired(at: now, into: &effects)
      case .motionTrigger: motionTriggerFired(at: now, into: &effects)
      case .heartbeat: beat(dueAt: due.deadline, at: now, into: &effects)
      case .stopAfterElapsed: stop(at: now, into: &effects)
      case .schedule: wakeSchedule(at: now, into: &effects)
      case .preventSuspend: cyclePreventSuspend(at: now, into: &effects)
      }
    }
    fireFenceTimers(at: now, into: &effects)
  }

  mutating func start(
    _ name: Timers.Name, for span: Nanoseconds, isRepeating: Bool = false, at now: Moment, into effects: inout [Effect]
  ) {
    timers.start(name, at: now.monotonic + span)
    note(
      .timerStarted(name: name.text, seconds: span.seconds, isRepeating: isRepeating), .info, into: &effects)
  }

  mutating func stop(_ name: Timers.Name, into effects: inout [Effect]) {
    if timers.stop(name) { note(.timerStopped(name: name.text), .info, into: &effects) }
  }
}
