package import Base

/// What of an engine survives the process (SDK §19.1). The configuration and the fences are kept elsewhere.
package struct EngineState: Equatable, Sendable {
  package var isEnabled = false
  package var isMoving = false
  package var trackingMode = TrackingMode.location
  package var isSchedulerEnabled = false
  package var odometerMetres = 0.0
  package var odometerErrorMetres = 0.0
  /// Where the device came to rest; the centre of the stationary region.
  package var stationaryPlace: Coordinate?
  /// When tracking was started, by the clock on the wall; nil while it is off, and where an older version kept the state.
  package var startedAt: WallInstant?

  package init() {}
}

/// What an enabled engine records (SDK §4.2).
package enum TrackingMode: Int, CaseIterable, Sendable {
  case geofence = 0
  case location = 1
}
