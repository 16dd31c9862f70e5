package import Contract

/// What an app asks of its SDK by itself.
package enum AppRequest: Equatable, Sendable {
  case start
  case startGeofences
  case startSchedule
  case stop
  case stopSchedule
  case addGeofences([Geofence])
}
