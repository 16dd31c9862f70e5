/// What of an engine's doings is held against a log, each kind by itself.
package enum FidelityClass: String, CaseIterable, Sendable {
  case records
  case distanceFilter = "distance filter"
  case transitions
  case stopTimers = "stop timers"
  case geofences
  case uploads
}
