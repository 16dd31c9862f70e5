import Base
import Contract
import DeviceLog
import JSON
import Vocabulary

/// The state of a phone according to its log.
struct LoggedState {
  /// Whether a record is possible.
  enum Mode: Hashable {
    case unknown, moving, atRest, off, scheduledOff, denied
  }

  let platform: DevicePlatform
  private(set) var isMoving: Bool?
  private(set) var isLocating: Bool?
  private var isEnabled = true
  private var isScheduledOff = false
  private var permission: Int?
  private(set) var followsSignificantChanges = false
  private(set) var distanceFilter: Double?
  private(set) var heartbeatSeconds = LoggedState.usualHeartbeat
  private(set) var isStopTimerRunning = false

  private static let usualHeartbeat = 60.0
  /// Not determined, restricted, denied, permanently denied.
  private static let denials: Set<Int> = [0, 1, 2, 5]

  init(_ platform: DevicePlatform) { self.platform = platform }

  var mode: Mode {
    if permission.map(LoggedState.denials.contains) ?? false { return .denied }
    if isScheduledOff { return .scheduledOff }
    if !isEnabled { return .off }
    switch isMoving {
    case true?: return .moving
    case false?: return isLocating == true ? .moving : .atRest
    case nil: return isLocating == true ? .moving : .unknown
    }
  }

  mutating func take(_ content: LogFact.Content) {
    switch content {
    case .paceChange(let isMoving, _): self.isMoving = isMoving
    case .pace(let isMoving): self.isMoving = isMoving
    case .tracking(let isEnabled, let isMoving, let filter):
      (self.isEnabled, self.isMoving, distanceFilter) = (isEnabled, isMoving, filter)
    case .acquired(.motionChange(let isMoving?)): self.isMoving = isMoving
    case .locationUpdates(let isOn): isLocating = isOn
    // A heartbeat occurs only at rest, where location updates are off.
    case .heartbeat: (isMoving, isLocating) = (false, false)
    case .stopTimeoutEngaged:
      (isMoving, isStopTimerRunning) = (true, true)
    case .stopTimeoutFired, .timerStopped(name: "stopTimeout"): isStopTimerRunning = false
    case .timerStarted(let name, let seconds) where name.lowercased() == "heartbeat":
      if seconds > 0 { heartbeatSeconds = seconds }
    case .distanceFilter(let new, _): distanceFilter = new
    case .filterDecision(let trace): distanceFilter = trace.distanceFilter
    case .significantFix, .movingGeofenceExit: followsSignificantChanges = true
    default: takeLife(content)
    }
  }

  private mutating func takeLife(_ content: LogFact.Content) {
    switch content {
    case .started:
      (isEnabled, isScheduledOff) = (true, false)
    case .stopped: isEnabled = false
    case .schedule(let isOn):
      isScheduledOff = !isOn
      if isOn { isEnabled = true }
    case .permission(let status): permission = status
    case .configuration(let document): take(document)
    default: break
    }
  }

  /// Takes the saved state of the device, with which a launch begins.
  private mutating func take(_ document: JSONValue) {
    isStopTimerRunning = false
    isLocating = nil
    if let flag = document.flag("enabled") { isEnabled = flag }
    if let flag = document.flag("isMoving") { isMoving = flag }
    let settings = [document, document["geolocation"], document["app"]].compactMap { $0 }
    for group in settings {
      if let flag = group.flag("useSignificantChangesOnly") { followsSignificantChanges = flag }
      if let seconds = group.figure("heartbeatInterval"), seconds > 0 { heartbeatSeconds = seconds }
      if let metres = group.figure("distanceFilter"), distanceFilter == nil { distanceFilter = metres }
    }
  }
}

extension JSONValue {
  /// Returns a flag; iOS writes 1 and 0.
  fileprivate func flag(_ key: String) -> Bool? {
    switch self[key] {
    case .bool(let flag): flag
    case .integer(let number): number != 0
    default: nil
    }
  }

  fileprivate func figure(_ key: String) -> Double? {
    switch self[key] {
    case .integer(let number): Double(number)
    case .double(let number): number
    default: nil
    }
  }
}
