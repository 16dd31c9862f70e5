import Base
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
}
