/// Group `geolocation.filter`: which fixes are implausible, and how far the odometer trusts them (SDK §2.2).
package struct LocationFilterSettings: Equatable, Sendable {
  package var policy = FilterPolicy.conservative
  package var useKalman = true
  package var kalmanProfile = KalmanProfile.balanced
  package var kalmanDebug = false
  package var filterDebug = false
  /// How many of the last steps the adaptive cap looks at.
  package var rollingWindow = 5
  package var burstWindowSeconds = 10.0
  package var maxBurstDistanceMetres = 300.0
  package var maxImpliedSpeedMetresPerSecond = 60.0
  package var trackingAccuracyThresholdMetres = 100.0
  package var odometerAccuracyThresholdMetres = 20.0
  package var odometerUseKalmanFilter = true
  package var odometerPolicy = FilterPolicy.adjust
}
