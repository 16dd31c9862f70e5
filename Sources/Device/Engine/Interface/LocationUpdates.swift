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
}
