package import Base
import Contract
import Vocabulary

/// The deadlines of the engine's timers, stored inline: thousands of engines hold thousands of them.
struct Timers: Sendable {
  /// The timers, in the order in which they fire when due at the same instant.
  enum Name: Int, CaseIterable, Sendable {
    case stopDetectionDelay, stopTimeout, stationaryCheck, motionTrigger, heartbeat, stopAfterElapsed, preventSuspend
    case schedule

    /// The name in the log.
    var text: String {
      switch self {
      case .stopDetectionDelay: "stopDetectionDelay"
      case .stopTimeout: "stopTimeout"
      case .stationaryCheck: LogEntry.stationaryCheckName
      case .motionTrigger: "motionTriggerDelay"
      case .heartbeat: "heartbeat"
      case .stopAfterElapsed: "stopAfterElapsedMinutes"
      case .preventSuspend: "preventSuspend"
      case .schedule: "schedule"
      }
    }

    /// Whether, in a suspended process, it fires only when something else wakes the process.
    var sleepsInBackground: Bool { self == .heartbeat || self == .stopAfterElapsed }
  }

  private static let off = Int64.max
  private var deadlines = InlineArray<8, Int64>(repeating: Timers.off)

  func isRunning(_ name: Name) -> Bool { deadlines[name.rawValue] != Timers.off }

  func deadline(of name: Name) -> MonotonicInstant? {
    isRunning(name) ? MonotonicInstant(nanoseconds: deadlines[name.rawValue]) : nil
  }

  mutating func start(_ name: Name, at deadline: MonotonicInstant) {
    deadlines[name.rawValue] = min(deadline.nanoseconds, Timers.off - 1)
  }

  /// Stops a timer and returns whether it was running.
  @discardableResult
  mutating func stop(_ name: Name) -> Bool {
    defer { deadlines[name.rawValue] = Timers.off }
    return isRunning(name)
  }

  mutating func stopAll() { deadlines = InlineArray(repeating: Timers.off) }

  /// Returns the timer that fires first; nil when none runs. Skips sleeping timers in a suspended process, and the
  /// heartbeat while it is held back.
  func earliest(isSuspended: Bool = false, holdsHeartbeat: Bool) -> (name: Name, deadline: MonotonicInstant)? {
    var found: Name?
    for name in Name.allCases where isRunning(name) && !(isSuspended && name.sleepsInBackground) {
      if holdsHeartbeat && name == .heartbeat { continue }
      if let best = found, deadlines[best.rawValue] <= deadlines[name.rawValue] { continue }
      found = name
    }
    return found.map { ($0, MonotonicInstant(nanoseconds: deadlines[$0.rawValue])) }
  }
}

extension Engine {
  /// Mutates in place, because a getter would copy the engine.
  mutating func setDeadline() {
    var next = timers.earliest(isSuspended: isSuspended, holdsHeartbeat: holdsHeartbeat)?.deadline
    for request in requests { next = earlier(next, request.deadline) }
    // Fences of an ended process wait for the next one.
    if phase != .ended { next = earlier(next, fences.nextDeadline) }
    for task in backgroundTasks { next = earlier(next, task.deadline) }
    nextDeadline = next
  }

  /// The running timers by their names in the log, in the order of `Timers.Name`.
  package var runningTimers: [(name: String, deadline: MonotonicInstant)] {
    Timers.Name.allCases.compactMap { name in timers.deadline(of: name).map { (name.text, $0) } }
  }

  /// On iOS nothing runs in the background except in response to an input, unless the app is kept awake, moving or watched.
  @inline(__always) var isSuspended: Bool {
    profile.suspendsInBackground && phone.isInBackground && demands.locationUpdates == nil && watches.isEmpty
      && !configuration.preventsSuspend
  }

  mutating func fireTimers(at now: Moment, into effects: inout [Effect]) {
    fireTimers(ofEngineAt: now, into: &effects)
    expireRequests(at: now, into: &effects)
    expireBackgroundTasks(at: now, into: &effects)
  }

  /// Fires all due timers except those of requests and tasks.
  mutating func fireTimers(ofEngineAt now: Moment, into effects: inout [Effect]) {
    while let due = timers.earliest(holdsHeartbeat: holdsHeartbeat), due.deadline <= now.monotonic {
      timers.stop(due.name)
      switch due.name {
      case .stopDetectionDelay: engageStopTimeout(at: now, into: &effects)
      case .stopTimeout: stopTimeoutFired(at: now, into: &effects)
      case .stationaryCheck: stationaryCheckFired(at: now, into: &effects)
      case .motionTrigger: motionTriggerFired(at: now, into: &effects)
      case .heartbeat: beat(dueAt: due.deadline, at: now, into: &effects)
      case .stopAfterElapsed: stop(into: &effects)
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
