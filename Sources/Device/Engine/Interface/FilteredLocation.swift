package import Contract

/// What the event `locationfilter` tells: a position, or a crossing, that came to nothing.
package struct FilteredLocation: Equatable, Sendable {
  /// A crossing that was suppressed.
  package struct Crossing: Equatable, Sendable {
    package let identifier: String
    package let action: GeofenceTrigger.Action
    package let distanceMetres: Double
    package let radiusMetres: Double

    package init(
      identifier: String, action: GeofenceTrigger.Action, distanceMetres: Double, radiusMetres: Double
    ) {
      self.identifier = identifier
      self.action = action
      self.distanceMetres = distanceMetres
      self.radiusMetres = radiusMetres
    }

    /// Metres beyond the boundary; 0 inside.
    package var outsideByMetres: Double { max(0, distanceMetres - radiusMetres) }
  }

  package let record: LocationRecord
  /// `low-accuracy`, `implied-speed`, `outlier-capped`, `geofence-spurious-exit`, `geofence-duplicate-enter`.
  package let reason: String
  /// -1 with a crossing.
  package let thresholdMetres: Double
  package let crossing: Crossing?

  package init(record: LocationRecord, reason: String, thresholdMetres: Double, crossing: Crossing?) {
    self.record = record
    self.reason = reason
    self.thresholdMetres = thresholdMetres
    self.crossing = crossing
  }
}
