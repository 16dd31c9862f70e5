package import Contract

/// What the event `locationfilter` tells: a position, or a crossing, that came to nothing.
package struct FilteredLocation: Equatable, Sendable {
  package let record: LocationRecord
  /// `low-accuracy`, `implied-speed`, `outlier-capped`, `geofence-spurious-exit`, `geofence-duplicate-enter`.
  package let reason: String
  /// -1 with a crossing.
  package let thresholdMetres: Double
  package let crossing: GeofenceSuppression?

  package init(
    record: LocationRecord, reason: String, thresholdMetres: Double, crossing: GeofenceSuppression?
  ) {
    self.record = record
    self.reason = reason
    self.thresholdMetres = thresholdMetres
    self.crossing = crossing
  }
}
