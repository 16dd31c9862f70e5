package import Base
package import Contract

/// The differences between the engines of the two platforms, and the constants of SDK §12 to §19 for both. Numbers that
/// the sources leave open are our choice, and are defined here. One object for all engines of a platform.
package final class PlatformProfile: Sendable {
  /// The way in which a moving activity ends a rest.
  package enum MotionTrigger: Sendable {
    /// A timer, then a request for the position (§12.4).
    case query
    /// After `motionTriggerDelay`, without a request.
    case delay
  }

  package let platform: DevicePlatform
  package let motionTrigger: MotionTrigger

  /// The criteria for the position of a motion change (§13.2).
  package let motionChange: RequestTerms
  package let motionState = RequestTerms(
    desiredAccuracyMetres: 60, maximumAgeMilliseconds: 3_000, timeoutSeconds: 30, samples: 1)
  package let geofenceTransition = RequestTerms(
    desiredAccuracyMetres: 10, maximumAgeMilliseconds: 10_000, timeoutSeconds: 30, samples: 3)
  /// With significant changes Android takes the first position, unless it is stale (SDK §12.7).
  package let significantMotionChange = RequestTerms(
    desiredAccuracyMetres: 0, maximumAgeMilliseconds: 300_000, timeoutSeconds: 60, samples: 1)
  package let providerChange = RequestTerms(
    desiredAccuracyMetres: 100, maximumAgeMilliseconds: 0, timeoutSeconds: 60, samples: 1)

  /// The age by which a position may precede a request for new ones (§13.1, our choice).
  package let newnessToleranceMilliseconds: Int64 = 1_000
  /// With reduced accuracy no better accuracy than this is waited for.
  package let reducedAccuracyMetres = 5_000.0
  /// The number of retries for the position of a motion change (§12.6, our choice).
  package let motionChangeRetries = 3

  /// The minimum radius of the stationary region (§12.5).
  package let leastRegionRadiusMetres = 150.0
  /// iOS: the time by which the trigger timer exceeds `activityRecognitionInterval` (§12.3).
  package let motionTriggerExtra = Nanoseconds.seconds(1)
  /// At this speed and activity confidence the rest ends even if the position is inside its region (§12.4, our choice).
  package let fastPathSpeedMetresPerSecond = 5.0
  package let fastPathConfidence = 100

  /// The minimum interval of heartbeats (§2.3; on iOS our choice: shorter ones would follow each other without end).
  package let leastHeartbeatSeconds: Double
  /// The time after which iOS holds back the heartbeats of an unplugged phone with a dark screen (§18.3); nil where
  /// they never are.
  package let heartbeatGrace: Nanoseconds?
  /// The time limit of a background task (§18).
  package let backgroundTaskLimit: Nanoseconds
  package let preventSuspendFirst = Nanoseconds.seconds(15)
  package let preventSuspendCycle = Nanoseconds.seconds(23)

  /// Android checks the position again before it accepts an exit from the stationary region (§12.5).
  package let verifiesRegionExit: Bool
  /// Android cancels a stop when the device moves on (§12.6), and does not wait for mock positions.
  package let watchesDisplacementWhileStopping: Bool
  /// iOS begins to stop at a sure `unknown`, too (§12.6.1).
  package let restsOnUnknownActivity: Bool
  /// Android records a change of permissions by itself (§5.4).
  package let recordsProviderChange: Bool
  /// iOS reports the confidence of activities to the app (§6).
  package let tellsConfidence: Bool
  /// Android delivers events without a user interface (§6).
  package let hasHeadlessEvents: Bool
  /// iOS suspends a process in the background; only the system's events wake it (§18).
  package let suspendsInBackground: Bool
  /// iOS evaluates the schedule only when something wakes it (§16.3).
  package let schedulesOnWakeOnly: Bool

  package static let ios = PlatformProfile(.ios)
  package static let android = PlatformProfile(.android)

  private init(_ platform: DevicePlatform) {
    let isIOS = platform == .ios
    self.platform = platform
    motionTrigger = isIOS ? .query : .delay
    motionChange = RequestTerms(
      desiredAccuracyMetres: 20, maximumAgeMilliseconds: 5_000, timeoutSeconds: 60, samples: isIOS ? 3 : 5)
    leastHeartbeatSeconds = isIOS ? 0.001 : 60
    heartbeatGrace = isIOS ? .seconds(120) : nil
    backgroundTaskLimit = .seconds(isIOS ? 30 : 180)
    verifiesRegionExit = !isIOS
    watchesDisplacementWhileStopping = !isIOS
    restsOnUnknownActivity = isIOS
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

/// Behaviour of real devices that their logs show but no document describes. Simulated devices have it unless a
/// scenario says otherwise; the library follows the documents.
package struct EngineQuirks: Equatable, Sendable {
  /// The distance to the first tracked position of a trip counts twice (SDK §17), and stray positions during a rest count too.
  package var odometerIsAsObserved = false
  /// A trip begins with the distance filter for the speed at its motion change, and a stop that seems to begin resets
  /// it to the configured one. The log shows neither (SDK §14.1.3). Otherwise a trip begins with the configured one.
  package var setsDistanceFilterAtTurns = false

  /// The position with which Android compares a significant change that may be noise; logs differ, and none says.
  package var noiseReference = SignificantTrail.Reference.lastUnlessBetter

  /// Sets all of them or none.
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

  /// Nil allows all; names other than the moving activities allow nothing.
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
  /// The `isMoving` after an activity in the log.
  var isMoving: Bool { !TriggerActivities(of: self).isEmpty }
}
