package import Base
package import Contract

/// In what the engines of the two platforms differ, and the numbers that both take from behaviour §12 to §19. Where the
/// sources leave a number open it is our choice, and here is its place.
package struct PlatformProfile: Equatable, Sendable {
  /// How a moving activity ends a rest.
  package enum MotionTrigger: Sendable {
    /// A timer, then a look at where the device is (§12.4).
    case query
    /// After `motionTriggerDelay`, without a look.
    case delay
  }

  package var platform: DevicePlatform
  package var motionTrigger: MotionTrigger

  /// What is asked of the position of a motion change (§13.2).
  package var motionChange: RequestTerms
  package var motionState = RequestTerms(
    desiredAccuracyMetres: 60, maximumAgeMilliseconds: 3_000, timeoutSeconds: 30, samples: 1)
  package var geofenceTransition = RequestTerms(
    desiredAccuracyMetres: 10, maximumAgeMilliseconds: 10_000, timeoutSeconds: 30, samples: 3)
  package var providerChange = RequestTerms(
    desiredAccuracyMetres: 100, maximumAgeMilliseconds: 0, timeoutSeconds: 60, samples: 1)

  /// Positions may be so much older than a request that wants new ones (§13.1, our choice).
  package var newnessToleranceMilliseconds: Int64 = 1_000
  /// With reduced accuracy nothing better than this is waited for.
  package var reducedAccuracyMetres = 5_000.0
  /// A motion change whose position cannot be found is tried again so often (§12.6, our choice).
  package var motionChangeRetries = 3

  /// No stationary region is smaller (§12.5).
  package var leastRegionRadiusMetres = 150.0
  /// iOS: the trigger timer is this much longer than `activityRecognitionInterval` (§12.3).
  package var motionTriggerExtra = Nanoseconds.seconds(1)
  /// A look that finds the device inside its region ends the rest nevertheless when it is that fast, and the activity
  /// that sure (§12.4, our choice).
  package var fastPathSpeedMetresPerSecond = 5.0
  package var fastPathConfidence = 100

  /// A heartbeat comes at most so often (§2.3).
  package var leastHeartbeatSeconds: Double
  /// How long the app may run on in the background for a task (§18).
  package var backgroundTaskLimit: Nanoseconds
  package var preventSuspendFirst = Nanoseconds.seconds(15)
  package var preventSuspendCycle = Nanoseconds.seconds(23)

  /// Android looks again at where the device is before it believes an exit from the stationary region (§12.5).
  package var verifiesRegionExit: Bool
  /// Android takes a stop back when the device moves on (§12.6), and does not wait for mock positions.
  package var watchesDisplacementWhileStopping: Bool
  /// Android records a change of permissions by itself (§5.4).
  package var recordsProviderChange: Bool
  /// Android delivers events without a user interface (§6).
  package var hasHeadlessEvents: Bool
  /// iOS suspends a process in the background; only the system's events wake it (§18).
  package var suspendsInBackground: Bool
  /// iOS looks at the schedule only when something wakes it (§16.3).
  package var schedulesOnWakeOnly: Bool

  package static let ios = PlatformProfile(
    platform: .ios, motionTrigger: .query,
    motionChange: RequestTerms(
      desiredAccuracyMetres: 20, maximumAgeMilliseconds: 5_000, timeoutSeconds: 60, samples: 3),
    leastHeartbeatSeconds: 0, backgroundTaskLimit: .seconds(30), verifiesRegionExit: false,
    watchesDisplacementWhileStopping: false, recordsProviderChange: false, hasHeadlessEvents: false,
    suspendsInBackground: true, schedulesOnWakeOnly: true)

  package static let android = PlatformProfile(
    platform: .android, motionTrigger: .delay,
    motionChange: RequestTerms(
      desiredAccuracyMetres: 20, maximumAgeMilliseconds: 5_000, timeoutSeconds: 60, samples: 5),
    leastHeartbeatSeconds: 60, backgroundTaskLimit: .seconds(180), verifiesRegionExit: true,
    watchesDisplacementWhileStopping: true, recordsProviderChange: true, hasHeadlessEvents: true,
    suspendsInBackground: false, schedulesOnWakeOnly: false)

  package static func of(_ platform: DevicePlatform) -> PlatformProfile {
    switch platform {
    case .ios: .ios
    case .android: .android
    }
  }
}
