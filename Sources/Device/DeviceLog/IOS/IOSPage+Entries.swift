import Base
import Contract
import Vocabulary

extension IOSPage {
  /// Each group of entries is in a file of its own.
  mutating func write(_ entry: LogEntry) {
    if writeLife(entry) || writeMotion(entry) || writeLocation(entry) || writeGeofence(entry) || writeQueue(entry) {
      return
    }
    if writeHTTP(entry) || writeAuthorization(entry) || writeCommand(entry) { return }
    preconditionFailure("every entry has a line: \(entry)")
  }

  private mutating func writeLife(_ entry: LogEntry) -> Bool {
    switch entry {
    case .ready(let isFirstBoot):
      line("🔵", "-[TSLocationManager ready]")
      if !isFirstBoot { line("🔵", "-[TSTrackingService onResume]", "enabled? 1") }
    case .started(let isGeofenceMode):
      if isGeofenceMode {
        box("-[TSTrackingService startGeofences]")
      } else {
        box("-[TSTrackingService start:]", "🟢 trackingMode: 1")
      }
    case .stopped: box("-[TSTrackingService stop]", "🛑 stop")
    case .scheduler(let isOn): line(isOn ? "🟢" : "🔴", "-[TSScheduler \(isOn ? "start" : "stop")]", "📅")
    case .schedule(let window, let isOn):
      line(isOn ? "✅" : "🔴", "-[TSSchedule trigger:]", isOn ? "ON" : "OFF")
      line(
        "🔵", "-[TSTrackingService onScheduleEvent:]",
        "📅 Scheduler block fired: enabled: \(LogNumber.flag(isOn)) | Trigger: 1 | \(window)")
    case .terminated(let stopsTracking):
      line("🔵", "-[TSTrackingService onAppTerminate]", "stopOnTerminate? \(LogNumber.flag(stopsTracking))")
    case .booted: line("🔵", "-[TSLocationManager ready]_block_invoke", "Booted in background")
    case .appState(let isBackground):
      line("🔵", "-[TSAppState \(isBackground ? "onEnterBackground" : "onEnterForeground")]")
    case .configurationChanged(let key): line("🔵", "-[TSConfig onChange:]", key)
    case .warning(let text, let part): line("⚠️", part.selector, text)
    case .error(let text, let part): line("‼️", part.selector, text)
    case .user(let level, let text):
      line(level.icon, "-[TSLocationManager log:message:]", text)
    default: return false
    }
    return true
  }

  private mutating func writeMotion(_ entry: LogEntry) -> Bool {
    switch entry {
    case .paceChange(from: _, let isMoving):
      line("🟢", "-[TSTrackingService changePace:]", "isMoving: \(LogNumber.flag(isMoving))")
    case .motionChange: line("🔵", "-[TSConfig onChange:]", "state.isMoving")
    case .motionActivity(let activity, let isMovingType):
      box(
        "-[TSTrackingService onMotionActivityChange:]",
        "| \(activity.type.name)/\(activity.confidence) | isMoving: \(LogNumber.flag(isMovingType))")
    case .stopDetectionIgnored(let confidence, let minimum):
      line(
        "🔵", "-[TSTrackingService onMotionActivityChange:]",
        "[StopDetection] Ignored — low confidence: \(confidence) < \(minimum)")
    case .stopTimeoutEngaged(let seconds):
      line(
        "🔵", "-[TSTrackingService beginStopDetection]",
        "Stop-timeout engaged: \(LogNumber.fixed(seconds, 0)) s...")
    case .motionTriggerIgnored(let radius, let distance):
      let radius = LogNumber.fixed(radius, 0)
      line(
        "🔵", "-[TSTrackingService onUpdateState:]",
        "Location still within stationaryRadius (\(radius) m) Δd: \(LogNumber.fixed(distance, 0)) m."
          + "  Motion-trigger ignored.")
    case .motionTriggerDenied(let activity):
      line(
        "🔵", "-[TSTrackingService locationManager:didExitRegion:]",
        "Motion trigger denied:  motionType \(activity.name) not in triggerActivities: ")
    case .stationaryRegion(coords: _, let radius):
      line(
        "🔵", "-[TSTrackingService startMonitoringStationaryRegion:radius:]", "Radius: \(LogNumber.fixed(radius, 0))")
    case .regionExit: line("🔵", "-[TSTrackingService locationManager:didExitRegion:]", "Exit stationary region")
    case .spuriousRegionExit(let identifier):
      line(
        "⚠️", "-[TSTrackingService locationManager:monitoringDidFailForRegion:withError:]",
        "GEOFENCE MONITORING FAILED FOR REGION \(identifier), spurious exit")
    case .timerStarted(let name, let seconds, let isRepeating):
      line(
        "🟢", "-[TSTimerService startWithInterval:repeating:callback:]",
        "⏰ [\(name)] Starting timer: \(LogNumber.fixed(seconds, 2))s repeating: \(LogNumber.flag(isRepeating))")
    case .timerStopped(let name): line("🔴", "-[TSTimerService stop]", "⏰ [\(name)]")
    // Only Android has such alarms.
    case .alarmFired: break
    case .heartbeat: line("🔵", "-[TSHeartbeatService onHeartbeat:]", "❤️")
    case .backgroundTask(let id, let isStart):
      if isStart {
        line("✅", "-[TSBackgroundTaskManager createBackgroundTask]", "Created background task: \(id)")
      } else {
        line("✅", "-[TSBackgroundTaskManager stopBackgroundTask:]_block_invoke", "\(id) OF {(\n    \(id)\n)}")
      }
    default: return false
    }
    return true
  }

  private mutating func writeGeofence(_ entry: LogEntry) -> Bool {
    switch entry {
    case .geofence(let identifier, let action, let hits):
      box("-[TSGeofenceTransition setTriggerLocation:]", "📢 \(action.rawValue) Geofence: \(identifier)")
      line(
        "🔵", "-[TSGeofenceDAO updateStateForIdentifier:entryState:hits:]_block_invoke",
        "Updated state for \(identifier) (entry_state=\(LogNumber.flag(action != .exit)), "
          + "state_updated_at=\(LogNumber.fixed(Double(instant.millisecondsSince1970) / 1_000, 3)), hits=\(hits))")
    case .geofenceSuppressed(let identifier, let reason):
      line(
        "🔵", "-[TSGeofenceTransition requestTriggerLocation]",
        "Failed to fetch trigger location for action \(identifier): \(reason)")
    case .geofenceAdded(let identifier): line("🔵", "-[TSGeofenceDAO doInsert:geofence:]_block_invoke", identifier)
    case .geofenceRemoved(let identifier?): line("🔵", "-[TSGeofenceDAO destroy:]_block_invoke", identifier)
    case .geofenceRemoved(nil): line("🔵", "-[TSGeofenceDAO destroyAll]")
    case .proximity(let found, let all, let radius):
      box(
        "-[TSGeofenceManager evaluateProximity:]",
        "Found \(found) / \(all) within \(LogNumber.fixed(radius, 0)) m")
    default: return false
    }
    return true
  }
}
