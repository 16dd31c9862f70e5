import Base
import Contract
import DeviceLog
import Engine
import Vocabulary

/// Drives an engine with what a log says came into a real one, and keeps what it did (behaviour §12, §20).
struct Replay {
  private(set) var course = ReplayedCourse()

  private var engine: Engine
  private let origin: WallInstant
  private var now: Moment
  private var line = 0
  private var effects: [Effect] = []

  /// The engine begins as the log finds the real one: enabled or not, on the way or at rest.
  init(_ facts: [LogFact], beginning: Beginning) {
    engine = Replay.engine(beginning.configuration, EngineState(), LoggedFences.find(in: facts), launch: 0)
    origin = facts.first?.time ?? WallInstant(millisecondsSince1970: 0)
    now = Moment(
      monotonic: MonotonicInstant(nanoseconds: 0), wall: origin.advanced(byMilliseconds: -Replay.warmUpMilliseconds))
    if beginning.isEnabled { warmUp(beginning) }
    for fact in facts { follow(fact) }
  }

  /// Long enough before the log for nothing of it to be left.
  private static let warmUpMilliseconds: Int64 = 3_600_000

  private static func engine(
    _ configuration: Configuration, _ state: EngineState, _ geofences: [Geofence], launch: UInt64
  ) -> Engine {
    Engine(
      configuration: configuration, state: state, geofences: geofences,
      identity: RandomStream(seed: 0, device: 0, concern: launch), quirks: .all)
  }

  private mutating func warmUp(_ beginning: Beginning) {
    send(.ready(Launch()))
    send(.call(.start))
    settle(at: beginning.fix)
    send(.call(.changePace(isMoving: true)))
    settle(at: beginning.fix)
    stream(at: beginning.fix, speed: beginning.speed)
    if !beginning.isMoving {
      send(.call(.changePace(isMoving: false)))
      settle(at: beginning.fix)
    }
    effects.removeAll()
  }

  /// A trip before the log, so that the distance filter is what the log finds it to be.
  private mutating func stream(at fix: Fix?, speed: Double) {
    guard var fix else { return }
    fix.timestamp = now.wall.advanced(byMilliseconds: 1)
    fix.coords.accuracy = 5
    fix.coords.speed = speed
    send(.fix(fix))
  }

  private mutating func settle(at fix: Fix?) {
    guard var fix else { return }
    fix.timestamp = now.wall
    fix.coords.accuracy = 5
    send(.sample(fix))
  }

  private mutating func follow(_ fact: LogFact) {
    wait(until: fact)
    line = fact.line
    switch fact.content {
    case .fix(let fix, let number, _): send(number == 0 ? .fix(fix) : .sample(fix))
    case .activity(let activity): send(.activity(activity))
    case .regionExit: send(.stationaryRegionExit(nil))
    case .geofenceCrossing(let identifier, let isEntry):
      send(.geofenceCrossing(identifier: identifier, isEntry: isEntry, nil))
    case .connectivity(let connectivity): send(.connectivity(connectivity))
    case .appState(let isBackground): send(isBackground ? .background : .foreground)
    case .backgroundFetch: send(.backgroundFetch)
    case .launched: relaunch()
    case .started(let mode): start(mode)
    case .stopped: if engine.state.isEnabled { send(.call(.stop)) }
    case .locationRequest(let purpose, let age): ask(purpose, maximumAge: age)
    default: break
    }
    course.take(effects, at: now.wall, line: line)
    effects.removeAll(keepingCapacity: true)
  }

  /// Timers fire when they are due and not when the next line comes.
  private mutating func wait(until fact: LogFact) {
    let elapsed = max(0, fact.time.milliseconds(since: origin)) + Replay.warmUpMilliseconds
    let end = max(now.monotonic, MonotonicInstant(nanoseconds: elapsed * 1_000_000))
    while let deadline = engine.nextDeadline, deadline <= end {
      move(to: max(deadline, now.monotonic))
      send(.timersDue)
      course.take(effects, at: now.wall, line: line)
      effects.removeAll(keepingCapacity: true)
    }
    move(to: end)
  }

  private mutating func move(to instant: MonotonicInstant) {
    let elapsed = (instant - MonotonicInstant(nanoseconds: 0)).wholeMilliseconds - Replay.warmUpMilliseconds
    now = Moment(monotonic: instant, wall: origin.advanced(byMilliseconds: elapsed))
  }

  private mutating func send(_ input: EngineInput) { engine.receive(input, at: now, into: &effects) }

  /// A new process finds what the old one kept.
  private mutating func relaunch() {
    engine = Replay.engine(engine.configuration, engine.state, engine.geofences, launch: UInt64(line))
    send(.ready(Launch()))
  }

  /// After a launch the engine starts by itself; otherwise the app did it.
  private mutating func start(_ mode: Int) {
    let wanted = TrackingMode(rawValue: mode) ?? .location
    guard !engine.state.isEnabled || engine.state.trackingMode != wanted else { return }
    send(.call(wanted == .location ? .start : .startGeofences))
  }

  /// The engine's own requests follow from its inputs; the rest are the app's. The log tells neither the value that the
  /// odometer is set to nor whether a record is to be kept.
  private mutating func ask(_ purpose: String, maximumAge: Double) {
    if ["motionchange", "motionState", "providerchange"].contains(purpose) { return }
    if purpose.hasPrefix("TSGeofenceTransition") { return }
    let isOdometer = purpose.hasSuffix("setOdometer")
    var request = isOdometer ? PositionRequest.odometer(id: nil) : PositionRequest(id: nil)
    request.persist = false
    request.maximumAgeMilliseconds = maximumAge
    send(.call(isOdometer ? .setOdometer(metres: 0, request) : .currentPosition(request)))
  }
}
