/// Habits of real devices, seen in their logs, that no document tells of. Off by default; on for holding an engine
/// against a log.
package struct EngineQuirks: Equatable, Sendable {
  /// The way to the first tracked position of a trip counts twice (behaviour §17), and positions that stray in while
  /// the device rests count too.
  package var odometerIsAsObserved = false
  /// A trip begins with the distance filter of the speed at its first position, and a stop that seems to begin sets it
  /// back to the configured one; the log tells of neither. Otherwise a trip begins with the configured one (behaviour
  /// §14.1, our choice).
  package var setsDistanceFilterAtTurns = false

  package static let all: EngineQuirks = {
    var quirks = EngineQuirks()
    quirks.odometerIsAsObserved = true
    quirks.setsDistanceFilterAtTurns = true
    return quirks
  }()

  package init() {}
}
