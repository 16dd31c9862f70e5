/// Faults of real devices that an engine can have too, for holding it against their logs. Off by default.
package struct EngineQuirks: Equatable, Sendable {
  /// The way to the first tracked position of a trip counts twice (behaviour §17).
  package var countsMotionChangeTwice = false
  /// A trip begins with the distance filter that the last one ended with, not with the configured one (behaviour §14.1).
  package var keepsDistanceFilterBetweenTrips = false

  package init() {}
}
