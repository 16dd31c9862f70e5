internal import Base
import Contract
import Vocabulary

/// The entries of the iOS export. An entry is recognized by its selector; lines of the same selector by their words. Up
/// to 4.0 the classes were different, and icons were adjacent to the selector.
enum IOSLogGrammar {
  static func read(_ entry: LogLines) -> [LogFact.Content] {
    if let fix = PlaceText.fix(entry.text, at: entry.time) { return [fix] }
    guard let (place, message) = selector(in: entry.text) else { return [.other(place: "")] }
    var ahead = message
    if ahead.skip("Acquired motionchange position: "),
      let fix = PlaceText.place(&ahead, number: 1, at: entry.time)
    {
      return [fix, .acquired(.motionChange(isMoving: nil))]
    }
    let content =
      tracking(place, message) ?? timers(place, message) ?? geofences(place, message) ?? uploads(place, message)
      ?? life(place, message) ?? hindrance(place, message)
    return [content ?? .other(place: String(place))]
  }

  /// Splits `-[Class method:]`, with or without the suffix of a block, from the text after it.
  private static func selector(in text: Substring) -> (Substring, TextScanner)? {
    var scanner = TextScanner(text)
    guard scanner.pass("-[") || scanner.pass("+["), let place = scanner.upTo("]") else { return nil }
    if scanner.skip("_block_invoke") {
      if scanner.skip("_") { _ = scanner.number() }
    }
    _ = scanner.skip(" ")
    return (modern(place), scanner)
  }

  /// Returns the current name of a method.
  private static func modern(_ place: Substring) -> Substring {
    switch place {
    case "TSLocationManager createMotionTypeChangedHandler": return "TSTrackingService onMotionActivityChange:"
    case "TSLocationManager persistLocation:": return "TSDataStore persist:"
    case "TSLocationManager doStart:": return "TSTrackingService start:"
    case "TSConfig incrementOdometer:": return "TSOdometer incrementOdometer"
    case "TSGeofenceManager fireGeofenceEvent:": return "TSGeofenceTransition setTriggerLocation:"
    case "TSHttpService flush:", "TSHttpService flush":
      return "TSHttpService beginFlushWithCallback:overrideSyncThreshold:error:"
    case "TSHttpService finish:": return "TSHttpService finish:error:"
    case "TSLocationManager init", "TSLocationManager ready": return place
    default:
      return place.hasPrefix("TSLocationManager ") ? "TSTrackingService " + place.dropFirst(18) : place
    }
  }

  private static func tracking(_ place: Substring, _ message: TextScanner) -> LogFact.Content? {
    var message = message
    switch place {
    case "TSTrackingService locationManager:didUpdateLocations:":
      if message.skip("Updated distanceFilter, new: "), let new = message.number(),
        let old = message.number(after: "old: ")
      {
        return .distanceFilter(new: new, old: old)
      }
      if message.skip("<IGNORED>") { return .fixIgnored }
      guard let enabled = message.integer(after: "Enabled: "), let moving = message.integer(after: "isMoving: "),
        let filter = message.number(after: "df: ")
      else { return nil }
      return .tracking(isEnabled: enabled == 1, isMoving: moving == 1, distanceFilter: filter)
    case "TSTrackingService onMotionActivityChange:":
      if message.skip("[StopDetection]") {
        return message.integer(after: "confidence: ").map { .stopDetectionIgnored(confidence: $0) }
      }
      guard message.skip("| "), let name = message.upTo("/"), let confidence = message.integer() else { return nil }
      // Older versions have another name for it.
      let type = name == "cycling" ? ActivityType.onBicycle : ActivityType(name: String(name))
      return .activity(Activity(type, confidence: confidence))
    case "TSTrackingService changePace:":
      return message.skip("isMoving: ")
        ? message.integer().map { .paceChange(isMoving: $0 == 1, wasMoving: nil) } : nil
    case "TSTrackingService locationManager:didExitRegion:":
      return message.skip("Exit stationary region") ? .regionExit : nil
    case "TSTrackingService startUpdatingLocation": return .locationUpdates(isOn: true)
    case "TSTrackingService stopUpdatingLocation": return .locationUpdates(isOn: false)
    case "TSTrackingService startMonitoringStationaryRegion:radius:":
      return message.number(after: "Radius: ").map { .stationaryRegion(radiusMetres: $0) }
    case "TSTrackingService onUpdateState:":
      return message.skip("Location still within") ? .motionTriggerIgnored : nil
    case "TSLocationFilter evaluateWithMetrics:": return FilterTrace(reading: message).map { .filterDecision($0) }
    case "TSOdometer incrementOdometer":
      guard let metres = message.number() else { return nil }
      return .odometer(metres: metres, errorMetres: message.number(after: "±") ?? 0)
    default: return nil
    }
  }

  private static func timers(_ place: Substring, _ message: TextScanner) -> LogFact.Content? {
    var message = message
    switch place {
    case "TSTimerService startWithInterval:repeating:callback:":
      guard message.pass("["), let name = message.upTo("]"), let seconds = message.number(after: "timer: ") else {
        return nil
      }
      return .timerStarted(name: String(name), seconds: seconds)
    case "TSTimerService stop":
      guard message.pass("["), let name = message.upTo("]") else { return nil }
      return .timerStopped(name: String(name))
    case "TSTrackingService beginStopDetection":
      return message.number(after: "engaged: ").map { .stopTimeoutEngaged(seconds: $0) }
    case "TSTrackingService onStopTimeout": return .stopTimeoutFired
    case "TSHeartbeatService onHeartbeat:": return .heartbeat
    default: return nil
    }
  }

  private static func geofences(_ place: Substring, _ message: TextScanner) -> LogFact.Content? {
    var message = message
    switch place {
    case "TSGeofenceManager locationManager:didEnterRegion:":
      return .geofenceCrossing(identifier: String(message.rest), isEntry: true)
    case "TSGeofenceManager locationManager:didExitRegion:":
      return .geofenceCrossing(identifier: String(message.rest), isEntry: false)
    case "TSGeofenceTransition setTriggerLocation:":
      guard message.skip("📢") else { return nil }
      _ = message.skip(" ")
      guard let action = message.upTo(" Geofence: ") else { return nil }
      return .geofenceEvent(identifier: String(message.rest.prefix { $0 != "\n" }), action: String(action))
    default: return nil
    }
  }

  private static func uploads(_ place: Substring, _ message: TextScanner) -> LogFact.Content? {
    var message = message
    switch place {
    case "TSDataStore persist:":
      guard message.pass("INSERT: ") else { return nil }
      let uuid = message.word()
      let kind = message.integer(after: "type: ").flatMap(RecordKind.init(rawValue:))
      let maxRecords = message.integer(after: "maxRecords: ").flatMap { $0 > 0 ? $0 : nil }
      return .inserted(uuid: String(uuid), kind: kind, maxRecords: maxRecords)
    case "TSHttpService schedulePost":
      return message.pass("LOCKED: ") ? .locked(uuid: String(message.word()), count: 1) : nil
    case "TSHttpService scheduleBatchPost":
      return message.integer(after: "LOCKED (batch): ").map { .locked(uuid: nil, count: $0) }
    case "TSHttpResponse handleResponse": return message.integer(after: "Response: ").map { .response(status: $0) }
    case "TSHttpService post:", "TSLocationDAO destroyAll:":
      if message.skip("DESTROY: ") { return .destroyed(uuid: String(message.word())) }
      return message.skip("UNLOCKED: ") ? .unlocked(uuid: String(message.word())) : nil
    case "TSHttpService beginFlushWithCallback:overrideSyncThreshold:error:":
      // A message says why no flush began.
      return message.rest.prefix { $0 != "\n" }.trimmed.isEmpty ? .flushBegan(queued: nil) : nil
    case "TSHttpService finish:error:":
      return .flushFinished(queuedBefore: message.integer(after: "queued_before="))
    case "TSHttpService init":
      guard message.skip("Network: ") else { return nil }
      switch message.word() {
      case "Cellular": return .connectivity(.cellular)
      case "WiFi": return .connectivity(.wifi)
      default: return .connectivity(.none)
      }
    default: return nil
    }
  }

  private static func life(_ place: Substring, _ message: TextScanner) -> LogFact.Content? {
    var message = message
    switch place {
    case "TSAppState onEnterBackground": return .appState(isBackground: true)
    case "TSAppState onEnterForeground": return message.isAtEnd ? .appState(isBackground: false) : nil
    case "TSLocationManager ready": return message.isAtEnd ? .launched : nil
    case "TSTrackingService start:":
      return message.integer(after: "trackingMode: ").map { .started(trackingMode: $0) }
    case "TSTrackingService startGeofences": return .started(trackingMode: 0)
    case "TSTrackingService stop": return message.skip("🛑") ? .stopped : nil
    case "TSTrackingService startMonitoringBackgroundFetch":
      return message.skip("Background fetch received") ? .backgroundFetch : nil
    case "TSConfig onChange:": return .configurationChanged(key: String(message.word()))
    case "TSLocationRequestService requestLocation:":
      guard message.skip("["), let purpose = message.upTo("]"), let age = message.number(after: "maximumAge: ") else {
        return nil
      }
      return .locationRequest(purpose: String(purpose), maximumAgeMilliseconds: age)
    case "TSLocationManager init":
      guard message.pass("TSLocationManager (build"), message.pass("\n{") else { return nil }
      return PropertyListReader.read("{" + message.rest).map { .configuration($0) }
    default: return nil
    }
  }
}

extension IOSLogGrammar {
  /// Returns what prevents a device from recording, or from sending its records.
  private static func hindrance(_ place: Substring, _ message: TextScanner) -> LogFact.Content? {
    var message = message
    switch place {
    case "TSBackgroundTaskManager createBackgroundTask": return message.skip("FORCE KILL") ? .backgroundTaskKilled : nil
    case "TSLocationAuthorization onAuthorizationStatusChanged:":
      return message.integer(after: "Authorization status changed: ").map { .permission(status: $0) }
    case "TSSchedule trigger:": return .schedule(isOn: message.skip("ON"))
    case "TSTrackingService onAppTerminate": return .terminated
    case "TSLocationRequestService locationManager:didFailWithError:",
      "TSTrackingService locationManager:didFailWithError:":
      return message.integer(after: "error ").map { .locationFailed(code: $0) }
    case "TSLocationDAO shrink:db:": return message.integer(after: "deleted ").map { .queueCut(count: $0) }
    case "TSLocationDAO purge:":
      return message.integer(after: "Found ").map {
        .queueCut(count: $0, days: message.integer(after: " stale records older than "))
      }
    case "TSLocationDAO clear": return message.skip("Destroyed all") ? .queueEmptied : nil
    case "TSHttpService continueFlush", "TSHttpService doPost:callback:", "TSHttpService armFlushWatchdog",
      "TSHttpService beginFlushWithCallback:overrideSyncThreshold:error:":
      return ["No network", "is not responding", "watchdog_timeout", "autoSync disabled"]
        .contains { message.rest.contains($0) } ? .uploadHeldBack : nil
    default: return nil
    }
  }
}

extension FilterTrace {
  /// Parses the message of a filter line (SDK §14.2).
  init?(reading message: TextScanner) {
    var message = message
    guard message.pass("decision="), let decision = Decision(rawValue: String(message.word())),
      message.pass("reason="), let reason = message.upTo(" raw="), let raw = message.number(),
      let effective = message.number(after: "effective="), let smoothed = message.number(after: "smoothed="),
      let cap = message.number(after: "cap="), let accuracy = message.number(after: "acc="),
      let speed = message.number(after: "speed="), let sigma = message.number(after: "sigma="),
      let filter = message.number(after: "df=")
    else { return nil }
    self.init(
      decision: decision, reason: String(reason), raw: raw, effective: effective, smoothed: smoothed, cap: cap,
      accuracy: accuracy, speed: speed, sigma: sigma, distanceFilter: filter)
  }
}
