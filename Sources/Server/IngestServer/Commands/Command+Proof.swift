import Contract
import Store

extension Command {
  /// What a record shows when the device has obeyed; nil where records are silent. The device could have come to the same
  /// by itself: a proof says that it is as was ordered, not who did it.
  var proof: CommandProof? {
    switch self {
    case .changePace(let isMoving): .motionChange(isMoving: isMoving)
    case .setOdometer(let metres): .odometer(metres: metres)
    case .resetOdometer: .odometer(metres: 0)
    case .start, .stop, .startGeofences, .setConfig, .addGeofence, .addGeofences, .removeGeofence, .removeGeofences,
      .uploadLog, .destroyLog, .startSchedule, .stopSchedule, .ban:
      nil
    }
  }
}
