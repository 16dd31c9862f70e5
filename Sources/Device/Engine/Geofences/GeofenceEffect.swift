package import Base
package import Contract

/// What a geofence book wants done.
package enum GeofenceEffect: Equatable, Sendable {
  case transition(GeofenceTransition)
  case suppressed(GeofenceSuppression)
  /// The status was put right without an event; it is to be saved.
  case corrected(Geofence)
  /// The set of active fences is another one: the system is to watch these and no longer those, and
  /// `geofenceschange` tells so. Both are empty after all fences were removed.
  case activeSet(on: [Geofence], off: [String])
  /// The region that moves along in geofence-only mode is to be here.
  case movingRegion(Circle)
  /// The evaluation that the log shows.
  case evaluated(found: Int, of: Int, withinMetres: Double)
}
