package import Contract

/// What the app, or a server through a command, may ask of the engine (SDK §3, §10.2).
package enum EngineCall: Equatable, Sendable {
  case start
  case startGeofences
  case stop
  case changePace(isMoving: Bool)
  case startSchedule
  case stopSchedule

  case currentPosition(PositionRequest)
  case watchPosition(WatchRequest)
  case stopWatchPosition(id: Int)
  /// The position that goes with it becomes a record whose odometer is the new one.
  case setOdometer(metres: Double, PositionRequest)

  /// Fences that are there already are replaced.
  case addGeofences([Geofence])
  /// Nil: all of them.
  case removeGeofences(identifiers: [String]?)

  case startBackgroundTask(id: Int)
  case stopBackgroundTask(id: Int)

  /// Nil for the commands that are not the engine's: configuration, log, ban.
  package init?(_ command: Command) {
    switch command {
    case .start: self = .start
    case .stop: self = .stop
    case .startGeofences: self = .startGeofences
    case .changePace(let isMoving): self = .changePace(isMoving: isMoving)
    case .startSchedule: self = .startSchedule
    case .stopSchedule: self = .stopSchedule
    case .addGeofence(let geofence): self = .addGeofences([geofence])
    case .addGeofences(let geofences): self = .addGeofences(geofences)
    case .removeGeofence(let identifier): self = .removeGeofences(identifiers: [identifier])
    case .removeGeofences(let identifiers): self = .removeGeofences(identifiers: identifiers)
    case .setOdometer(let metres): self = .setOdometer(metres: metres, .odometer(id: nil))
    case .resetOdometer: self = .setOdometer(metres: 0, .odometer(id: nil))
    case .setConfig, .uploadLog, .destroyLog, .ban: return nil
    }
  }
}
