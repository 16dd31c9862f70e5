package import Contract

/// How the odometer counts.
package struct OdometerRules: Equatable, Sendable {
  /// Steps to a worse fix do not count.
  package var accuracyThresholdMetres: Double
  package var usesKalman: Bool
  package var policy: FilterPolicy
  package var maxImpliedSpeedMetresPerSecond: Double
  /// As the log of a real device shows it, faults included. Tracked steps are measured from the last fix of the stream,
  /// so that the way to a motion change, whose fix comes again in the stream, counts twice (SDK §17). Their
  /// length is never lessened by the errors. A motion change that is refused still moves the Kalman filter.
  package var isAsObserved: Bool

  package init(_ settings: LocationFilterSettings, isAsObserved: Bool = false) {
    accuracyThresholdMetres = settings.odometerAccuracyThresholdMetres
    usesKalman = settings.odometerUseKalmanFilter
    policy = settings.odometerPolicy
    maxImpliedSpeedMetresPerSecond = settings.maxImpliedSpeedMetresPerSecond
    self.isAsObserved = isAsObserved
  }
}
