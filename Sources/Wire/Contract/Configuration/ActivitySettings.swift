/// Group `activity`: when the device counts as moving or still (SDK §2.7).
package struct ActivitySettings: Equatable, Sendable {
  package var activityRecognitionIntervalMilliseconds = 10_000.0
  /// In percent.
  package var minimumActivityRecognitionConfidence: Int
  package var disableStopDetection = false
  package var stopOnStationary = false
  /// As configured, in an uncertain unit; read `stopDetectionDelaySeconds`.
  package var stopDetectionDelay = 0.0
  package var motionTriggerDelayMilliseconds = 0.0
  /// Names joined by commas; empty: every moving activity triggers.
  package var triggerActivities = ""
  package var disableMotionActivityUpdates = false

  package init(platform: DevicePlatform) {
    minimumActivityRecognitionConfidence =
      switch platform {
      case .ios: 70
      case .android: 75
      }
  }
}
