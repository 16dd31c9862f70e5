package import Base
package import Contract

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
  case activityUpdates(isOn: Bool)
  case significantChanges(isOn: Bool)
  case backgroundFetch(isOn: Bool)
}
