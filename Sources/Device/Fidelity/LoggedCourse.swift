import Base
import DeviceLog
import Vocabulary

/// What the real engine did, read off its log.
struct LoggedCourse {
  private(set) var happenings: [Happening] = []
  /// The sum of all steps forward that the odometer took, once it had taken the first.
  private(set) var metres = 0.0

  private var isMoving = false
  private var lastOdometer: Double?
  private var flushBegan: LogFact?
  private var isStopFired = false

  init(_ facts: [LogFact], isMovingAtFirst: Bool) {
    isMoving = isMovingAtFirst
    for fact in facts { take(fact) }
  }

  private mutating func take(_ fact: LogFact) {
    switch fact.content {
    case .inserted(_, let kind?): if kind.isJudged { add(.records, fact, kind.described(isMoving: isMoving)) }
    case .distanceFilter(let new, let old): add(.distanceFilter, fact, "from \(Int(old)) to \(Int(new)) m")
    case .paceChange(let isMoving):
      self.isMoving = isMoving
      add(.transitions, fact, isMoving ? "to moving" : "to stationary")
    case .tracking(_, let isMoving, _): self.isMoving = isMoving
    case .geofenceEvent(let identifier, let action): add(.geofences, fact, "\(action) \(identifier)")
    case .flushBegan: flushBegan = fact
    case .flushFinished(_, let queued, _):
      if queued > 0, let flushBegan { add(.uploads, flushBegan, "upload") }
      flushBegan = nil
    case .odometer(let metres, _): takeOdometer(metres)
    default: takeTimer(fact)
    }
  }

  private mutating func takeTimer(_ fact: LogFact) {
    switch fact.content {
    case .stopTimeoutEngaged(let seconds): add(.stopTimers, fact, "engaged for \(Int(seconds)) s")
    case .stopTimeoutFired:
      isStopFired = true
      add(.stopTimers, fact, "fired")
    case .timerStopped(name: "stopTimeout"):
      if !isStopFired { add(.stopTimers, fact, "cancelled") }
      isStopFired = false
    default: break
    }
  }

  private mutating func takeOdometer(_ value: Double) {
    if let lastOdometer { metres += max(0, value - lastOdometer) }
    lastOdometer = value
  }

  private mutating func add(_ kind: FidelityClass, _ fact: LogFact, _ what: String) {
    happenings.append(Happening(kind, at: fact.time, line: fact.line, what))
  }
}

extension RecordKind {
  /// What an app asks for by itself is left out: a log does not tell whether such a record was to be kept.
  var isJudged: Bool {
    switch self {
    case .motionChange, .tracking, .geofence, .polygon: true
    case .current, .sample, .watch, .heartbeat, .motionState, .odometer, .stream: false
    }
  }

  func described(isMoving: Bool) -> String { "\(self), \(isMoving ? "moving" : "stationary")" }
}
