/// What brought the fix that an odometer is told of.
package enum OdometerSource: CaseIterable, Sendable {
  /// The location filter has let it through.
  case tracked
  case motionChange
  /// A record of a device at rest that is no motion change: minor motion (SDK §17.5).
  case rest
  /// A geofence transition, or the exit from the region around a device at rest.
  case transition

  /// In geofence-only mode the odometer advances only at transitions and exits, otherwise never at them (behaviour
  /// §15.6, §17).
  func counts(isGeofenceMode: Bool) -> Bool { (self == .transition) == isGeofenceMode }
}
