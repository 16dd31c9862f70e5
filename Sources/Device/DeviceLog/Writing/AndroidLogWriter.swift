import Base
import Contract
import JSON
import Vocabulary

/// Lines of the Android text export: time, level, place, and the message on the next line (SDK §20.3).
struct AndroidLogWriter {
  private let time: LocalTime
  private let level: String
  private(set) var text = ""

  init(at instant: WallInstant, utcOffsetMinutes: Int, level: Contract.LogLevel) {
    time = LocalTime(instant, utcOffsetMinutes: utcOffsetMinutes)
    self.level =
      switch level {
      case .error: "ERROR"
      case .warning: "WARN"
      case .info: "INFO"
      case .off, .debug, .verbose: "DEBUG"
      }
  }

  private static let bar = String(repeating: "═", count: 45)

  /// `place` is class and method: `HttpService createRequest`.
  mutating func line(_ icon: String, _ place: String, _ message: String, level: String? = nil) {
    text += head(place, level) + "\n  \(icon)  \(message)\n"
  }

  mutating func plain(_ place: String, _ message: String) {
    text += head(place, nil) + "\n  \(message)\n"
  }

  mutating func box(_ place: String, _ title: String, _ details: [String] = []) {
    text += head(place, nil) + "\n╔\(Self.bar)\n║ \(title)\n╠\(Self.bar)\n"
    for detail in details { text += "╟─ \(detail)\n" }
    if !details.isEmpty { text += "╚\(Self.bar)\n" }
  }

  mutating func banner(_ configuration: Configuration) {
    box(
      "TSConfig print", "TSLocationManager version: \(Self.version) (\(Self.versionCode))",
      ["rolling.road", "Simulated @ \(configuration.platform.rawValue)"])
    text += configuration.redacted.serializedText + "\n"
  }

  static let version = "4.5.0"
  static let versionCode = 4_500

  private func head(_ place: String, _ level: String?) -> String {
    "\(time.monthAndDay) \(time.clock) \(level ?? self.level) [\(place)] "
  }

  func lower(_ uuid: UUID128) -> String {
    var bytes: [UInt8] = []
    uuid.append(lowerCaseTextTo: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// `Location[fused 45.518019,-116.297214 hAcc=5.0 …]`
  func place(_ fix: Fix) -> String {
    let coords = fix.coords
    let position = "\(LogNumber.fixed(coords.latitude, 6)),\(LogNumber.fixed(coords.longitude, 6))"
    let speed = coords.speed.map { " vel=\(LogNumber.fixed($0, 2))" } ?? ""
    let bearing = coords.heading.map { " bear=\(LogNumber.fixed($0, 1))" } ?? ""
    return "Location[fused \(position) hAcc=\(LogNumber.fixed(coords.accuracy ?? -1, 2))\(speed)\(bearing)"
      + (fix.isMock ? " mock]" : "]")
  }
}

extension AndroidLogWriter {
  /// Writes an entry. Each group of entries has a file of its own.
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

  /// Returns the name of a timer as Android writes it, where that is known.
  private static func oneShot(_ name: String) -> String {
    switch name {
    case "stopTimeout": "STOP_TIMEOUT"
    case "motionTriggerDelay": "MOTION_TRIGGER_DELAY"
    case "heartbeat": "HEARTBEAT"
    default: name
    }
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
    // Logged already by an entry of its own.
    case .timerStarted(name: "stopTimeout", _, _): break
    case .timerStarted(let name, let seconds, _):
      if name == "heartbeat" {
        line("🟢", "HeartbeatService start", "Start heartbeat (\(LogNumber.fixed(seconds, 0))s)")
      }
      line(
        "⏰", "TSScheduleManager oneShot",
        "Scheduled OneShot: \(Self.oneShot(name)) in \(LogNumber.fixed(seconds * 1_000, 0))ms (jobID: 1)")
    case .timerStopped(let name):
      if name == "heartbeat" { line("🔴", "HeartbeatService stop", "Stop heartbeat") }
      line("⏰", "TSScheduleManager cancelOneShot", "Cancel OneShot: \(Self.oneShot(name))")
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

extension AndroidLogWriter {
  mutating func writeLocation(_ entry: LogEntry) -> Bool {
    switch entry {
    case .locationUpdates(let isOn):
      if isOn {
        line("🟢", "TSLocationManager requestLocationUpdates", "Location-services: ON")
      } else {
        line("🔴", "TSLocationManager removeLocationUpdates", "Location-services: OFF")
      }
    case .locationRequest(let purpose, _, _):
      line(
        "🔵", "SingleLocationRequest startUpdatingLocation",
        "[SingleLocationRequest start, action: \(purpose), requestId: 1]")
    case .locationRequestFailed(_, let code):
      line("⚠️", "TSLocationManager onLocationError", "TSLocationManager received location error: \(code)")
    case .location(let fix, 1..., let age):
      box(
        "TSLocationManager logSingleLocationResult", "single LocationResult: 1 (\(age)ms old)",
        ["📍  \(place(fix)), time: \(fix.timestamp.millisecondsSince1970)"])
    case .location(let fix, number: _, let age):
      box(
        "TrackingService handleLocationResult", "TrackingService: LocationResult",
        ["📍  \(place(fix)), age: \(age)ms, time: \(fix.timestamp.millisecondsSince1970)"])
    case .significant(let entry): writeSignificant(entry)
    case .locationIgnored(let reason, let delta):
      plain("TSLog d", reason.isEmpty ? "IGNORED: \(delta) ms since last" : "IGNORED: \(reason)")
    case .filterDecision(let trace): plain("TSLocationManager onLocationResult", "LocationFilterResult: \(trace.text)")
    case .distanceFilter(let new, let old):
      line(
        "🔵", "TSLocationManager onLocationResult",
        "Re-scaled distanceFilter: \(LogNumber.fixed(old, 1))->\(LogNumber.fixed(new, 1)))")
    case .odometer(let metres, let error):
      line(
        "ℹ️", "Odometer persist",
        "Update odometer: \(LogNumber.fixed(metres, 2)) (± \(LogNumber.fixed(error, 2))m)")
    default: return false
    }
    return true
  }

  private mutating func writeSignificant(_ entry: LogEntry.Significant) {
    let judge = "SlcLocationProvider evaluateLocation"
    func metres(_ value: Double) -> String { LogNumber.fixed(value, 1) + "m" }
    switch entry {
    case .position(let fix, let age):
      let accuracy = LogNumber.fixed(fix.coords.accuracy ?? -1, 3)
      plain(
        "SlcLocationReceiver onReceive",
        "📍 SLC Location[fused \(pair(fix.coords)), acy: \(accuracy)m, age: \(age / 1_000)s]")
    case .duplicate(let accuracy):
      line("⚠️", judge, "SLC NOISE (exact duplicate, raw=0): hAcc=\(metres(accuracy))", level: "DEBUG")
    case .overlap(let distance, let accuracy, let other):
      line(
        "⚠️", judge,
        "SLC NOISE (overlapping accuracy circles): raw=\(metres(distance)) < sumRadii=\(metres(accuracy + other)) "
          + "(hAccs \(LogNumber.fixed(accuracy, 1))/\(LogNumber.fixed(other, 1)))", level: "DEBUG")
    case .movingGeofence(let coords, let radius):
      line(
        "🟢", "SlcLocationProvider startMovingGeofence",
        "SLC moving geofence @ \(pair(coords)) radius=\(metres(radius))", level: "DEBUG")
    case .movingGeofenceExit(let coords):
      plain("SlcLocationReceiver handleGeofencingEvent", "🎈 SLC moving geofence EXIT @ \(pair(coords))")
    }
  }

  private func pair(_ coords: Coordinates) -> String {
    "\(LogNumber.fixed(coords.latitude, 6)),\(LogNumber.fixed(coords.longitude, 6))"
  }
}

extension AndroidLogWriter {
  mutating func writeQueue(_ entry: LogEntry) -> Bool {
    switch entry {
    case .inserted(let uuid, _, _, _): line("✅", "SQLiteLocationDAO persist", "INSERT: \(lower(uuid))")
    case .destroyed(let uuid): line("✅", "SQLiteLocationDAO destroy", "DESTROY: \(lower(uuid))", level: "DEBUG")
    case .destroyedAll(let count): line("✅", "SQLiteLocationDAO destroyAll", "DELETED: (\(count))", level: "DEBUG")
    case .purged(_, let days): line("ℹ️", "SQLiteLocationDAO prune", "PRUNE -\(days) days", level: "DEBUG")
    case .shrunk(_, let deleted): line("ℹ️", "SQLiteLocationDAO shrink", "SHRINK: \(deleted)", level: "DEBUG")
    case .unlockedAll: line("✅", "SQLiteLocationDAO unlock", "UNLOCKED (0)", level: "DEBUG")
    default: return false
    }
    return true
  }

  mutating func writeHTTP(_ entry: LogEntry) -> Bool {
    switch entry {
    case .flushBegan(_, let queued): box("HttpService flush", "HTTP Service (count: \(queued))")
    case .watchdogArmed, .watchdogFired, .syncPage, .posted, .flushFinished: break
    case .locked: line("✅", "SQLiteLocationDAO allWithLocking", "Locked 1 records", level: "DEBUG")
    case .lockedBatch(let count):
      line("✅", "SQLiteLocationDAO allWithLocking", "Locked \(count) records", level: "DEBUG")
    case .posting(let method, let uuid?, _, _):
      line("🔵", "HttpService createRequest", "HTTP \(method.rawValue): \(lower(uuid))")
    case .posting(let method, nil, let count, _):
      line("🔵", "HttpService createRequest", "HTTP \(method.rawValue) batch (\(count))")
    case .response(let status, let reason):
      if status == 0 {
        line("⚠️", "HttpService onFailure", "Response: 0, \(reason)")
      } else {
        line("🔵", "HttpService onResponse", "Response: \(status), \(reason)")
      }
    case .unlocked(let uuid): line("✅", "SQLiteLocationDAO unlock", "UNLOCKED: \(lower(uuid))", level: "DEBUG")
    case .busy: line("ℹ️", "HttpService run", "HttpService is busy", level: "INFO")
    case .autoSyncDisabled: plain("TSLog d", "autoSync disabled")
    case .noNetwork: box("HttpService handleConnectivityChange", "📶  Connectivity change: connected? false")
    case .notResponding(let host, let records):
      line("⚠️", "HttpService onFailure", "\(host) is not responding.  Will try again after \(records) records.")
    case .redirectNotPermitted(let status):
      line("ℹ️", "HttpService onResponse", "HTTP Redirect: \(status) ", level: "INFO")
    case .staleResponseIgnored:
      line(
        "⚠️", "HttpService handleHttpError",
        "Caught an Exception trying to reference callback.  It's probably already been called <IGNORE>.")
    case .paramsDropped:
      plain(
        "HttpService createRequest",
        "Appending #params to an HTTP Request of type {Array} is not yet supported.  "
          + "Specify an #httpRootProperty and send an {Object} request")
    case .connectivity(let state):
      box("HttpService handleConnectivityChange", "📶  Connectivity change: connected? \(state.isConnected)")
    default: return false
    }
    return true
  }

  mutating func writeAuthorization(_ entry: LogEntry) -> Bool {
    switch entry {
    case .provider(let state):
      plain("TSProviderManager handleProviderChangeEvent", "status: \(state.authorizationStatus)")
    case .refreshing(let url): plain("TSLog d", "refresh \(url)")
    case .refreshed(_, let hasNewRefreshToken):
      plain("TSAuthorization _onSuccess", "🔑 Refresh token success")
      if hasNewRefreshToken { plain("TSAuthorization applyResponseData", "🔑 Received refreshToken") }
    case .refreshFailed(let status, let reason): line("⚠️", "TSAuthorization _onFailure", "🔑 \(status) \(reason)")
    case .refreshSkipped(.noURL): line("⚠️", "TSAuthorization _onFailure", "🔑 \(LogEntry.noRefreshURL)")
    case .refreshSkipped(.refreshedAlready): line("⚠️", "TSAuthorization _onFailure", "🔑 max_refresh_retries=1")
    case .command(let name, let argument): plain("RPC run", "⚡️[RPC: \(name.rawValue): \(argument)]")
    case .commandProblem(let problem): line("‼️", "RPC run", "Error parsing RPC actions: \(problem)")
    case .commandOverflow(let limit, let dropped):
      line("⚠️", "TSLog w", "Action queue overflow (\(limit)). Dropped \(dropped) oldest action(s).")
    default: return false
    }
    return true
  }
}
