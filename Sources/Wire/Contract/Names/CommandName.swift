import Base

/// What a server can ask of a device (SDK §10.2).
package enum CommandName: String, CaseIterable, Sendable {
  case start
  case stop
  case startGeofences
  case changePace
  case setConfig
  case addGeofence
  case addGeofences
  case removeGeofence
  case removeGeofences
  case uploadLog
  case destroyLog
  case startSchedule
  case stopSchedule
  case setOdometer
  case resetOdometer
  case ban

  package static func nearest(to name: String) -> CommandName? {
    NearestName.find(name, in: allCases.map(\.rawValue)).flatMap(CommandName.init)
  }
}
