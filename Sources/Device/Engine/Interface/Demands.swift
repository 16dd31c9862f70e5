package import Base
package import Contract

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

/// What the engine wants of the platform's sensors from now on. Each replaces the last one of its kind.
package enum SensorDemand: Equatable, Sendable {
  /// Nil: off.
  case locationUpdates(LocationUpdates?)
  /// Positions one after the other, about each second, beginning with the last one known. Nil: off.
  case sampling(desiredAccuracyMetres: Double?)
  case stationaryRegion(Circle?)
  /// In geofence mode the region whose exit asks for a new set of monitored fences; on Android with significant
  /// changes the one whose exit is a position of the trip (SDK §12.7).
  case proximityRegion(Circle?)
  /// The fences to watch in addition, and those no longer to be watched.
  case geofences(on: [Geofence], off: [String])
  /// What the sensors report from now on, and soon what they have reported last.
  case activityUpdates(isOn: Bool)
  case significantChanges(isOn: Bool)
  case backgroundFetch(isOn: Bool)
}

/// How positions are to be streamed.
package struct LocationUpdates: Equatable, Sendable {
  /// Positions nearer than this to the last one streamed are not wanted; 0 wants all.
  package var distanceFilterMetres: Double
  /// A class of `DesiredAccuracy` or a number of metres.
  package var desiredAccuracy: Double
  /// Android, and only with a distance filter of 0; else 0.
  package var intervalMilliseconds: Double
  /// Whether iOS may pause by itself.
  package var pausesAutomatically: Bool

  package init(
    distanceFilterMetres: Double, desiredAccuracy: Double, intervalMilliseconds: Double, pausesAutomatically: Bool
  ) {
    self.distanceFilterMetres = distanceFilterMetres
    self.desiredAccuracy = desiredAccuracy
    self.intervalMilliseconds = intervalMilliseconds
    self.pausesAutomatically = pausesAutomatically
  }

  /// The least time between two positions.
  package var interval: Nanoseconds { Nanoseconds(seconds: intervalMilliseconds / 1_000) }
}
