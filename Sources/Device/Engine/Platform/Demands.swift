import Base

/// What the platform was last asked for, so that it is asked only for what changes.
struct Demands: Sendable {
  var locationUpdates: LocationUpdates?
  var samplingAccuracyMetres: Double?
  /// The sampling serves the tests of polygons, too.
  var wantsHighRate = false
  var stationaryRegion: Circle?
  var proximityRegion: Circle?
  var wantsActivity = false
  var wantsSignificantChanges = false
  var wantsBackgroundFetch = false
}
