import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary

/// I32: a device comes to rest by itself `stopTimeout` after its sensors have said so, no earlier and not much later, on Android not at all
/// without stop detection, and with `stopOnStationary` it ends tracking instead (GeolocationConfig `stopTimeout`,
/// ActivityConfig `disableStopDetection`, `stopOnStationary`; SDK §12.3, §12.6.1, §12.6.3, §12.6.5).
final class StopTimeoutRule: Rule {
  override class var invariant: Invariant { .motionLiveness }
  override class var interest: Interest { [.told, .life, .course] }
  override class var absence: String { "no device came to rest by itself" }

  private struct Phone {
    /// When the device was reported as moving, with nothing since that changes its task; nil at rest.
    var since: MonotonicInstant?
    /// Whether its sensors have said anything.
    var hasSensed = false
    /// When its sensors were first sure of a rest, after the last movement that they were sure of.
    var stillSince: MonotonicInstant?
    /// When they have first reported a rest, surely, since the device was reported as moving, and nothing else and no position since.
    var heardAt: MonotonicInstant?
    /// The longest rest before that movement: the position of a motion change may be found when the next trip has begun already.
    var earlier: (since: MonotonicInstant, until: MonotonicInstant)?
  }

  private let phones: PerDevice<Phone>

  /// A trip is reported when its first position is found, a minute after it began, and after further attempts (SDK §12.6.4).
  private static let search = Nanoseconds.seconds(300)
  private static let slack = Nanoseconds.seconds(3)
  private static let latePatience = 60.0
  /// Clocks drift.
  private static let share = 0.99

  required init(_ ledger: Ledger) {
    phones = PerDevice(Phone(), in: ledger.space)
    super.init(ledger)
  }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    switch event {
    case .sensed(let activity): hear(activity, context)
    case .told(.engine(.motionChange(let record))):
      if !record.isMoving { judge(record, context) }
      phones[device].since = record.isMoving ? now : nil
      (phones[device].earlier, phones[device].heardAt) = (nil, nil)
    case .told(.engine(.location(let record))) where !record.isSample && record.event == nil:
      phones[device].heardAt = nil
    case .told(.engine(.enabledChange)): phones[device] = Phone()
    case .told(.engine(.schedule)), .told(.engine(.locationError)), .told(.commanded), .asked, .configured, .faultBegan,
      .faultEnded:
      phones[device].since = nil
    case .killed, .launched, .healed: phones[device] = Phone()
    default: break
    }
  }

  private func hear(_ activity: Activity, _ context: EventContext) {
    let device = context.device
    phones[device].hasSensed = true
    if activity.type != .still || phones[device].since == nil { phones[device].heardAt = nil }
    guard let configuration = ledger.truth.lives[device].configuration,
      activity.confidence >= configuration.activity.minimumActivityRecognitionConfidence
    else { return }
    switch activity.type {
    case .unknown where configuration.platform != .ios: break
    case .still, .unknown:
      if activity.type == .still, phones[device].since != nil {
        phones[device].heardAt = phones[device].heardAt ?? context.now.monotonic
      }
      phones[device].stillSince = phones[device].stillSince ?? context.now.monotonic
    case .walking, .onFoot, .running, .onBicycle, .inVehicle:
      noteRest(of: device, until: context.now.monotonic)
      phones[device].stillSince = nil
    case .other: break
    }
  }

  /// Returns by how many seconds a rest is too late that was heard of then; nil where it is not. While the timeout runs the receiver
  /// is on, and the position of the motion change is found at once, or is the best of `locationTimeout` (SDK §12.6.2, §13.1).
  private func lateness(
    of heardAt: MonotonicInstant?, _ configuration: Configuration, _ context: EventContext
  ) -> Double? {
    let (life, now) = (ledger.truth.lives[context.device], context.now.monotonic)
    guard let heardAt, let restsSince = life.restsSince, restsSince <= heardAt,
      life.seesSky(since: heardAt - StopTimeoutRule.search),
      life.errors.most(since: heardAt - StopTimeoutRule.search) == 0
    else { return nil }
    let timeout = configuration.stopSeconds
    let search = max(configuration.geolocation.locationTimeoutSeconds, 0) + StopTimeoutRule.latePatience
    let late = (now - heardAt - ledger.lateness).seconds * StopTimeoutRule.share - timeout - search
    return late > 0 ? late : nil
  }

  private func noteRest(of device: Int, until now: MonotonicInstant) {
    guard let since = phones[device].stillSince else { return }
    if let earlier = phones[device].earlier, earlier.until - earlier.since > now - since { return }
    phones[device].earlier = (since, now)
  }

  private func judge(_ record: LocationRecord, _ context: EventContext) {
    let (device, now, life) = (context.device, context.now.monotonic, ledger.truth.lives[context.device])
    guard let since = phones[device].since, phones[device].hasSensed, let configuration = life.configuration,
      !configuration.geolocation.useSignificantChangesOnly, !configuration.activity.disableMotionActivityUpdates
    else { return }
    exercised += 1
    if configuration.isStopDetectionDisabled {
      // The system of iOS may pause the updates.
      if configuration.platform == .android { flag(context, record.uuid, "comes to rest without stop detection") }
      return
    }
    if configuration.activity.stopOnStationary {
      return flag(context, record.uuid, "comes to rest where stopOnStationary ends tracking")
    }
    if let late = lateness(of: phones[device].heardAt, configuration, context) {
      return flag(context, record.uuid, "comes to rest \(Int(late)) s later than its stop timeout asks for")
    }
    let rests = [phones[device].stillSince.map { ($0, now) }, phones[device].earlier].compactMap(\.self)
    if rests.isEmpty { return flag(context, record.uuid, "comes to rest although the sensors report no rest") }
    let minutes = min(max(configuration.geolocation.stopTimeoutMinutes, 0), 1e6)
    let least = Nanoseconds(Int64(minutes * 60e9 * StopTimeoutRule.share)) - StopTimeoutRule.slack - ledger.lateness
    let longest = rests.map { start, end in end - max(start, since - StopTimeoutRule.search) }.max() ?? .zero
    guard longest < least else { return }
    flag(
      context, record.uuid, "comes to rest \(longest.wholeMilliseconds / 1_000) s after the sensors have reported it")
  }
}

extension Configuration {
  /// The seconds for which the sensors report a rest before the device comes to rest (SDK §12.6.2).
  var stopSeconds: Double {
    60 * max(geolocation.stopTimeoutMinutes, 0) + max(stopDetectionDelaySeconds, 0)
  }
}
