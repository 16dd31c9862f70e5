import Contract
import Testing

/// Values that depend on other keys or on the platform.
struct ConfigurationEffectiveTests {
  private func make(_ platform: DevicePlatform, _ change: (inout Configuration) -> Void) -> Configuration {
    var configuration = Configuration(platform: platform)
    change(&configuration)
    return configuration
  }

  /// SDK §23, "stopDetectionDelay unit".
  @Test(arguments: [(0.0, 0.0), (5, 5), (999, 999), (1_000, 1), (10_000, 10)])
  func aLongStopDetectionDelayIsInMilliseconds(given: Double, seconds: Double) {
    #expect(make(.ios) { $0.activity.stopDetectionDelay = given }.stopDetectionDelaySeconds == seconds)
    #expect(make(.android) { $0.activity.stopDetectionDelay = given }.stopDetectionDelaySeconds == 0)
  }

  /// SDK §2.1, "And SLC".
  @Test func significantChangesOfAndroidHaveFloors() {
    let slow = make(.android) { $0.geolocation.useSignificantChangesOnly = true }
    #expect(slow.effectiveDistanceFilterMetres == 250)
    #expect(slow.effectiveStopTimeoutMinutes == 20)
    #expect(slow.effectiveMotionTriggerDelayMilliseconds == 60_000)

    let above = make(.android) {
      $0.geolocation.useSignificantChangesOnly = true
      $0.geolocation.distanceFilterMetres = 500
      $0.geolocation.stopTimeoutMinutes = 30
      $0.activity.motionTriggerDelayMilliseconds = 90_000
    }
    #expect(above.effectiveDistanceFilterMetres == 500)
    #expect(above.effectiveStopTimeoutMinutes == 30)
    #expect(above.effectiveMotionTriggerDelayMilliseconds == 90_000)
  }

  @Test func aStopTimeoutOfZeroIsHonouredByTheFloor() {
    let configuration = make(.android) {
      $0.geolocation.useSignificantChangesOnly = true
      $0.geolocation.stopTimeoutMinutes = 0
    }
    #expect(configuration.effectiveStopTimeoutMinutes == 0)
  }

  @Test func significantChangesOfIOSHaveNoFloors() {
    let configuration = make(.ios) { $0.geolocation.useSignificantChangesOnly = true }
    #expect(configuration.effectiveDistanceFilterMetres == 10)
    #expect(configuration.effectiveStopTimeoutMinutes == 5)
    #expect(configuration.effectiveMotionTriggerDelayMilliseconds == 0)
  }

  @Test func withoutSignificantChangesTheConfiguredValuesCount() {
    let configuration = make(.android) { $0.activity.motionTriggerDelayMilliseconds = 5 }
    #expect(configuration.effectiveDistanceFilterMetres == 10)
    #expect(configuration.effectiveStopTimeoutMinutes == 5)
    #expect(configuration.effectiveMotionTriggerDelayMilliseconds == 5)
  }

  /// SDK §2.1, pausesLocationUpdatesAutomatically.
  @Test func updatesThatNeverPauseDisableStopDetectionAndPreventSuspendOnIOS() {
    for (platform, isForced) in [(DevicePlatform.ios, true), (.android, false)] {
      let configuration = make(platform) {
        $0.geolocation.pausesLocationUpdatesAutomatically = false
        $0.app.preventSuspend = true
      }
      #expect(configuration.isStopDetectionDisabled == isForced)
      #expect(!configuration.preventsSuspend)
    }
    #expect(make(.ios) { $0.app.preventSuspend = true }.preventsSuspend)
    #expect(make(.android) { $0.activity.disableStopDetection = true }.isStopDetectionDisabled)
    #expect(!Configuration(platform: .ios).isStopDetectionDisabled)
  }

  /// SDK §2.1, desiredAccuracy.
  @Test(arguments: [(-2.0, true), (-1, true), (0, true), (10, false), (100, false), (1_000, false), (3_000, false)])
  func coarseAccuracyRelaxesAnUntouchedFilter(accuracy: Double, keepsPolicy: Bool) {
    let untouched = make(.ios) { $0.geolocation.desiredAccuracy = accuracy }
    #expect(untouched.effectiveFilterPolicy == (keepsPolicy ? .conservative : .passThrough))
    let touched = make(.ios) {
      $0.geolocation.desiredAccuracy = accuracy
      $0.geolocation.filter.trackingAccuracyThresholdMetres = 50
    }
    #expect(touched.effectiveFilterPolicy == .conservative)
  }

  /// SDK §4.3.
  @Test(arguments: [
    (-5.0, DesiredAccuracy.navigation), (-2, .navigation), (-1, .high), (0, .high), (9.9, .high), (10, .medium),
    (99, .medium), (100, .low), (999, .low), (1_000, .veryLow), (2_999, .veryLow), (3_000, .lowest), (1e9, .lowest),
  ])
  func accuracyClassesAreNeverCoarserThanAskedFor(metres: Double, expected: DesiredAccuracy) {
    #expect(DesiredAccuracy(metres: metres) == expected)
  }

  /// SDK §2.7.
  @Test func noTriggerActivitiesMeansAll() {
    #expect(Configuration(platform: .ios).allowedTriggerActivities == nil)
    let some = make(.ios) { $0.activity.triggerActivities = "in_vehicle,on_foot" }
    #expect(some.allowedTriggerActivities == ["in_vehicle", "on_foot"])
  }
}
