package import Base
package import Contract

/// In what the engines of the two platforms differ, and the numbers that both take from SDK §12 to §19. Where the
/// sources leave a number open it is our choice, and here is its place. One object for all engines of a platform.
package final class PlatformProfile: Sendable {
  /// How a moving activity ends a rest.
  package enum MotionTrigger: Sendable {
    /// A timer, then a look at where the device is (§12.4).
    case query
    /// After `motionTriggerDelay`, without a look.
    case delay
  }

  package let platform: DevicePlatform
  package let motionTrigger: MotionTrigger

  /// What is asked of the position of a motion change (§13.2).
  package let motionChange: RequestTerms
  package let motionState = RequestTerms(
    desiredAccuracyMetres: 60, maximumAgeMilliseconds: 3_000, timeoutSeconds: 30, samples: 1)
  package let geofenceTransition = RequestTerms(
    desiredAccuracyMetres: 10, maximumAgeMilliseconds: 10_000, timeoutSeconds: 30, samples: 3)
  /// With significant changes Android takes the first position that comes as it is, unless it is stale (SDK §12.7).
  package let significantMotionChange = RequestTerms(
    desiredAccuracyMetres: 0, maximumAgeMilliseconds: 300_000, timeoutSeconds: 60, samples: 1)
  package let providerChange = RequestTerms(
    desiredAccuracyMetres: 100, maximumAgeMilliseconds: 0, timeoutSeconds: 60, samples: 1)

  /// Positions may be so much older than a request that wants new ones (§13.1, our choice).
  package let newnessToleranceMilliseconds: Int64 = 1_000
  /// With reduced accuracy nothing better than this is waited for.
  package let reducedAccuracyMetres = 5_000.0
  /// A motion change whose position cannot be found is tried again so often (§12.6, our choice).
  package let motionChangeRetries = 3

  /// No stationary region is smaller (§12.5).
  package let leastRegionRadiusMetres = 150.0
  /// iOS: the trigger timer is this much longer than `activityRecognitionInterval` (§12.3).
  package let motionTriggerExtra = Nanoseconds.seconds(1)
  /// A look that finds the device inside its region ends the rest nevertheless when it is that fast, and the activity
  /// that sure (§12.4, our choice).
  package let fastPathSpeedMetresPerSecond = 5.0
  package let fastPathConfidence = 100

  /// A heartbeat comes at most so often (§2.3).
  package let leastHeartbeatSeconds: Double
  /// How long iOS leaves the heartbeats of an unplugged phone with a dark screen alone (§18.3); nil where they are never
  /// held back.
  package let heartbeatGrace: Nanoseconds?
  /// How long the app may run on in the background for a task (§18).
  package let backgroundTaskLimit: Nanoseconds
  package let preventSuspendFirst = Nanoseconds.seconds(15)
  package let preventSuspendCycle = Nanoseconds.seconds(23)

  /// Android looks again at where the device is before it believes an exit from the stationary region (§12.5).
  package let verifiesRegionExit: Bool
  /// Android takes a stop back when the device moves on (§12.6), and does not wait for mock positions.
  package let watchesDisplacementWhileStopping: Bool
  /// Android records a change of permissions by itself (§5.4).
  package let recordsProviderChange: Bool
  /// iOS tells the app how sure an activity is (§6).
  package let tellsConfidence: Bool
  /// Android delivers events without a user interface (§6).
  package let hasHeadlessEvents: Bool
  /// iOS suspends a process in the background; only the system's events wake it (§18).
  package let suspendsInBackground: Bool
  /// iOS looks at the schedule only when something wakes it (§16.3).
  package let schedulesOnWakeOnly: Bool

  package static let ios = PlatformProfile(.ios)
  package static let android = PlatformProfile(.android)

  private init(_ platform: DevicePlatform) {
    let isIOS = platform == .ios
    self.platform = platform
    motionTrigger = isIOS ? .query : .delay
    motionChange = RequestTerms(
      desiredAccuracyMetres: 20, maximumAgeMilliseconds: 5_000, timeoutSeconds: 60, samples: isIOS ? 3 : 5)
    leastHeartbeatSeconds = isIOS ? 0 : 60
    heartbeatGrace = isIOS ? .seconds(120) : nil
    backgroundTaskLimit = .seconds(isIOS ? 30 : 180)
    verifiesRegionExit = !isIOS
    watchesDisplacementWhileStopping = !isIOS
    recordsProviderChange = !isIOS
    tellsConfidence = isIOS
    hasHeadlessEvents = !isIOS
    suspendsInBackground = isIOS
    schedulesOnWakeOnly = isIOS
  }

  package static func of(_ platform: DevicePlatform) -> PlatformProfile {
    switch platform {
    case .ios: .ios
    case .android: .android
    }
  }
}

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

/// The activities that may end a rest (SDK §2.7).
struct TriggerActivities: OptionSet, Sendable {
  let rawValue: UInt8

  static let walking = TriggerActivities(rawValue: 1)
  static let onFoot = TriggerActivities(rawValue: 2)
  static let running = TriggerActivities(rawValue: 4)
  static let onBicycle = TriggerActivities(rawValue: 8)
  static let inVehicle = TriggerActivities(rawValue: 16)
  static let all: TriggerActivities = [.walking, .onFoot, .running, .onBicycle, .inVehicle]

  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Nil allows all; names that are none of the moving activities allow nothing.
  init(_ names: [String]?) {
    guard let names else {
      self = .all
      return
    }
    self = []
    for name in names { formUnion(TriggerActivities(of: ActivityType(name: name))) }
  }

  /// Empty for an activity at rest.
  init(of type: ActivityType) {
    switch type {
    case .walking: self = .walking
    case .onFoot: self = .onFoot
    case .running: self = .running
    case .onBicycle: self = .onBicycle
    case .inVehicle: self = .inVehicle
    case .still, .unknown, .other: self = []
    }
  }
}

extension ActivityType {
  /// What the log shows as `isMoving` behind an activity.
  var isMoving: Bool { !TriggerActivities(of: self).isEmpty }
}
