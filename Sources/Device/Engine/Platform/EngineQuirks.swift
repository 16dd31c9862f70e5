/// Habits of real devices, seen in their logs, that no document tells of. Simulated devices have them unless a scenario
/// says otherwise; the library follows the documents.
package struct EngineQuirks: Equatable, Sendable {
  /// The way to the first tracked position of a trip counts twice (SDK §17), and positions that stray in while
  /// the device rests count too.
  package var odometerIsAsObserved = false
  /// A trip begins with the distance filter of the speed at its motion change, which goes by it already. A stop that
  /// seems to begin sets it back to the configured one. The log tells of neither (SDK §14.1.3). Otherwise a trip begins
  /// with the configured one.
  package var setsDistanceFilterAtTurns = false

  /// With which position Android compares a significant change that may be noise; logs differ, and none says.
  package var noiseReference = SignificantTrail.Reference.lastUnlessBetter

  /// All of them or none.
  package init(areObserved: Bool) {
    odometerIsAsObserved = areObserved
    setsDistanceFilterAtTurns = areObserved
  }

  package static let observed = EngineQuirks(areObserved: true)
  package static let documented = EngineQuirks(areObserved: false)
}
