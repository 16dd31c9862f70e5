package import Base

/// How often somebody does to a phone what software does not expect. Per hour awake.
package struct HabitRates: Equatable, Sendable {
  package var killsPerHour: Double
  package var rebootsPerHour: Double
  /// Of the time until the app is opened again.
  package var relaunchSeconds: Distribution
  /// Of the time that a phone is off.
  package var bootSeconds: Distribution

  package init(
    killsPerHour: Double, rebootsPerHour: Double, relaunchSeconds: Distribution = .uniform(min: 10, max: 600),
    bootSeconds: Distribution = .uniform(min: 25, max: 90)
  ) {
    precondition(killsPerHour >= 0 && rebootsPerHour >= 0, "a rate is not negative")
    self.killsPerHour = killsPerHour
    self.rebootsPerHour = rebootsPerHour
    self.relaunchSeconds = relaunchSeconds
    self.bootSeconds = bootSeconds
  }
}
