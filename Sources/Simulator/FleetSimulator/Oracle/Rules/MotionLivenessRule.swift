import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary
import World

/// I32: a device that truly rests comes to rest after its stop time-out, and one that truly sets off, and goes well beyond the
/// region around its place, is moving soon (GeolocationConfig `stopTimeout`, `stationaryRadius`; SDK §12.1 to §12.6).
///
/// What begins the time-out is a sensor that is sure of a rest, and it is sure after some minutes at the most: whether the SDK
/// has told it does not matter, or a rest that it never heard of would be right.
final class MotionLivenessRule: Rule {
  override class var invariant: Invariant { .motionLiveness }
  override class var interest: Interest { [.told, .life, .course] }
  override class var absence: String { "no tracking device came to rest between two trips, or set off from there" }

  private struct ToldMotion {
    /// What the SDK told last; nil: nothing since it began, or since it was asked for another pace.
    var isMoving: Bool?
    /// Since when it says so.
    var since = MonotonicInstant(nanoseconds: 0)
    /// When it is late in coming to rest, or in setting off.
    var due: MonotonicInstant?
    /// When the reason for that began.
    var reason = MonotonicInstant(nanoseconds: 0)
    /// Its sensors have said that it is still, and nothing else since.
    var isStill = false
    /// Where it seemed to stop.
    var stop: Coordinate?
  }

  private struct Phone {
    var motion = ToldMotion()
    /// The position that was told last.
    var place: Coordinate?
  }

  private let phones: PerDevice<Phone>

  /// Sensors err, and the search for a position takes a minute and begins anew when it fails.
  private static let restPatience = Nanoseconds.seconds(600)
  private static let startPatience = Nanoseconds.seconds(300)
  /// Until sensors are sure of a rest. They notice it within minutes, and say it again and again (SDK §12.6.6).
  private static let noticePatience = Nanoseconds.seconds(600)
  /// The position of a motion change is looked for four times, a minute each.
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
      // It has set off without a position, and so without a record of it (SDK §12.6.4).
      if record.isMoving, phones[device].motion.isMoving == false,
        !ledger.truth.lives[device].seesSky(since: now - MotionLivenessRule.search)
      {
        phones[device].motion = ToldMotion(isMoving: true, since: now)
        rest(context)
      }
      followStop(context)
    case .sensed(let activity): hear(activity, context)
    case .moves(let episode):
      // What they said on the way, at a light, was of no rest (SDK §12.6.1).
      (phones[device].motion.due, phones[device].motion.isStill) = (nil, false)
      if case .trip(let trip) = episode { setOff(trip, context) } else { rest(context) }
    case .told(.engine(.enabledChange)), .told(.commanded), .killed, .launched, .healed, .configured, .asked,
      .faultBegan,
      .faultEnded:
      phones[device].motion = ToldMotion()
    default: break
    }
  }

  /// A sure `still` begins the time-out, and a sure movement ends it, whatever it truly does (SDK §12.6.1).
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

  /// It truly rests, and the SDK says that it moves.
  private func rest(_ context: EventContext) {
    let (device, life) = (context.device, ledger.truth.lives[context.device])
    guard phones[device].motion.isMoving == true, let rests = life.restsSince, let configuration = life.configuration,
      configuration.activity.minimumActivityRecognitionConfidence <= 100,
      let wanted = life.expectation, wanted.goal == .location, !configuration.activity.disableStopDetection,
      !configuration.geolocation.useSignificantChangesOnly, !configuration.activity.disableMotionActivityUpdates
    else { return }
    let start = max(rests, context.now.monotonic, wanted.since)
    let timeout =
      configuration.geolocation.stopTimeoutMinutes * 60 + configuration.activity.stopDetectionDelay
    phones[device].motion.stop = phones[device].place
    phones[device].motion.reason = start
    let patience = phones[device].motion.isStill ? Nanoseconds.zero : MotionLivenessRule.noticePatience
    phones[device].motion.due = start + .seconds(Int64(timeout)) + MotionLivenessRule.restPatience + patience
  }

  /// Positions away from the place where it seemed to stop take the stop back on Android, though it truly rests: the
  /// time-out begins anew there (SDK §12.6.2). Those nearer to each other than `distanceFilter` are not told.
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

  /// It truly sets off, and the SDK says that it rests.
  private func setOff(_ trip: Trip, _ context: EventContext) {
    let (device, life) = (context.device, ledger.truth.lives[context.device])
    guard phones[device].motion.isMoving == false, let configuration = life.configuration,
      let wanted = life.expectation,
      wanted.goal == .location, wanted.since <= trip.start, configuration.activity.triggerActivities.isEmpty,
      !configuration.geolocation.useSignificantChangesOnly
    else { return }
    let metres = MotionLivenessRule.startMetres + 2 * configuration.geolocation.stationaryRadiusMetres
    let circle = Circle(center: trip.place(at: trip.start), radiusMetres: metres)
    guard let away = trip.nextCrossing(of: circle, after: trip.start) else { return }
    let due = away + MotionLivenessRule.startPatience
    guard due <= trip.end else { return }
    (phones[device].motion.reason, phones[device].motion.due) = (trip.start, due)
  }

  private func judge(_ context: EventContext) {
    let (device, life) = (context.device, ledger.truth.lives[context.device])
    guard let due = phones[device].motion.due, let isMoving = phones[device].motion.isMoving else { return }
    phones[device].motion.due = nil
    // What a schedule wants may have changed meanwhile.
    guard let wanted = life.expectation, wanted.goal == .location, wanted.since <= phones[device].motion.reason else {
      return phones[device].motion = ToldMotion()
    }
    // Without a position there is no motion change, and the SDK waits for another occasion (SDK §12.6.4).
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
