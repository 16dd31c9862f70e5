import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Vocabulary
import World

/// I21: the next start finds the state that was saved before the end of an app or a phone, and nothing is recorded in
/// between. Closing an app with `stopOnTerminate` stops it until it is started again; without it Android continues, and iOS
/// restarts the app when the phone leaves its place (AppConfig `stopOnTerminate`, `startOnBoot`; SDK §19.1 to §19.4). An app
/// that the system starts far from its last rest does not stay at rest (SDK §19.2).
final class LifecycleRule: Rule {
  override class var invariant: Invariant { .lifecycle }
  override class var interest: Interest { [.inserted, .refused, .told, .life, .course] }
  override class var absence: String { "no app was ended and started again" }

  /// The fields used for each record come first, so that they share a cache line.
  private struct Life {
    /// Whether the system started the app although the configuration forbids it.
    var mustRest = false
    /// Whether the user closed the app and nothing has started it since.
    var isStopped = false
    /// Whether the system started the app at rest and no motion change has been reported since.
    var isResumed = false
    /// Whether the app has reported coming to rest, as `rest` says.
    var isAtRest = false
    /// Whether the app has reported a position: the region is around the last known one (AppConfig `stopOnTerminate`).
    var isLocated = false
    /// Whether the store has failed: what it could not write is lost (SDK §19.1 knows no other loss).
    var isDisturbed = false
    /// The deadline for a restart by the system, away from `leavesFrom`.
    var due: MonotonicInstant?
    /// The time of the last request that makes a record.
    var askedAt: MonotonicInstant?
    /// The place where the app was closed; leaving it must restart the app.
    var leavesFrom: Coordinate?
    var rest: (coords: Contract.Coordinates, at: MonotonicInstant)?
    var kept: EngineState?

    mutating func move() { (isAtRest, isResumed) = (false, false) }
  }

  private let lives: PerDevice<Life>

  /// iOS reports an exit at about 200 m, in bad cases after minutes.
  private static let leaveMetres = 500.0
  private static let regionMargin = 50.0
  private static let firstPosition = Nanoseconds.seconds(120)
  private static let leavePatience = Nanoseconds.seconds(600)

  required init(_ ledger: Ledger) {
    lives = PerDevice(Life(), in: ledger.space)
    super.init(ledger)
  }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    if let due = lives[device].due, due < now { miss(due, context) }
    switch event {
    case .kept(let state): keep(state, context)
    case .queue(.refused): disturb(context)
    case .faultBegan(let occurrence):
      if occurrence.effects.contains(.disturbsStore) { disturb(context) }
      // A phone that is off does not detect that it leaves.
      if occurrence.effects.contains(.switchesOff) { forget(device) }
    case .faultEnded(let occurrence): if occurrence.effects.contains(.disturbsStore) { disturb(context) }
    case .closed: close(context)
    case .killed(let isReboot): end(isReboot: isReboot, context)
    case .moves(.trip(let trip)): leave(on: trip, device)
    case .launched(let launch):
      forget(device)
      let configuration = ledger.truth.lives[device].configuration
      lives[device].mustRest =
        configuration.map { launch.isRefused(by: $0) } ?? launch.isInBackground
      lives[device].isResumed = launch.isInBackground && configuration?.platform == .ios
      // An app opened by its user searches for its position anew.
      if !launch.isInBackground { lives[device].isAtRest = false }
    // No document says which configuration refuses a start, the saved one or that of the app.
    case .configured(let configuration):
      let life = ledger.truth.lives[device]
      if life.runsSince == now, life.launch?.isRefused(by: configuration) == false { lives[device].mustRest = false }
    case .told(.engine(.motionChange(let record))): settle(record, context)
    // The device has departed without a position, and so without a motion change record (SDK §12.6.4).
    case .told(.engine(.location(let record))):
      lives[device].isLocated = true
      if record.isMoving { lives[device].move() }
    // A window of another mode begins like a start, at rest where the phone is (SDK §16.3).
    case .told(.engine(.enabledChange)), .told(.engine(.schedule)): lives[device].move()
    // A device that a server starts by a command is started, whatever launched its app (SDK §10.2). Tracking that a schedule
    // started continues when the schedule ends (SDK §16.3.6).
    case .told(.commanded(.start)), .told(.commanded(.startGeofences)), .told(.commanded(.startSchedule)),
      .told(.commanded(.stopSchedule)), .asked(.start), .asked(.startGeofences), .asked(.startSchedule),
      .asked(.stopSchedule):
      lives[device].mustRest = false
      lives[device].isStopped = false
      lives[device].move()
    case .told(.commanded):
      lives[device].askedAt = now
      lives[device].isResumed = false
    case .healed: forget(device)
    case .queue(.inserted(_, _, let uuid, _, _)): record(uuid, context)
    default: break
    }
  }

  /// Judges the first motion change after a launch. The phone reports an exit from the region about 50 m beyond it.
  private func settle(_ record: LocationRecord, _ context: EventContext) {
    let device = context.device
    let life = lives[device]
    // A rest that the store could not write does not exist for the next process.
    lives[device].isLocated = true
    lives[device].isAtRest = !record.isMoving && ledger.truth.lives[device].isSound(since: context.now.monotonic)
    if !record.isMoving { lives[device].rest = (record.coords, context.now.monotonic) }
    lives[device].isResumed = false
    // A phone that was blind in between may have departed without a record (SDK §12.6.4).
    guard life.isResumed, !record.isMoving, life.isAtRest, let rest = life.rest,
      ledger.truth.lives[device].sees(since: rest.at), let from = rest.coords.place, let to = record.coords.place
    else { return }
    let radius = max(150, ledger.truth.lives[device].configuration?.geolocation.stationaryRadiusMetres ?? 0)
    let metres = from.distanceMetres(to: to) - max(0, rest.coords.accuracy ?? 0) - max(0, record.coords.accuracy ?? 0)
    guard metres > radius + LifecycleRule.regionMargin, isCertain(context) else { return }
    flag(context, record.uuid, "started by the system \(Int(metres)) m from its last rest, and still at rest")
  }

  /// Reports whether the pace is certain. Blind, or long without a position, the device may have departed and come to rest
  /// without a record of either (SDK §12.6.4).
  private func isCertain(_ context: EventContext) -> Bool {
    let truth = ledger.truth.lives[context.device]
    return truth.runsSince.map { truth.sees(since: $0) && context.now.monotonic < $0 + Self.leavePatience } ?? true
  }

  private func record(_ uuid: UUID128, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    if ledger.pages[device].aliveSince == nil { flag(context, uuid, "recorded while the app does not run") }
    // A schedule continues after the end of the app and starts it (SDK §16.3.8), also one whose end the store did not keep.
    let life = ledger.truth.lives[device]
    if life.isScheduled || !life.isUndisturbed { return }
    let isAsked = lives[device].askedAt.map { now - $0 < .seconds(120) } ?? false
    guard !isAsked else { return }
    if lives[device].mustRest { flag(context, uuid, "recorded although the app may not track before it is opened") }
    guard lives[device].isStopped else { return }
    flag(context, uuid, "recorded although its user has closed the app, and stopOnTerminate is set")
  }

  private func close(_ context: EventContext) {
    let device = context.device
    exercised += 1
    let stops = ledger.pages[device].terms?.stopsOnTerminate ?? true
    lives[device].isStopped = stops
    let life = ledger.truth.lives[device]
    guard !stops, lives[device].isLocated, life.configuration?.platform == .ios, let wanted = life.expectation,
      wanted.goal == .location,
      // A new start searches for a position of its own, and arms the region there.
      wanted.since + LifecycleRule.firstPosition < context.now.monotonic
    else { return }
    lives[device].leavesFrom = life.place(at: context.now.monotonic)
  }

  private func end(isReboot: Bool, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    // The place of its rest is unknown to the next process, too.
    if lives[device].isResumed && !isCertain(context) { lives[device].isAtRest = false }
    guard ledger.truth.lives[device].closedAt == now, !isReboot, let terms = ledger.pages[device].terms,
      terms.platform == .android, !terms.stopsOnTerminate, lives[device].isDisturbed == false,
      ledger.truth.lives[device].expectation?.goal == .location
    else { return }
    flag(context, nil, "its service ended with the app, and stopOnTerminate is not set")
  }

  /// Computes the deadline for a trip that leads well out of the region around the place where the app was closed.
  private func leave(on trip: Trip, _ device: Int) {
    guard let place = lives[device].leavesFrom, lives[device].due == nil else { return }
    let radius = ledger.truth.lives[device].configuration?.geolocation.stationaryRadiusMetres ?? 0
    let circle = Circle(center: place, radiusMetres: LifecycleRule.leaveMetres + radius)
    if !circle.contains(trip.place(at: trip.start)) {
      lives[device].due = trip.start + LifecycleRule.leavePatience
    } else if let out = trip.nextCrossing(of: circle, after: trip.start) {
      lives[device].due = out + LifecycleRule.leavePatience
    }
  }

  private func disturb(_ context: EventContext) {
    lives[context.device].isDisturbed = true
    // A stop that was not stored does not exist for the next launch.
    if ledger.truth.lives[context.device].closedAt == context.now.monotonic { lives[context.device].isStopped = false }
  }

  private func forget(_ device: Int) {
    lives[device].leavesFrom = nil
    lives[device].due = nil
  }

  private func miss(_ due: MonotonicInstant, _ context: EventContext) {
    forget(context.device)
    ledger.violations.flag(
      Self.invariant, context.device, at: due,
      "it has left the place where its user closed the app, and the system has not started it again")
  }

  private func keep(_ state: EngineState, _ context: EventContext) {
    let device = context.device
    let isEnding = ledger.pages[device].aliveSince != nil
    if !isEnding && lives[device].kept != nil { exercised += 1 }
    if !isEnding, !lives[device].isDisturbed, let before = lives[device].kept, before != state {
      flag(context, nil, "saved \(before), restored \(state)")
    }
    lives[device].kept = isEnding ? state : nil
    if !isEnding { lives[device].isDisturbed = ledger.truth.lives[device].disturbances > 0 }
  }
}
