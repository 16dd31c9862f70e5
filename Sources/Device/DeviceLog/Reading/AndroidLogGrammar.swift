import Contract
import JSON
import Vocabulary

/// What the entries of the Android export say. An entry is told by class and method.
enum AndroidLogGrammar {
  static func read(_ entry: LogLines) -> [LogFact.Content] {
    var scanner = TextScanner(entry.text)
    guard scanner.skip("["), let place = scanner.upTo("]") else { return [.other(place: "")] }
    let content =
      tracking(place, scanner, entry) ?? timers(place, scanner) ?? uploads(place, scanner) ?? life(place, scanner)
    return [content ?? .other(place: String(place))]
  }

  private static func tracking(_ place: Substring, _ message: TextScanner, _ entry: LogLines) -> LogFact.Content? {
    var message = message
    switch place {
    case "TrackingService handleLocationResult": return PlaceText.androidFix(message.rest, number: 0, at: entry.time)
    case "TSLocationManager logSingleLocationResult":
      return PlaceText.androidFix(message.rest, number: 1, at: entry.time)
    case "TSLocationManager onLocationResult":
      if let old = message.number(after: "Re-scaled distanceFilter: "), let new = message.number(after: "->") {
        return .distanceFilter(new: new, old: old)
      }
      return FilterTrace(reading: message).map { .filterDecision($0) }
    case "MotionActivityProcessor handleActivityRecognitionResult",
      "ActivityRecognitionService handleActivityRecognitionResult":
      guard message.pass("🚘"), let words = message.upTo("/") else { return nil }
      let name = words.filter { $0 != " " && $0 != "\u{FE0F}" }
      return message.integer().map { .activity(Activity(ActivityType(name: String(name)), confidence: $0)) }
    case "TSLocationManager requestLocationUpdates":
      return message.pass("Location-services: ON") ? .locationUpdates(isOn: true) : nil
    case "TSLocationManager removeLocationUpdates": return .locationUpdates(isOn: false)
    case "TSGeofenceManager startMonitoringStationaryRegion":
      return message.number(after: "radius: ").map { .stationaryRegion(radiusMetres: $0) }
    case "GeofenceManagerStationaryExitStrategy handleExit":
      return message.pass("Stationary geofence EXIT\n") ? .regionExit : nil
    case "GeofencingProcessor handleGeofencingEvent":
      guard message.pass("Geofencing Event: ") else { return nil }
      let action = String(message.word())
      guard message.pass("╟─ ") else { return nil }
      return .geofenceEvent(identifier: String(message.rest.prefix { $0 != "\n" }), action: action)
    default:
      guard message.pass("setPace: "), message.pass("→ ") else { return nil }
      return .paceChange(isMoving: message.word() == "true")
    }
  }

  private static func timers(_ place: Substring, _ message: TextScanner) -> LogFact.Content? {
    var message = message
    switch place {
    case "TSScheduleManager oneShot":
      guard message.pass("Scheduled OneShot: "), let name = message.upTo(" in "), let milliseconds = message.number()
      else { return nil }
      return name == "STOP_TIMEOUT"
        ? .stopTimeoutEngaged(seconds: milliseconds / 1_000)
        : .timerStarted(name: String(name), seconds: milliseconds / 1_000)
    case "TSScheduleManager cancelOneShot":
      return message.pass("Cancel OneShot: ") ? .timerStopped(name: String(message.word())) : nil
    case "TrackingService beginStopTimer": return message.pass("Stop-timeout elapsed!") ? .stopTimeoutFired : nil
    case "HeartbeatService onHeartbeat": return .heartbeat
    default: return nil
    }
  }

  private static func uploads(_ place: Substring, _ message: TextScanner) -> LogFact.Content? {
    var message = message
    switch place {
    case "SQLiteLocationDAO persist":
      return message.pass("INSERT: ") ? .inserted(uuid: String(message.word()), kind: nil) : nil
    case "SQLiteLocationDAO destroy":
      return message.pass("DESTROY: ") ? .destroyed(uuid: String(message.word())) : nil
    case "SQLiteLocationDAO unlock":
      return message.pass("UNLOCKED: ") ? .unlocked(uuid: String(message.word())) : nil
    case "SQLiteLocationDAO allWithLocking":
      return message.integer(after: "Locked ").map { .locked(uuid: nil, count: $0) }
    case "HttpService onResponse", "HttpService onFailure":
      return message.integer(after: "Response: ").map { .response(status: $0) }
    case "HttpService flush": return message.pass("HTTP Service (count: ") ? .flushBegan : nil
    case "HttpService handleConnectivityChange":
      guard message.pass("connected? ") else { return nil }
      return .connectivity(message.word() == "true" ? .wifi : .none)
    default: return nil
    }
  }

  private static func life(_ place: Substring, _ message: TextScanner) -> LogFact.Content? {
    var message = message
    switch place {
    case "LifecycleManager handleOnStop": return .appState(isBackground: true)
    case "LifecycleManager handleOnResume": return .appState(isBackground: false)
    case "TSLocationManager onSingleLocationResult":
      return message.pass("MOTIONCHANGE") ? .configurationChanged(key: "state.isMoving") : nil
    case "SingleLocationRequest startUpdatingLocation":
      guard message.pass("action: "), let purpose = message.upTo(",") else { return nil }
      return .locationRequest(purpose: String(purpose), maximumAgeMilliseconds: 0)
    case "TSConfig print":
      guard message.pass("TSLocationManager version: "), message.pass("\n{") else { return nil }
      let text = "{" + message.rest
      do throws(JSONError) {
        return .configuration(try JSONValue(parsing: text.utf8.span))
      } catch { return nil }
    default: return nil
    }
  }
}
