import Base
import Contract
import JSON
import Vocabulary

/// The entries of the Android export. Releases are obfuscated, so the place may be `b persist` or `TrackingService a`:
/// an entry is recognized by its words, and by its place only where the words do not suffice.
enum AndroidLogGrammar {
  static func read(_ entry: LogLines) -> [LogFact.Content] {
    var scanner = TextScanner(entry.text)
    guard scanner.skip("["), let place = scanner.upToClosing("[", "]") else { return [.other(place: "")] }
    let message = AndroidMessage(place: place, text: scanner.rest)
    let fixes = positions(message, entry)
    if !fixes.isEmpty { return fixes }
    let transitions = activities(message)
    if !transitions.isEmpty { return transitions }
    if message.place.hasPrefix("Slc") || message.place.hasPrefix("Passive"),
      let significant = significant(message, entry)
    {
      return significant
    }
    let crossings = crossings(message, entry)
    if !crossings.isEmpty { return crossings }
    let content =
      motion(message) ?? location(message) ?? timer(message) ?? geofence(message) ?? queue(message) ?? http(message)
      ?? life(message) ?? hindrance(message)
    return [content ?? .other(place: String(place))]
  }

  /// Only these boxes report positions of the device; others quote positions to explain a decision.
  private static func positions(_ message: AndroidMessage, _ entry: LogLines) -> [LogFact.Content] {
    guard let title = message.title else { return [] }
    if title == "TrackingService: LocationResult" {
      return AndroidPlace.all(in: message.text, number: 0, at: entry.time)
    }
    guard title.contains(" LocationResult") else { return [] }
    let sample = message.title.flatMap { title -> Int? in
      var scanner = TextScanner(title)
      return scanner.integer(after: "LocationResult: ")
    }
    return AndroidPlace.all(in: message.text, number: max(1, sample ?? 1), at: entry.time)
  }

  /// A single line has an activity with its confidence; a box has transitions without confidence, which count as certain.
  private static func activities(_ message: AndroidMessage) -> [LogFact.Content] {
    if message.title == "Motion Transition Result" {
      return message.rows.compactMap { row in
        var scanner = TextScanner(row)
        guard scanner.pass("ENTER: ") else { return nil }
        return .activity(Activity(activity(scanner.word()), confidence: 100))
      }
    }
    var scanner = message.scanner
    if scanner.pass("DetectedActivity"), scanner.pass("type="), let name = scanner.upTo(", ") {
      return scanner.integer(after: "confidence=").map { [.activity(Activity(activity(name), confidence: $0))] } ?? []
    }
    scanner = message.scanner
    guard scanner.pass("🚘"), let words = scanner.upTo("/"), let confidence = scanner.integer() else { return [] }
    return [.activity(Activity(activity(words), confidence: confidence))]
  }

  private static func activity(_ words: Substring) -> ActivityType {
    ActivityType(name: words.filter { $0.isLetter || $0 == "_" }.lowercased())
  }

  private static func motion(_ message: AndroidMessage) -> LogFact.Content? {
    var scanner = message.scanner
    if scanner.pass("setPace: ") {
      let old = scanner.word()
      guard scanner.pass("→ ") else { return nil }
      let new = scanner.word()
      return .paceChange(isMoving: new == "true", wasMoving: old == "true")
    }
    if scanner.pass("Acquired motionchange position") {
      let isMoving = scanner.pass("isMoving: ") ? scanner.word() == "true" : nil
      return .acquired(.motionChange(isMoving: isMoving))
    }
    if scanner.pass("isMoving: ") {
      let isMoving = scanner.word() == "true"
      return scanner.skip(" | stateChanged: ") ? .pace(isMoving: isMoving) : nil
    }
    if scanner.pass("Acquired current position") { return .acquired(.current) }
    if scanner.pass("Acquired providerchange position") { return .acquired(.providerChange) }
    if scanner.pass("Ignoring spurious stationary geofence EXIT") { return .motionTriggerIgnored }
    if scanner.pass("Stop-detection ignored: confidence ") {
      return scanner.integer().map { .stopDetectionIgnored(confidence: $0) }
    }
    if scanner.pass("Start monitoring stationary region (radius: ")
      || scanner.pass("Continue monitoring stationary region (radius: ")
    {
      return scanner.number().map { .stationaryRegion(radiusMetres: $0) }
    }
    return nil
  }

  private static func location(_ message: AndroidMessage) -> LogFact.Content? {
    var scanner = message.scanner
    if scanner.pass("Location-services: ") { return .locationUpdates(isOn: scanner.word() == "ON") }
    if scanner.pass("Re-scaled distanceFilter: ") {
      guard let old = scanner.number(), let new = scanner.number(after: "->") else { return nil }
      return .distanceFilter(new: new, old: old)
    }
    if scanner.pass("LocationFilterResult: ") { return FilterTrace(reading: scanner).map { .filterDecision($0) } }
    if scanner.pass("Update odometer: ") || scanner.pass("Odometer: ") {
      guard let metres = scanner.number() else { return nil }
      return .odometer(metres: metres, errorMetres: scanner.number(after: "± ") ?? 0)
    }
    if scanner.pass("[SingleLocationRequest start, action: "), let purpose = scanner.upTo(",") {
      return .locationRequest(purpose: RequestAction.name(of: purpose), maximumAgeMilliseconds: 0)
    }
    return scanner.pass("IGNORED: ") ? .fixIgnored : nil
  }

  private static func timer(_ message: AndroidMessage) -> LogFact.Content? {
    var scanner = message.scanner
    if scanner.pass("Scheduled OneShot: ") {
      guard let name = scanner.upTo(" in "), let milliseconds = scanner.number() else { return nil }
      let seconds = milliseconds / 1_000
      return StopTimer.names.contains(String(name))
        ? .stopTimeoutEngaged(seconds: seconds) : .timerStarted(name: String(name), seconds: seconds)
    }
    if scanner.pass("Cancel OneShot: ") {
      let name = String(scanner.word())
      return .timerStopped(name: StopTimer.names.contains(name) ? "stopTimeout" : name)
    }
    if scanner.pass("Stop-timeout elapsed!") { return .stopTimeoutFired }
    if scanner.pass("OneShot event fired: ") {
      return StopTimer.names.contains(String(scanner.word())) ? .stopTimeoutFired : nil
    }
    if message.place == "HeartbeatService onHeartbeat" || message.text.trimmed == "❤️" { return .heartbeat }
    return nil
  }

  private static func geofence(_ message: AndroidMessage) -> LogFact.Content? {
    guard let title = message.title else { return nil }
    // `Ignoring stationary geofence EXIT (poor accuracy)` is not an exit.
    let exits = ["Missed stationary EXIT detected (location audit)", "Stationary watchdog detected missed EXIT"]
    return title.hasSuffix("Stationary geofence EXIT") || exits.contains(String(title)) ? .regionExit : nil
  }

  private static func life(_ message: AndroidMessage) -> LogFact.Content? {
    var scanner = message.scanner
    if message.text.contains("☯") {
      if scanner.pass("onStop") { return .appState(isBackground: true) }
      if scanner.pass("onResume") { return .appState(isBackground: false) }
    }
    if message.place == "TSLog d", message.text.contains("."), !message.text.trimmed.contains(" ") {
      return .configurationChanged(key: String(message.text.trimmed))
    }
    if scanner.pass("Google Play Services: connected") { return .launched }
    if scanner.pass("Start monitoring location-provider changes") { return .started(trackingMode: 1) }
    if scanner.pass("Stop monitoring location-provider changes") { return .stopped }
    if scanner.pass("Start monitoring geofences") { return .started(trackingMode: 0) }
    if scanner.pass("TSLocationManager version: "), scanner.pass("\n{") {
      return PartialJSON.object("{" + scanner.rest).map { .configuration($0) }
    }
    return nil
  }
}

/// The message of an entry after its place.
struct AndroidMessage {
  let place: Substring
  let text: Substring

  var scanner: TextScanner { TextScanner(text) }

  /// The title of a box.
  var title: Substring? {
    var scanner = TextScanner(text)
    guard scanner.pass("╔"), scanner.pass("\n║ ") else { return nil }
    return scanner.rest.prefix { $0 != "\n" }.trimmed
  }

  /// The details of a box.
  var rows: [Substring] {
    text.split(separator: "\n").filter { $0.hasPrefix("╟─ ") }.map { $0.dropFirst(3).trimmed }
  }
}

extension Substring {
  /// The text without space at either end.
  var trimmed: Substring {
    var text = drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}

extension AndroidLogGrammar {
  static func queue(_ message: AndroidMessage) -> LogFact.Content? {
    var scanner = message.scanner
    if scanner.pass("INSERT: ") || scanner.pass("💾 ✅ ") {
      return message.text.contains("geofence: ") ? nil : .inserted(uuid: String(scanner.word()), kind: nil)
    }
    if scanner.pass("DESTROY: ") { return .destroyed(uuid: String(scanner.word())) }
    if scanner.pass("UNLOCKED: ") { return .unlocked(uuid: String(scanner.word())) }
    return scanner.integer(after: "Locked ").map { .locked(uuid: nil, count: $0) }
  }

  /// Returns what prevents a device from recording, or from sending its records.
  static func hindrance(_ message: AndroidMessage) -> LogFact.Content? {
    var scanner = message.scanner
    switch message.place {
    case "TSProviderManager handleProviderChangeEvent":
      return scanner.integer(after: "status: ").map { .permission(status: $0) }
    case "LifecycleManager onActivityDestroyed": return .terminated
    case "SQLiteLocationDAO prune": return scanner.integer(after: "PRUNE -").map { .queueCut(days: $0) }
    case "SQLiteLocationDAO shrink": return scanner.integer(after: "SHRINK: ").map { .queueCut(count: $0) }
    case "SQLiteLocationDAO destroyAll": return message.text.contains("DELETED") ? .queueEmptied : nil
    case "ScheduleEvent onScheduleEvent": return scanner.pass("enabled: ") ? .schedule(isOn: scanner.skip("true")) : nil
    default: break
    }
    if scanner.pass("received location error: ") { return scanner.integer().map { .locationFailed(code: $0) } }
    if message.text.contains("PowerSaveMode") { return .powerSaveChanged }
    return ["is not responding", "autoSync disabled"].contains { message.text.contains($0) } ? .uploadHeldBack : nil
  }

  static func http(_ message: AndroidMessage) -> LogFact.Content? {
    var scanner = message.scanner
    if message.place == "HttpService createRequest", scanner.pass("HTTP "), scanner.pass(": ") {
      return .posting(uuid: String(scanner.word()))
    }
    scanner = message.scanner
    if scanner.pass("HTTP Service (count: ") { return .flushBegan(queued: scanner.integer()) }
    if scanner.pass("Response: ") { return scanner.integer().map { .response(status: $0) } }
    guard scanner.pass("Connectivity change: connected? ") else { return nil }
    return .connectivity(scanner.word() == "true" ? .wifi : .none)
  }
}

/// The names of the stop timeout: the SDK's, that of our own devices before they used it, and the one with significant changes.
enum StopTimer {
  static let names: Set<String> = ["STOP_TIMEOUT", "stopTimeout", LogEntry.stationaryCheckName]
}

/// The action of a request for a single position: older versions write numbers.
enum RequestAction {
  static func name(of text: Substring) -> String {
    switch text {
    case "1": "motionchange"
    case "2": "getCurrentPosition"
    case "3": "providerchange"
    default: String(text)
    }
  }
}

/// `useSignificantChangesOnly` has its own classes since 4.1.4, whose names are not obfuscated.
extension AndroidLogGrammar {
  static func significant(_ message: AndroidMessage, _ entry: LogLines) -> [LogFact.Content]? {
    var scanner = message.scanner
    if scanner.pass("SLC Location[") {
      _ = scanner.word()
      guard scanner.skip(" "), let inner = scanner.upTo("]"), let short = AndroidPlace.short(inner, at: entry.time)
      else {
        return nil
      }
      return [.significantFix(short.fix, ageMilliseconds: short.ageMilliseconds)]
    }
    if scanner.pass("Passive location: ") {
      return AndroidPlace.short(scanner.rest, at: entry.time).map { [.passiveFix($0.fix)] }
    }
    if scanner.pass("SLC moving geofence EXIT @ ") {
      return AndroidPlace.short(scanner.rest, at: entry.time).map { [.movingGeofenceExit($0.fix)] }
    }
    if ["SLC NOISE", "SLC REJECTED"].contains(where: { message.text.contains($0) }) { return [.significantFixDropped] }
    let failures = [
      "SLC stationary check: rejecting stale fix", "isMoving state updated without event",
      "no location; transition deferred",
    ]
    return failures.contains { message.text.contains($0) } ? [.motionChangeFailed] : nil
  }

  /// Returns the crossings reported by the system, even those that were ignored.
  static func crossings(_ message: AndroidMessage, _ entry: LogLines) -> [LogFact.Content] {
    guard let title = message.title else { return [] }
    var scanner = TextScanner(title)
    if scanner.skip("Geofencing Event: ") {
      // Older versions put the position first.
      guard let row = message.rows.first(where: { !$0.contains("=") && !$0.contains("📍") }) else { return [] }
      let (identifier, action) = (String(row), String(scanner.word()))
      let event = LogFact.Content.geofenceEvent(identifier: identifier, action: action)
      guard action != "DWELL" else { return [.geofenceDwell(identifier: identifier), event] }
      return [.geofenceCrossing(identifier: identifier, isEntry: action == "ENTER"), event]
    }
    if scanner.skip("Trigger vs Geofence center: ") {
      guard let fix = trigger(message, entry) else { return [] }
      var body = message.scanner
      return [
        .geofenceTrigger(identifier: String(scanner.rest), fix, radiusMetres: body.number(after: " radius="))
      ]
    }
    let isEntry = title.hasPrefix("Ignoring duplicate geofence ENTER")
    guard isEntry || title.hasPrefix("Ignoring spurious geofence EXIT"),
      let identifier = message.rows.first(where: { $0.hasPrefix("id=") })?.dropFirst(3)
    else { return [] }
    let crossing = LogFact.Content.geofenceCrossing(identifier: String(identifier), isEntry: isEntry)
    guard let fix = trigger(message, entry) else { return [crossing] }
    return [crossing, .geofenceTrigger(identifier: String(identifier), fix, radiusMetres: nil)]
  }

  private static func trigger(_ message: AndroidMessage, _ entry: LogLines) -> Fix? {
    var scanner = message.scanner
    guard scanner.pass("Trigger=") else { return nil }
    guard var fix = AndroidPlace.first(in: scanner.rest, at: entry.time) else { return nil }
    if let age = scanner.number(after: "triggerAge=") {
      guard let timestamp = entry.time.before(age.rounded()) else { return nil }
      fix.timestamp = timestamp
    }
    return fix
  }
}
