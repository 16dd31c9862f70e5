import Base
import Contract
import Vocabulary

/// Lines of the iOS text export: time, icon, selector, message, and a blank line behind each (SDK §20.2).
struct IOSLogWriter {
  let instant: WallInstant
  let time: LocalTime
  let utcOffsetMinutes: Int
  let zoneName: String
  private(set) var text = ""

  init(at instant: WallInstant, utcOffsetMinutes: Int, zoneName: String) {
    self.instant = instant
    time = LocalTime(instant, utcOffsetMinutes: utcOffsetMinutes)
    self.utcOffsetMinutes = utcOffsetMinutes
    self.zoneName = zoneName
  }

  static let bar = String(repeating: "═", count: 59)

  mutating func line(_ icon: String, _ selector: String, _ message: String = "") {
    text += "\(time.full) \(icon) \(selector) \(message)\n\n"
  }

  mutating func box(_ selector: String, _ message: String = "") {
    text += "\(time.full) \n╔\(Self.bar)\n║ \(selector) \(message)\n╚\(Self.bar)\n\n"
  }

  /// Writes a line without a caller: the fixes of tracking are on the line of the time, those of a request below it.
  mutating func line(_ message: String) {
    text += "\(time.full) \(message)\n\n"
  }

  mutating func bare(_ message: String) {
    text += "\(time.full) \n\(message)\n\n"
  }

  mutating func banner(_ configuration: Configuration) {
    text +=
      "\(time.full) 🔵 -[TSLocationManager init] \n╔\(Self.bar)\n║ TSLocationManager (build \(Self.build))\n╠\(Self.bar)\n"
    text += PropertyList(configuration.redacted).text + "\n\n"
  }

  /// The build of the simulated engine.
  static let build = 388

  /// `📍<45.518019,-116.297214> +/- 5.00m (speed 1.85 mps / course 31.06) @ 2026-07-28, 2:34:22 PM …`
  func place(_ fix: Fix) -> String {
    let coords = fix.coords
    let position = "\(LogNumber.fixed(coords.latitude, 6)),\(LogNumber.fixed(coords.longitude, 6))"
    let motion =
      "speed \(LogNumber.fixed(coords.speed ?? -1, 2)) mps / course \(LogNumber.fixed(coords.heading ?? -1, 2))"
    let when = LocalTime(fix.timestamp, utcOffsetMinutes: utcOffsetMinutes).spoken
    return "📍<\(position)> +/- \(LogNumber.fixed(coords.accuracy ?? -1, 2))m (\(motion)) @ \(when) \(zoneName)"
  }

  /// The UUID as Core Foundation writes it.
  func upper(_ uuid: UUID128) -> String {
    var bytes: [UInt8] = []
    uuid.append(upperCaseTextTo: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension IOSLogWriter {
  /// Writes an entry. Each group of entries has a file of its own.
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

extension IOSLogWriter {
  mutating func writeLocation(_ entry: LogEntry) -> Bool {
    let delegate = "-[TSTrackingService locationManager:didUpdateLocations:]"
    switch entry {
    case .locationUpdates(let isOn):
      if isOn {
        line("🟢", "-[TSTrackingService startUpdatingLocation]", "Location-services: ON")
      } else {
        line("🔴", "-[TSTrackingService stopUpdatingLocation]")
      }
    case .locationRequest(let purpose, let accuracy, let age):
      line("🟢", "-[TSLocationRequestService requestLocation:]", "[\(purpose)] maximumAge: \(LogNumber.fixed(age, 0))")
      box(
        "-[TSSingleLocationRequest trySatisfyWithLocation:now:]",
        "📍🔎 [\(purpose)] desiredAccuracy: \(LogNumber.fixed(accuracy, 1)) m, "
          + "maximumAge: \(LogNumber.fixed(age, 0)) ms")
    case .locationRequestFailed(let purpose, let code):
      line(
        "⚠️", "-[TSLocationRequestService locationManager:didFailWithError:]", "[\(purpose)] error \(code)")
    case .location(let fix, let number, let age):
      if number > 0 { bare("\(number):\(place(fix)) | age: \(age) ms") } else { line("\(place(fix)) | age: \(age) ms") }
    case .locationIgnored(let reason, let delta):
      if reason.isEmpty {
        line("🔵", delegate, "<IGNORED> Δt since last: \(delta) ms")
      } else {
        line("⚠️", delegate, "<IGNORED> Invalid location: \(reason)")
      }
    // Only Android has this mode.
    case .significant: break
    case .filterDecision(let trace): line("📌", "-[TSLocationFilter evaluateWithMetrics:]", trace.text)
    case .distanceFilter(let new, let old):
      line(
        "🔵", delegate, "Updated distanceFilter, new: \(LogNumber.fixed(new, 6)), old: \(LogNumber.fixed(old, 6))")
    case .odometer(let metres, let error):
      line(
        "🔵", "-[TSOdometer incrementOdometer]", "\(LogNumber.fixed(metres, 2))m ±\(LogNumber.fixed(error, 2))m")
    default: return false
    }
    return true
  }
}

extension FilterTrace {
  /// `decision=Accepted reason=OK raw=104.9m …` (SDK §14.2).
  var text: String {
    let metres = [("raw", raw), ("effective", effective), ("smoothed", smoothed), ("cap", cap), ("acc", accuracy)]
      .map { "\($0)=\(LogNumber.fixed($1, 1))m" }.joined(separator: " ")
    return "decision=\(decision.rawValue) reason=\(reason) \(metres) speed=\(LogNumber.fixed(speed, 2)) "
      + "sigma=\(LogNumber.fixed(sigma, 1))m df=\(LogNumber.fixed(distanceFilter, 1))m"
  }
}

extension LogPart {
  /// The source of the line in the iOS log.
  var selector: String {
    switch self {
    case .sdk: "-[TSLocationManager ready]"
    case .configuration: "-[TSConfig onChange:]"
    case .launch: "-[TSTrackingService onResume]"
    case .tracking: "-[TSTrackingService start:]"
    case .pace: "-[TSTrackingService changePace:]"
    case .schedule: "-[TSScheduler start]"
    case .geofences: "-[TSGeofenceManager evaluateProximity:]"
    case .backgroundTasks: "-[TSBackgroundTaskManager stopBackgroundTask:]_block_invoke"
    case .records: "-[TSLocationDAO persist:]"
    case .http: "-[TSHttpService doPost:callback:]_block_invoke"
    case .authorization: "-[TSAuthorization applyResponseData:]"
    case .logger: "-[TSLog uploadLog:]"
    }
  }
}
