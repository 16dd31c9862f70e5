import Base

/// What the platform was last asked for, so that it is asked only for what changes.
struct Demands: Sendable {
  /// Of which an earlier process may have left one with the system.
  struct Leftovers: OptionSet {
    let rawValue: UInt8

    static let stationaryRegion = Leftovers(rawValue: 1)
    static let proximityRegion = Leftovers(rawValue: 2)
    static let significantChanges = Leftovers(rawValue: 4)
    static let backgroundFetch = Leftovers(rawValue: 8)
    static let all: Leftovers = [.stationaryRegion, .proximityRegion, .significantChanges, .backgroundFetch]
  }

  var leftovers: Leftovers = []
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
