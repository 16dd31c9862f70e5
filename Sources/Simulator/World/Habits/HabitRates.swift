/// How often somebody does to a phone what software does not expect. Per hour awake.
package struct HabitRates: Equatable, Sendable {
  package var killsPerHour: Double
  package var rebootsPerHour: Double
  /// Bounds of the time until the app is opened again.
  package var relaunchSeconds: ClosedRange<Double>
  /// Bounds of the time that a phone is off.
  package var bootSeconds: ClosedRange<Double>

  package init(
    killsPerHour: Double, rebootsPerHour: Double, relaunchSeconds: ClosedRange<Double> = 10...600,
    bootSeconds: ClosedRange<Double> = 25...90
  ) {
    precondition(killsPerHour >= 0 && rebootsPerHour >= 0, "a rate is not negative")
    precondition(relaunchSeconds.lowerBound > 0 && bootSeconds.lowerBound > 0, "nothing begins before it has ended")
    self.killsPerHour = killsPerHour
    self.rebootsPerHour = rebootsPerHour
    self.relaunchSeconds = relaunchSeconds
    self.bootSeconds = bootSeconds
  }
}
