package import Contract

/// How the odometer counts.
package struct OdometerRules: Equatable, Sendable {
  /// Steps to a worse fix do not count.
  package var accuracyThresholdMetres: Double
  package var usesKalman: Bool
  package var policy: FilterPolicy
  /// A real device counts the way to the fix of a motion change and again the way to the first tracked fix, which is
  /// the same fix (behaviour §17). Off unless a device is to be reproduced with its faults.
  package var countsMotionChangeTwice: Bool

  package init(_ settings: LocationFilterSettings, countsMotionChangeTwice: Bool = false) {
    accuracyThresholdMetres = settings.odometerAccuracyThresholdMetres
    usesKalman = settings.odometerUseKalmanFilter
    policy = settings.odometerPolicy
    self.countsMotionChangeTwice = countsMotionChangeTwice
  }
}
