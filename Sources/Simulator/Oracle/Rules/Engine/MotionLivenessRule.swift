import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary
import World

/// I32: a device that truly rests comes to rest after its stop timeout, and one that truly departs, well beyond its region,
/// is soon moving (GeolocationConfig `stopTimeout`, `stationaryRadius`; SDK §12.1 to §12.6).
///
/// The timeout begins when a sensor is certain of the rest, after some minutes at most, whether or not the SDK has reported
/// it: otherwise a rest that it never detected would be correct.
final class MotionLivenessRule: Rule {
  override class var invariant: Invariant { .motionLiveness }
  override class var interest: Interest { [.told, .life, .course] }
  override class var absence: String { "no tracking device came to rest between two trips, or set off from there" }

  private struct ToldMotion {
    /// The SDK's last report; nil: none since it began, or since another pace was requested.
    var isMoving: Bool?
    /// The time of that report.
    var since = MonotonicInstant(nanoseconds: 0)
    /// The deadline for coming to rest, or for departing.
    var due: MonotonicInstant?
    /// The beginning of its cause.
    var reason = MonotonicInstant(nanoseconds: 0)
    /// Whether its sensors have reported `still` and nothing else since.
    var isStill = false
    /// The place where it seemed to stop.
    var stop: Coordinate?
    /// Whether the activities of the trip may begin it.
    var trigger = Trigger.any
  }

  /// With `triggerActivities`, whether the sensors have reported one of them surely, and nothing else, since the trip began (SDK
  /// §12.4.1).
  private enum Trigger { case any, awaited, heard }

  private struct Phone {
    var motion = ToldMotion()
    /// The last reported position.
    var place: Coordinate?
  }

  private let phones: PerDevice<Phone>

  /// Sensors err, and the search for a position takes a minute and is repeated when it fails.
  private static let restPatience = Nanoseconds.seconds(600)
  private static let startPatience = Nanoseconds.seconds(300)
  /// The time until sensors are certain of a rest; they detect it within minutes and report it repeatedly (SDK §12.6.6).
  private static let noticePatience = Nanoseconds.seconds(600)
  /// The position of a motion change is searched for four times, a minute each.
  private static let search = Nanoseconds.seconds(900)
  private static let startMetres = 500.0

  required init(_ ledger: Ledger) {
    phones = PerDevice(Phone(), in: ledger.space)
    super.init(ledger)
  }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    if let due = phones[device].motion.due, due < now { judge(context) }
    switch event {
    case .told(.engine(.motionChange(let record))):
      if phones[device].motion.due != nil { exercised += 1 }
      phones[device].motion = ToldMotion(isMoving: record.isMoving, since: now)
      phones[device].place = record.coords.place
      rest(context)
    case .told(.engine(.location(let record))) where !record.isSample:
      phones[device].place = record.coords.place
      // The device has departed without a position, and so without a motion change record (SDK §12.6.4).
      if record.isMoving, phones[device].motion.isMoving == false,
        !ledger.truth.lives[device].seesSky(since: now - MotionLivenessRule.search)
      {
        phones[device].motion = ToldMotion(isMoving: true, since: now)
        rest(context)
      }
      followStop(context)
    case .sensed(let activity):
      hear(activity, context)
      if phones[device].motion.trigger != .any { hearTrigger(activity, context) }
    case .moves(let episode):
      // Reports on the way, such as at a traffic light, did not mean a rest (SDK §12.6.1).
      (phones[device].motion.due, phones[device].motion.isStill) = (nil, false)
      if case .trip(let trip) = episode { setOff(trip, context) } else { rest(context) }
    case .told(.engine(.enabledChange)), .told(.commanded), .killed, .launched, .healed, .configured, .asked,
      .faultBegan,
      .faultEnded:
      phones[device].motion = ToldMotion()
    default: break
    }
  }

  /// Follows a certain report: `still` begins the timeout and a movement ends it, whatever the true state (SDK §12.6.1).
  private func hear(_ activity: Activity, _ context: EventContext) {
    let (device, life) = (context.device, ledger.truth.lives[context.device])
    guard phones[device].motion.isMoving == true, life.restsSince != nil, let configuration = life.configuration,
      activity.confidence >= configuration.activity.minimumActivityRecognitionConfidence, activity.type != .unknown,
      activity.type != .still || !phones[device].motion.isStill
    else { return }
    phones[device].motion.isStill = activity.type == .still
    phones[device].motion.due = nil
    rest(context)
  }

  /// Sets the deadline for a device that truly rests while the SDK reports movement.
  private func rest(_ context: EventContext) {
    let (device, life) = (context.device, ledger.truth.lives[context.device])
    guard phones[device].motion.isMoving == true, let rests = life.restsSince, let configuration = life.configuration,
      configuration.activity.minimumActivityRecognitionConfidence <= 100,
      let wanted = life.expectation, wanted.goal == .location, !configuration.isStopDetectionDisabled,
      !configuration.geolocation.useSignificantChangesOnly, !configuration.activity.disableMotionActivityUpdates
    else { return }
    let start = max(rests, context.now.monotonic, wanted.since)
    // The engine takes no time beyond a century either.
    let timeout = min(configuration.stopSeconds, 3.2e9)
    phones[device].motion.stop = phones[device].place
    phones[device].motion.reason = start
    let patience = phones[device].motion.isStill ? Nanoseconds.zero : MotionLivenessRule.noticePatience
    phones[device].motion.due = start + .seconds(Int64(timeout)) + MotionLivenessRule.restPatience + patience
  }

  /// Follows a cancelled stop. On Android, positions away from the place of the stop cancel it, even at a true rest, and the
  /// timeout begins anew (SDK §12.6.2). Positions closer together than `distanceFilter` are not reported.
  private func followStop(_ context: EventContext) {
    let device = context.device
    guard phones[device].motion.isMoving == true, phones[device].motion.due != nil, let place = phones[device].place,
      let configuration = ledger.truth.lives[device].configuration, configuration.platform == .android
    else { return }
    let geolocation = configuration.geolocation
    let metres = geolocation.stationaryRadiusMetres - geolocation.distanceFilterMetres
    if let stop = phones[device].motion.stop, stop.distanceMetres(to: place) <= metres { return }
    rest(context)
  }

  /// Sets the deadline for a device that truly departs while the SDK reports rest.
  private func setOff(_ trip: Trip, _ context: EventContext) {
    let (device, life) = (context.device, ledger.truth.lives[context.device])
    guard phones[device].motion.isMoving == false, let configuration = life.configuration,
      let wanted = life.expectation,
      wanted.goal == .location, wanted.since <= trip.start, !configuration.geolocation.useSignificantChangesOnly
    else { return }
    let metres = MotionLivenessRule.startMetres + 2 * configuration.geolocation.stationaryRadiusMetres
    let circle = Circle(center: trip.place(at: trip.start), radiusMetres: metres)
    guard let away = trip.nextCrossing(of: circle, after: trip.start) else { return }
    let due = away + MotionLivenessRule.startPatience
    guard due <= trip.end else { return }
    (phones[device].motion.reason, phones[device].motion.due) = (trip.start, due)
    phones[device].motion.trigger = configuration.activity.triggerActivities.isEmpty ? .any : .awaited
  }

  /// The first report of an activity that may begin the trip leaves time from then on; another one may end the matter.
  private func hearTrigger(_ activity: Activity, _ context: EventContext) {
    let (device, life) = (context.device, ledger.truth.lives[context.device])
    guard phones[device].motion.isMoving == false, let due = phones[device].motion.due else { return }
    guard let configuration = life.configuration, case .trip(let trip)? = life.episode,
      configuration.permits(activity.type),
      activity.confidence >= configuration.activity.minimumActivityRecognitionConfidence
    else { return phones[device].motion.due = nil }
    guard phones[device].motion.trigger == .awaited else { return }
    phones[device].motion.trigger = .heard
    let wait = min(max(configuration.activity.motionTriggerDelayMilliseconds, 0), 3.6e6)
    let interval = min(max(configuration.activity.activityRecognitionIntervalMilliseconds, 0), 3.6e6)
    let last = context.now.monotonic + .milliseconds(Int64(wait + interval)) + MotionLivenessRule.startPatience
    phones[device].motion.due = last <= trip.end ? max(due, last) : nil
  }

  private func judge(_ context: EventContext) {
    let (device, life) = (context.device, ledger.truth.lives[context.device])
    guard let due = phones[device].motion.due, let isMoving = phones[device].motion.isMoving else { return }
    phones[device].motion.due = nil
    // None of the activities that may begin the trip was reported.
    if phones[device].motion.trigger == .awaited { return }
    // The schedule may have changed the task meanwhile.
    guard let wanted = life.expectation, wanted.goal == .location, wanted.since <= phones[device].motion.reason else {
      return phones[device].motion = ToldMotion()
    }
    // Without a position there is no motion change; the SDK waits for another event (SDK §12.6.4).
    guard life.seesSky(since: phones[device].motion.reason - .seconds(300)) else {
      return phones[device].motion = ToldMotion()
    }
    exercised += 1
    ledger.violations.flag(
      Self.invariant, device, at: due,
      isMoving
        ? "at rest since \(phones[device].motion.reason.clockText), but the SDK still reports it as moving"
        : "on its way since \(phones[device].motion.reason.clockText), but the SDK still reports it as at rest")
  }
}
