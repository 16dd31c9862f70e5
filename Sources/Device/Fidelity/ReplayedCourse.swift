import Base
import Contract
import DeviceLog
import Engine
import Vocabulary

/// What our engine did, read off its effects.
struct ReplayedCourse {
  private(set) var happenings: [Happening] = []
  private(set) var metres = 0.0

  private var waiting = 0
  private var lastOdometer: Double?
  private var isStopping = false
  private let countsUploads: Bool

  /// A log without any upload is one of a device without a server.
  init(countsUploads: Bool) { self.countsUploads = countsUploads }

  mutating func take(_ effects: [Effect], at time: WallInstant, line: Int) {
    func add(_ kind: FidelityClass, _ what: String) {
      happenings.append(Happening(kind, at: time, line: line, what))
    }
    for effect in effects {
      switch effect {
      case .persist(let record, let kind):
        waiting += 1
        if kind.isJudged { add(.records, kind.described(isMoving: record.isMoving)) }
      case .flush:
        if waiting > 0 && countsUploads { add(.uploads, "upload") }
        waiting = 0
      case .log(let entry): for (kind, what) in told(by: entry) { add(kind, what) }
      default: break
      }
    }
  }

  private mutating func told(by entry: LogEntry) -> [(FidelityClass, String)] {
    switch entry {
    case .distanceFilter(let new, let old): return [(.distanceFilter, "from \(whole(old)) to \(whole(new)) m")]
    case .paceChange(_, let isMoving):
      defer { isStopping = false }
      let pace = (FidelityClass.transitions, isMoving ? "to moving" : "to stationary")
      return isStopping && !isMoving ? [(.stopTimers, "fired"), pace] : [pace]
    case .geofence(let identifier, let action, _): return [(.geofences, "\(action.rawValue) \(identifier)")]
    case .stopTimeoutEngaged(let seconds):
      isStopping = true
      return [(.stopTimers, "engaged for \(whole(seconds)) s")]
    case .timerStarted(name: LogEntry.stationaryCheckName, let seconds, _):
      return [(.stopTimers, "engaged for \(whole(seconds)) s")]
    case .alarmFired: return [(.stopTimers, "fired")]
    case .timerStopped(name: LogEntry.stationaryCheckName): return [(.stopTimers, "cancelled")]
    case .timerStopped(name: "stopTimeout"):
      isStopping = false
      return [(.stopTimers, "cancelled")]
    case .odometer(let value, _):
      if let lastOdometer { metres += max(0, value - lastOdometer) }
      lastOdometer = value
      return []
    default: return []
    }
  }
}
