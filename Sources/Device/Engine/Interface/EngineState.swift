package import Base

/// The persistent state of an engine (SDK §19.1). The configuration and the fences are stored separately.
package struct EngineState: Equatable, Sendable {
  package var isEnabled = false
  package var isMoving = false
  package var trackingMode = TrackingMode.location
  package var isSchedulerEnabled = false
  package var odometerMetres = 0.0
  package var odometerErrorMetres = 0.0
  /// The place of rest; the centre of the stationary region.
  package var stationaryPlace: Coordinate?
  /// The wall-clock time at which tracking was started; nil while it is off, and in a state stored by an older version.
  package var startedAt: WallInstant?

  package init() {}
}

/// The kind of records of an enabled engine (SDK §4.2).
package enum TrackingMode: Int, CaseIterable, Sendable {
  case geofence = 0
  case location = 1
}
