import Base
import Contract
import Vocabulary

extension AndroidPage {
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
