import Base
import Contract
import DeviceLog
import JSON
import Vocabulary

/// The acts of the real engine, read from its log.
struct LoggedActs {
  private(set) var acts: [EngineAct] = []
  /// The sum of the odometer's increases after its first value.
  private(set) var metres = 0.0

  private var isMoving = false
  private var lastOdometer: Double?
  var showsOdometer: Bool { lastOdometer != nil }
  private var flushBegan: LogFact?
  private var isStopping = false
  private var isStopFired = false
  /// Whether a line of its own shows the change of pace.
  private var isPaceTold = false
  /// The possible causes of a record, the latest last: the logs of Android and of old versions do not show its kind.
  private var causes: [(kind: RecordKind, time: WallInstant)] = []

  init(_ facts: [LogFact], isMovingAtFirst: Bool) {
    isMoving = isMovingAtFirst
    for fact in facts { take(fact) }
  }

  private mutating func take(_ fact: LogFact) {
    switch fact.content {
    case .inserted(_, let told, _):
      let kind = told ?? causes.popLast()?.kind ?? .tracking
      if kind.isJudged { add(.records, fact, kind.described(isMoving: isMoving)) }
    case .fix(_, number: 0, _): causes.removeAll()
    case .significantFix, .movingGeofenceExit:
      causes.removeAll { fact.time.milliseconds(since: $0.time) > Agreement.windowMilliseconds }
      causes.append((.tracking, fact.time))
    case .significantFixDropped: if causes.last?.kind == .tracking { causes.removeLast() }
    case .acquired(let acquired): takeAcquired(acquired, fact)
    case .pace(let isMoving): self.isMoving = isMoving
    case .distanceFilter(let new, let old): add(.distanceFilter, fact, "from \(whole(old)) to \(whole(new)) m")
    case .paceChange(let isMoving, _):
      if isStopping && !isMoving { fire(fact) }
      isStopping = false
      isPaceTold = true
      self.isMoving = isMoving
      add(.transitions, fact, isMoving ? "to moving" : "to stationary")
    case .tracking(_, let isMoving, _): self.isMoving = isMoving
    case .geofenceEvent(let identifier, let action):
      causes.append((.geofence, fact.time))
      add(.geofences, fact, "\(action) \(identifier)")
    case .flushBegan, .locked, .flushFinished: takeUpload(fact)
    case .odometer(let metres, _): takeOdometer(metres)
    default: takeTimer(fact)
    }
  }

  /// With significant changes the acquired position is the only line about a change of pace.
  private mutating func takeAcquired(_ acquired: LogFact.Acquired, _ fact: LogFact) {
    guard case .motionChange(let isMoving) = acquired else {
      causes.append((.current, fact.time))
      return
    }
    causes.append((.motionChange, fact.time))
    if let isMoving {
      self.isMoving = isMoving
      if !isPaceTold { add(.transitions, fact, isMoving ? "to moving" : "to stationary") }
    }
    isPaceTold = false
  }

  private mutating func takeTimer(_ fact: LogFact) {
    switch fact.content {
    case .stopTimeoutEngaged(let seconds):
      isStopping = true
      isStopFired = false
      add(.stopTimers, fact, "engaged for \(whole(seconds)) s")
    case .stopTimeoutFired: if !isStopFired { fire(fact) }
    case .timerStopped(name: "stopTimeout"):
      if !isStopFired { add(.stopTimers, fact, "cancelled") }
      isStopping = false
      isStopFired = false
    default: break
    }
  }

  /// Our own devices have no line for it: a stop timer that is not cancelled ends in a change of pace.
  private mutating func fire(_ fact: LogFact) {
    isStopping = false
    isStopFired = true
    add(.stopTimers, fact, "fired")
  }

  /// A flush counts once it is known to have something to send: by its first line, a page, or its last line.
  private mutating func takeUpload(_ fact: LogFact) {
    switch fact.content {
    case .flushBegan(let queued):
      flushBegan = queued == nil ? fact : nil
      if let queued, queued > 0 { add(.uploads, fact, "upload") }
    case .locked(_, let count): if count > 0 { endUpload() }
    case .flushFinished(let queued): if let queued, queued > 0 { endUpload() } else { flushBegan = nil }
    default: break
    }
  }

  private mutating func endUpload() {
    if let flushBegan { add(.uploads, flushBegan, "upload") }
    flushBegan = nil
  }

  private mutating func takeOdometer(_ value: Double) {
    if let lastOdometer { metres += max(0, value - lastOdometer) }
    lastOdometer = value
  }

  private mutating func add(_ kind: FidelityClass, _ fact: LogFact, _ what: String) {
    acts.append(EngineAct(kind, at: fact.time, line: fact.line, what))
  }
}

/// Returns the number without its fraction; a corrupt log may contain any number.
package func whole(_ value: Double) -> String {
  Int(exactly: value.rounded(.towardZero)).map { String($0) } ?? "\(value)"
}

extension RecordKind {
  /// Requests of the app are left out: the log does not show whether their record was to be stored.
  var isJudged: Bool {
    switch self {
    case .motionChange, .tracking, .geofence, .polygon: true
    case .current, .sample, .watch, .heartbeat, .motionState, .odometer, .stream: false
    }
  }

  func described(isMoving: Bool) -> String { "\(self), \(isMoving ? "moving" : "stationary")" }
}

/// Settings inferred from a stretch of a log that does not show them.
struct LoggedSettings: Equatable {
  private(set) var distanceFilterMetres: Double?
  private(set) var stopTimeoutMinutes: Double?

  /// The distance is the one that most changes of the distance filter follow from, given the speed at each
  /// (SDK §14.1); the first of those that are equally common.
  init(_ facts: ArraySlice<LogFact>, multiplier: Double) {
    var speed: Double?
    var votes: [(metres: Double, count: Int)] = []
    for fact in facts {
      switch fact.content {
      case .fix(let fix, number: 0, _): speed = fix.coords.speed
      case .distanceFilter(let new, _):
        let steps = ((speed ?? 0) / 5).rounded()
        let metres = new / (1 + multiplier * steps)
        guard metres.isFinite, metres > 0 else { continue }
        if let index = votes.firstIndex(where: { abs($0.metres - metres) < 0.5 }) {
          votes[index].count += 1
        } else {
          votes.append((metres, 1))
        }
      case .stopTimeoutEngaged(let seconds): if stopTimeoutMinutes == nil { stopTimeoutMinutes = seconds / 60 }
      default: break
      }
    }
    var most = 0
    for vote in votes where vote.count > most { (distanceFilterMetres, most) = (vote.metres, vote.count) }
  }

  func apply(to configuration: inout Configuration) {
    _ = configuration.edit {
      if let distanceFilterMetres { $0.geolocation.distanceFilterMetres = distanceFilterMetres }
      if let stopTimeoutMinutes { $0.geolocation.stopTimeoutMinutes = stopTimeoutMinutes }
    }
  }
}

extension JSONValue {
  /// A flag in a dump of the configuration: iOS writes 1 and 0.
  func flag(_ key: String) -> Bool? {
    guard case .object(let members) = self else { return nil }
    switch members[key] {
    case .bool(let flag): return flag
    case .integer(let number): return number != 0
    default: return nil
    }
  }
}
