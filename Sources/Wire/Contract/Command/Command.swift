package import JSON

/// One order to a device, with its argument (SDK §10.2).
package enum Command: Equatable, Sendable {
  case start
  case stop
  case startGeofences
  case changePace(isMoving: Bool)
  /// An object with configuration keys, in groups or flat.
  case setConfig(JSONValue)
  case addGeofence(Geofence)
  case addGeofences([Geofence])
  case removeGeofence(identifier: String)
  /// Nil: all of them. An empty array removes none.
  case removeGeofences(identifiers: [String]?)
  case uploadLog(url: String)
  case destroyLog
  case startSchedule
  case stopSchedule
  case setOdometer(metres: Double)
  case resetOdometer
  /// The device may no longer post to the demo server. The text is for its user.
  case ban(message: String?)
}
