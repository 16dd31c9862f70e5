import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary
import World

/// I27: a device that must track and truly moves reports positions on its way, at distances that the distance filter, its
/// elasticity and the departure from rest can explain (BGGeo "motion state machine", GeolocationConfig `distanceFilter`;
/// SDK §12.5, §14.1).
final class RecordingRule: Rule {
  override class var invariant: Invariant { .recording }
  override class var interest: Interest { [.location, .event, .life, .truth, .course] }
  override class var absence: String { "no tracking device travelled far" }

  /// The place of the last reported position, or of the start of the task.
  private struct Mark {
    let instant: MonotonicInstant
    let place: Coordinate
  }

  private let marks: PerDevice<Mark?>
  /// The times at which devices last began to search for the place of their rest.
  private var began: [Int: MonotonicInstant] = [:]
  /// The last rest of each device in a place without a view of the sky.
  private var hidden: [Int: (start: MonotonicInstant, end: MonotonicInstant)] = [:]
  /// The true place of the device that reported the last position.
  private var stood: (device: Int, mark: Mark)?

  /// The search for a position may take a minute, the system's delay half a minute, and a start as long.
  private static let patience = Nanoseconds.seconds(300)
  /// The region around a device at rest, the margin of the system, and the distance that a car covers during the
  /// search for a position.
  private static let startMetres = 2_000.0

  required init(_ ledger: Ledger) {
    marks = PerDevice(nil, in: ledger.space)
    super.init(ledger)
  }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    switch event {
    case .stood(let place, _): stood = (context.device, Mark(instant: context.now.monotonic, place: place))
    case .told(.engine(.location(let record))):
      if !record.isSample { mark(context) }
    case .moves:
      judge(context)
      if case .stay(let stay)? = ledger.truth.lives[context.device].previous, stay.cover == .tunnel {
        hidden[context.device] = (stay.start, context.now.monotonic)
      }
    case .told(.engine(.enabledChange(isEnabled: true))), .told(.engine(.schedule)):
      began[context.device] = context.now.monotonic
    // Any change of the task, or of the ability to perform it, restarts the measurement.
    case .faultEnded: mark(context)
    case .launched, .asked, .told(.commanded):
      began[context.device] = nil
      mark(context)
    case .killed, .healed:
      judgeEnd(context)
      marks[context.device] = nil
    default: break
    }
  }

  private func mark(_ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    if let stood, stood.device == device, stood.mark.instant == now { return marks[device] = stood.mark }
    guard let place = ledger.truth.lives[device].place(at: now) else { return }
    marks[device] = Mark(instant: now, place: place)
  }

  /// Judges a completed path when the body begins something else.
  private func judge(_ context: EventContext) {
    guard case .trip(let trip)? = ledger.truth.lives[context.device].previous else { return }
    judge(trip, until: min(trip.end, context.now.monotonic), context)
  }

  private func judgeEnd(_ context: EventContext) {
    let life = ledger.truth.lives[context.device]
    guard case .trip(let trip)? = life.episode else { return }
    judge(trip, until: context.now.monotonic, context)
  }

  /// Judges the last part of a path, since the last reported position.
  private func judge(_ trip: Trip, until end: MonotonicInstant, _ context: EventContext) {
    let (device, life) = (context.device, ledger.truth.lives[context.device])
    guard let configuration = life.configuration, RecordingRule.isOpen(configuration),
      let wanted = life.expectation, wanted.goal == .location, let mark = marks[device]
    else { return }
    // Without a position there is no region around its rest, and without activities nothing else shows a departure
    // (SDK §12.6.4). A schedule may have begun earlier than its deadline.
    let searched = min(began[device] ?? wanted.since, wanted.since)
    guard
      RecordingRule.hasSureActivities(configuration)
        || life.sees(since: searched) && !isHidden(device, from: searched, configuration)
    else { return }
    let limit = RecordingRule.limit(configuration)
    // A position that is too inaccurate is no record (SDK §14.2.1).
    guard let located = life.locatedSince else { return }
    let start = max(trip.start, mark.instant, wanted.since, located)
    if trip.motion.metres(at: (end - trip.start).seconds) > limit { exercised += 1 }
    guard end - start > RecordingRule.patience, life.sees(since: start - RecordingRule.patience),
      life.isSound(since: start)
    else { return }
    let since = max(wanted.since, located) > mark.instant ? trip.place(at: start) : mark.place
    let gap = (0...3).reduce(0.0) { most, part in
      let instant = end - Nanoseconds((end - start).count * Int64(part) / 4)
      guard instant - start > RecordingRule.patience else { return most }
      return max(most, since.distanceMetres(to: trip.place(at: instant)))
    }
    guard gap > limit else { return }
    marks[device] = nil
    flag(
      context, nil,
      "no position recorded in \(Int(gap)) m of straight-line movement since \(start.clockText), although tracking is on"
    )
  }

  /// Reports whether the device was out of sight of the sky during the whole search for the place of its rest.
  private func isHidden(_ device: Int, from start: MonotonicInstant, _ configuration: Configuration) -> Bool {
    guard let stay = hidden[device] else { return false }
    return stay.start <= start
      && (stay.end - start).seconds >= Self.attempts * configuration.geolocation.locationTimeoutSeconds
  }

  /// The attempts of a motion change to find a position (SDK §12.6.4).
  private static let attempts = 4.0

  /// Reports whether activities show a departure: those of the sensors need not be surer than by default (SDK §2.7, §12.4.1).
  private static func hasSureActivities(_ configuration: Configuration) -> Bool {
    let activity = configuration.activity
    return !activity.disableMotionActivityUpdates && activity.minimumActivityRecognitionConfidence <= 75
  }

  /// Returns the longest distance without a report.
  private static func limit(_ configuration: Configuration) -> Double {
    let geolocation = configuration.geolocation
    let steps = geolocation.disableElasticity ? 0 : geolocation.elasticityMultiplier * (TrueLife.topSpeed / 5).rounded()
    return startMetres + 3 * geolocation.distanceFilterMetres * (1 + steps) + 2 * geolocation.stationaryRadiusMetres
  }

  /// Reports whether the configuration permits reports.
  private static func isOpen(_ configuration: Configuration) -> Bool {
    let geolocation = configuration.geolocation
    return geolocation.filter.trackingAccuracyThresholdMetres >= 50 && !geolocation.useSignificantChangesOnly
      && geolocation.filter.maxImpliedSpeedMetresPerSecond >= 50
      && (configuration.platform == .ios || !(0.0..<50).contains(geolocation.speedJumpFilterMetresPerSecond))
      && configuration.activity.triggerActivities.isEmpty
      && geolocation.stopAfterElapsedMinutes <= 0 && !configuration.activity.stopOnStationary
  }
}
