import Contract
import DeviceLog
import Vocabulary

/// The state of the device at the first line of its log, inferred from the log.
struct InitialState {
  private(set) var configuration: Configuration
  /// Whether the log has a dump of the configuration; it applies from the first line on, wherever it occurs.
  private(set) var isConfigured = false
  private(set) var isEnabled = false
  private(set) var isMoving = false
  /// The speed in metres per second that gives the first distance filter in the log.
  private(set) var speed = 0.0
  /// Whether the device was in geofence mode. On Android every start includes geofences.
  private(set) var isGeofenceMode = false
  let fix: Fix?
  private let platform: DevicePlatform

  init(_ log: LogReader) {
    platform = log.platform
    configuration = Configuration(platform: log.platform)
    fix = LoggedFences.firstFix(in: log.facts)
    for case .configuration(let document) in log.facts.lazy.map(\.content) {
      _ = configuration.apply(document)
      isConfigured = true
      break
    }
    if !isConfigured { LoggedSettings(log.facts[...], multiplier: 1).apply(to: &configuration) }
    let isSignificant = InitialState.followsSignificantChanges(log.facts)
    let isConfigured = isConfigured
    _ = configuration.edit {
      $0.logger.logLevel = .verbose
      if isSignificant { $0.geolocation.useSignificantChangesOnly = true }
      // The log continues after a launch in the background.
      if isSignificant && !isConfigured { $0.app.stopOnTerminate = false }
    }
    // The motion state is not part of the configuration; a start begins at rest unless the app says otherwise.
    configuration.isMoving = false
    findMode(log.facts)
    findState(log.facts)
    findSpeed(log.facts)
  }

  /// The first position decides, because a dump of the configuration may be older or newer.
  static func followsSignificantChanges(_ facts: [LogFact]) -> Bool {
    for fact in facts {
      switch fact.content {
      case .significantFix, .movingGeofenceExit, .passiveFix: return true
      case .fix(_, number: 0, _): return false
      default: continue
      }
    }
    return false
  }

  private mutating func findSpeed(_ facts: [LogFact]) {
    let settings = configuration.geolocation
    let step = settings.distanceFilterMetres * settings.elasticityMultiplier
    for case .tracking(_, _, let effective) in facts.lazy.map(\.content) {
      if step > 0 { speed = 5 * max(0, effective - settings.distanceFilterMetres) / step }
      return
    }
  }

  private mutating func findMode(_ facts: [LogFact]) {
    isGeofenceMode =
      facts.contains { $0.content == .started(trackingMode: 0) }
      && !facts.contains { fact in
        switch fact.content {
        case .paceChange, .tracking, .fix(_, number: 0, _), .significantFix, .started(trackingMode: 1): true
        default: false
        }
      }
  }

  /// Infers the state from the first line that depends on it.
  private mutating func findState(_ facts: [LogFact]) {
    for fact in facts {
      switch fact.content {
      case .launched, .started: return
      case .configuration(let document):
        // A launch, with the stored state of the device.
        isEnabled = document.flag("enabled") ?? false
        isMoving = isEnabled && document.flag("isMoving") ?? false
        return
      case .paceChange(let becomesMoving, let wasMoving):
        (isEnabled, isMoving) = (true, wasMoving ?? !becomesMoving)
        return
      case .fix(_, number: 0, _) where platform == .android, .distanceFilter:
        (isEnabled, isMoving) = (true, true)
        return
      case .pace(let isMoving):
        (isEnabled, self.isMoving) = (true, isMoving)
        return
      case .movingGeofenceExit:
        (isEnabled, isMoving) = (true, true)
        return
      case .regionExit, .heartbeat, .motionTriggerIgnored, .significantFix:
        isEnabled = true
        return
      case .tracking(let isEnabled, let isMoving, _):
        (self.isEnabled, self.isMoving) = (isEnabled, isMoving)
        return
      case .stopDetectionIgnored, .stopTimeoutEngaged:
        (isEnabled, isMoving) = (true, true)
        return
      default: continue
      }
    }
  }
}
