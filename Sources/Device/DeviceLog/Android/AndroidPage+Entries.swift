import Contract
import Vocabulary

extension AndroidPage {
  /// Each group of entries is in a file of its own.
  mutating func write(_ entry: LogEntry) {
    if writeLife(entry) || writeMotion(entry) || writeLocation(entry) || writeGeofence(entry) || writeQueue(entry) {
      return
    }
    if writeHTTP(entry) || writeAuthorization(entry) { return }
    preconditionFailure("every entry has a line: \(entry)")
  }

  private mutating func writeLife(_ entry: LogEntry) -> Bool {
    switch entry {
    case .ready:
      line("✅", "BackgroundGeolocation BackgroundGeolocation", "Google Play Services: connected (version code:1)")
    case .started(let isGeofenceMode):
      if isGeofenceMode {
        line("🟢", "TSGeofenceManager start", "Start monitoring geofences")
      } else {
        line("🟢", "TSProviderManager startMonitoring", "Start monitoring location-provider changes")
      }
    case .stopped: line("🔴", "TSProviderManager stopMonitoring", "Stop monitoring location-provider changes")
    case .scheduler(let isOn):
      if isOn {
        box("TSScheduleManager start", "🟢  Scheduler ON", ["TSSchedule"])
      } else {
        line("🔴", "TSScheduleManager stop", "Scheduler OFF")
      }
    case .schedule(let window, let isOn):
      box(
        "ScheduleEvent onScheduleEvent",
        "📅  Schedule alarm fired!  enabled: \(isOn), trackingMode: \(window.hasSuffix("geofence") ? 0 : 1)")
    case .terminated:
      line("⚠️", "LifecycleManager onActivityDestroyed", "TerminateEvent ONESHOT DISABLED", level: "DEBUG")
    case .booted: line("🔵", "BootReceiver doStartOnBoot", "Starting BackgroundGeolocation on boot")
    case .appState(let isBackground):
      line(
        "☯️", "LifecycleManager \(isBackground ? "handleOnStop" : "handleOnResume")",
        isBackground ? "onStop" : "onResume")
    case .configurationChanged(let key): plain("TSLog d", key)
    case .warning(let text, from: _): line("⚠️", "TSLog w", text)
    case .error(let text, from: _): line("‼️", "TSLog e", text)
    case .user(let level, let text): line(level.icon, "Logger log", text)
    default: return false
    }
    return true
  }

  private mutating func writeMotion(_ entry: LogEntry) -> Bool {
    switch entry {
    case .paceChange(let old, let new): line("🔵", "TrackingService onDenied", "setPace: \(old) → \(new)")
    case .motionChange(let isMoving):
      line("🔵", "TSLocationManager onSingleLocationResult", "Acquired motionchange position, isMoving: \(isMoving)")
    case .motionActivity(let activity, _):
      line(
        "🚘", "MotionActivityProcessor handleActivityRecognitionResult", "\(activity.type.name)/\(activity.confidence)")
    case .stopDetectionIgnored(let confidence, let minimum):
      plain("TSLog i", "Stop-detection ignored: confidence \(confidence) < \(minimum)")
    case .stopTimeoutEngaged(let seconds):
      line(
        "⏰", "TSScheduleManager oneShot",
        "Scheduled OneShot: STOP_TIMEOUT in \(LogNumber.fixed(seconds * 1_000, 0))ms (jobID: 1)")
    case .motionTriggerIgnored(_, let distance):
      line(
        "ℹ️", "TrackingService onLocation",
        "Distance from motion-activity check location: \(LogNumber.fixed(distance, 1))")
    case .motionTriggerDenied(let activity):
      plain("TSLog i", "Motion trigger denied: \(activity.name)")
    case .stationaryRegion(let coords, let radius):
      line(
        "🟢", "TSGeofenceManager startMonitoringStationaryRegion",
        "Start monitoring stationary region (radius: \(LogNumber.fixed(radius, 1))m "
          + "\(LogNumber.fixed(coords.latitude, 6)),\(LogNumber.fixed(coords.longitude, 6)) "
          + "hAcc=\(LogNumber.fixed(coords.accuracy ?? -1, 1)))", level: "DEBUG")
    case .regionExit(let identifier):
      box("GeofenceManagerStationaryExitStrategy handleExit", "Stationary geofence EXIT", ["📍  \(identifier)"])
    case .spuriousRegionExit:
      line(
        "🚫", "GeofenceManagerStationaryExitStrategy handleExit",
        "Ignoring spurious stationary geofence EXIT (still possibly inside)")
    // Its own entry has told of it already.
    case .timerStarted(name: "stopTimeout", _, _): break
    case .timerStarted(let name, let seconds, _):
      line(
        "⏰", "TSScheduleManager oneShot",
        "Scheduled OneShot: \(name) in \(LogNumber.fixed(seconds * 1_000, 0))ms (jobID: 1)")
    case .timerStopped(let name):
      line("⏰", "TSScheduleManager cancelOneShot", "Cancel OneShot: \(name == "stopTimeout" ? "STOP_TIMEOUT" : name)")
    case .alarmFired(let name): box("ScheduleEvent onOneShot", "⏰ OneShot event fired: \(name)")
    case .heartbeat: plain("HeartbeatService onHeartbeat", "❤️")
    case .backgroundTask(let id, let isStart):
      let verb = isStart ? "start" : "stop"
      line("⏳", "BackgroundTaskManager \(verb)", "\(verb)BackgroundTask: \(id)")
    default: return false
    }
    return true
  }

  private mutating func writeGeofence(_ entry: LogEntry) -> Bool {
    switch entry {
    case .geofence(let identifier, let action, let hits):
      box("GeofencingProcessor handleGeofencingEvent", "Geofencing Event: \(action.rawValue)", [identifier])
      plain(
        "GeofenceDAO updateState",
        "Updated geofence state \(identifier) (entry_state=\(LogNumber.flag(action != .exit)), hits=\(hits))")
    case .geofenceSuppressed(let identifier, let reason):
      plain("TSLog d", "Geofence transition suppressed: \(identifier) (\(reason))")
    case .geofenceAdded(let identifier): line("✅", "GeofenceDAO create", "UPSERT geofence: \(identifier)")
    case .geofenceRemoved(let identifier?): line("✅", "GeofenceDAO destroy", "Destroyed geofence: \(identifier)")
    case .geofenceRemoved(nil): line("✅", "GeofenceDAO destroyAll", "Destroyed all geofence(s)")
    case .proximity(let found, let all, let radius):
      box(
        "TSGeofenceManager onFailure",
        "TSGeofenceManager monitoring \(found)/\(all) within \(LogNumber.fixed(radius, 0)) meters")
    default: return false
    }
    return true
  }
}
