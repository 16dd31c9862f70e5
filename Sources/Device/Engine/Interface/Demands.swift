package import Base
package import Contract

/// The last requests to the platform, so that only changes are sent.
struct Demands: Sendable {
  /// Demands that an earlier process may have left with the system.
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
  /// Sampling serves the tests of polygons too.
  var wantsHighRate = false
  var stationaryRegion: Circle?
  var proximityRegion: Circle?
  var wantsActivity = false
  var wantsSignificantChanges = false
  var wantsBackgroundFetch = false
}

/// A demand on the platform's sensors. Each replaces the previous one of its kind.
package enum SensorDemand: Equatable, Sendable {
  /// Nil: off.
  case locationUpdates(LocationUpdates?)
  /// Successive positions, about one a second, beginning with the last known one. Nil: off.
  case sampling(desiredAccuracyMetres: Double?)
  case stationaryRegion(Circle?)
  /// In geofence mode, the region whose exit requires a new set of monitored fences; on Android with significant
  /// changes, the one whose exit is a position of the trip (SDK §12.7).
  case proximityRegion(Circle?)
  /// The fences to watch additionally, and those to stop watching.
  case geofences(on: [Geofence], off: [String])
  /// The activities reported from now on; the last one follows soon.
  case activityUpdates(isOn: Bool)
  case significantChanges(isOn: Bool)
  case backgroundFetch(isOn: Bool)
}

/// Settings of location updates.
package struct LocationUpdates: Equatable, Sendable {
  /// The minimum distance from the last delivered position; 0 for none.
  package var distanceFilterMetres: Double
  /// A class of `DesiredAccuracy` or a number of metres.
  package var desiredAccuracy: Double
  /// Android with a distance filter of 0; otherwise 0.
  package var intervalMilliseconds: Double
  /// Whether iOS may pause updates.
  package var pausesAutomatically: Bool

  package init(
    distanceFilterMetres: Double, desiredAccuracy: Double, intervalMilliseconds: Double, pausesAutomatically: Bool
  ) {
    self.distanceFilterMetres = distanceFilterMetres
    self.desiredAccuracy = desiredAccuracy
    self.intervalMilliseconds = intervalMilliseconds
    self.pausesAutomatically = pausesAutomatically
  }

  /// The minimum time between two positions.
  package var interval: Nanoseconds { Nanoseconds(seconds: intervalMilliseconds / 1_000) }
}
