/// Habits of real devices, seen in their logs, that no document tells of. Off by default; on for holding an engine
/// against a log.
package struct EngineQuirks: Equatable, Sendable {
  /// The way to the first tracked position of a trip counts twice (SDK §17), and positions that stray in while
  /// the device rests count too.
  package var odometerIsAsObserved = false
  /// A trip begins with the distance filter of the speed at the last position before it: that of the look which found
  /// the movement, or that of the rest. A stop that seems to begin sets it back to the configured one. The log tells of
  /// neither (SDK §14.1.3). Otherwise a trip begins with the configured one.
  package var setsDistanceFilterAtTurns = false

  /// With which position Android compares a significant change that may be noise; logs differ, and none says.
  package var noiseReference = SignificantTrail.Reference.lastUnlessBetter

  package static let all: EngineQuirks = {
    var quirks = EngineQuirks()
    quirks.odometerIsAsObserved = true
    quirks.setsDistanceFilterAtTurns = true
    return quirks
  }()

  package init() {}
}
