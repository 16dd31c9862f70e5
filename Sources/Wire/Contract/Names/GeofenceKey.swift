/// Keys of a geofence (SDK §15.1).
package enum GeofenceKey {
  package static let identifier = "identifier"
  package static let latitude = "latitude"
  package static let longitude = "longitude"
  package static let radius = "radius"
  package static let notifyOnEntry = "notifyOnEntry"
  package static let notifyOnExit = "notifyOnExit"
  package static let notifyOnDwell = "notifyOnDwell"
  package static let loiteringDelay = "loiteringDelay"
  package static let vertices = "vertices"
  package static let extras = "extras"
  package static let entryState = "entryState"
  package static let stateUpdatedAt = "stateUpdatedAt"
  package static let hits = "hits"
}
