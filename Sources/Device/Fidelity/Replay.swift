package import Base
import Contract
import DeviceLog
import Engine
import JSON
import Vocabulary

/// Feeds an engine with the logged inputs of a real one, and records its acts (SDK §12, §20).
struct Replay {
  private(set) var acts: ReplayedActs

  private let quirks: EngineQuirks
  var engine: Engine
  private let origin: WallInstant
  private(set) var now: Moment
  private var line = 0
  private var effects: [Effect] = []
  let platform: DevicePlatform
  private let isGeofenceMode: Bool
  private var isConfigured = false
  private var launchedAt: WallInstant?
  private var isBackgroundLaunch = false
  private let alarms: StationaryAlarms
  /// Keeps two significant changes in order although their ages are in whole seconds.
  var lastSignificant: WallInstant?
  /// The position that showed the last crossing of a fence.
  var lastTrigger: Fix?

  /// The engine begins in the logged state: enabled or not, moving or at rest.
  init(_ facts: [LogFact], initial: InitialState, quirks: EngineQuirks) {
    self.quirks = quirks
    platform = initial.configuration.platform
    isGeofenceMode = initial.isGeofenceMode
    engine = Engine(
      configuration: initial.configuration, geofences: LoggedFences.find(in: facts),
      identity: RandomStream(seed: 0, device: 0, concern: 0), quirks: quirks)
    origin = facts.first?.time ?? WallInstant(millisecondsSince1970: 0)
    acts = ReplayedActs(countsUploads: platform == .ios || facts.contains(where: \.isUpload))
    alarms = StationaryAlarms(facts, origin: origin)
    now = Replay.moment(MonotonicInstant(nanoseconds: 0), origin: origin)
    if initial.isEnabled { warmUp(initial) }
    for (index, fact) in facts.enumerated() {
      follow(fact, facts[(index + 1)...])
      if case .configurationChanged(let key) = fact.content { reconfigure(key, facts[(index + 1)...]) }
      acts.take(fact.content)
      acts.take(effects, at: now.wall, line: line, engine.configuration.http)
      effects.removeAll(keepingCapacity: true)
    }
  }

  /// Long enough before the log that no effect remains.
  private static let warmUpMilliseconds: Int64 = 3_600_000

  private mutating func warmUp(_ initial: InitialState) {
    send(.ready(Launch()))
    send(.call(.start))
    confirmFences()
    settle(at: initial.fix)
    send(.call(.changePace(isMoving: true)))
    settle(at: initial.fix)
    stream(at: initial.fix, speed: initial.speed)
    if !initial.isMoving {
      send(.call(.changePace(isMoving: false)))
      settle(at: initial.fix)
    }
    engine.forgetSignificantChanges()
    effects.removeAll()
  }

  /// Confirms the side of the fences, which is logged, although their places are guesses.
  private mutating func confirmFences() {
    guard platform == .android else { return }
    for fence in engine.geofences {
      send(.geofenceCrossing(identifier: fence.identifier, isEntry: fence.status.isInside, nil))
    }
  }

  /// Simulates a trip before the log, so that the distance filter has its logged value.
  private mutating func stream(at fix: Fix?, speed: Double) {
    guard var fix, !engine.configuration.geolocation.useSignificantChangesOnly else { return }
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

  private mutating func follow(_ fact: LogFact, _ rest: ArraySlice<LogFact>) {
    wait(until: fact)
    line = fact.line
    switch fact.content {
    case .fix(let fix, let number, _):
      if number == 0 { follow(significantChanges: false) }
      send(number == 0 ? .fix(fix) : .sample(fix))
    case .significantFix(let fix, _): takeSignificant(fix)
    case .movingGeofenceExit(let fix): leaveMovingGeofence(fix)
    case .passiveFix(let fix): send(.passive(fix))
    case .motionChangeFailed: send(.locationFailed(.noFix))
    case .activity(let activity): send(.activity(activity))
    case .regionExit: send(.stationaryRegionExit(nil))
    case .geofenceCrossing(let identifier, let isEntry):
      send(.geofenceCrossing(identifier: identifier, isEntry: isEntry, trigger(of: identifier, rest)))
    case .geofenceDwell(let identifier):
      send(.geofenceDwell(identifier: identifier, trigger(of: identifier, rest)))
    case .connectivity(let connectivity): send(.connectivity(connectivity))
    case .appState(let isBackground): send(isBackground ? .background : .foreground)
    case .backgroundFetch: send(.backgroundFetch)
    case .launched:
      if let launchedAt, platform == .android,
        now.wall.milliseconds(since: launchedAt) < Agreement.windowMilliseconds
      {
        break
      }
      relaunch(rest)
    case .started(let mode): start(mode)
    case .stopped: if engine.state.isEnabled { send(.call(.stop)) }
    case .locationRequest(let purpose, let age): ask(purpose, maximumAge: age)
    case .configuration(let document): take(document, rest)
    default: break
    }
  }

  /// Fires timers at their deadlines instead of at the next line. Before a line of a wrong year they are not all fired.
  private mutating func wait(until fact: LogFact) {
    let end = max(now.monotonic, Replay.instant(of: fact, origin: origin))
    if let due = engine.stationaryCheckDeadline, let fired = alarms.instant(of: due) {
      engine.delayStationaryCheck(until: fired)
    }
    for _ in 0..<Replay.timersMax {
      guard let deadline = engine.nextDeadline, deadline <= end else { break }
      move(to: max(deadline, now.monotonic))
      send(.timersDue)
      acts.take(effects, at: now.wall, line: line, engine.configuration.http)
      effects.removeAll(keepingCapacity: true)
    }
    move(to: end)
  }

  /// Two weeks of a timer that fires each minute.
  private static let timersMax = 20_000

  /// By the clock of the replay. At most thirty years on: no log is longer, and a wrong year is no reason to overflow.
  static func instant(of fact: LogFact, origin: WallInstant) -> MonotonicInstant {
    let elapsed = min(max(0, fact.time.milliseconds(since: origin)), 1_000_000_000_000) + warmUpMilliseconds
    return MonotonicInstant(nanoseconds: elapsed * 1_000_000)
  }

  private mutating func move(to instant: MonotonicInstant) { now = Replay.moment(instant, origin: origin) }

  /// The warm-up before a log of the first hour of the calendar is at its first instant.
  private static func moment(_ instant: MonotonicInstant, origin: WallInstant) -> Moment {
    let elapsed = (instant - MonotonicInstant(nanoseconds: 0)).wholeMilliseconds - warmUpMilliseconds
    return Moment(monotonic: instant, wall: origin.moved(byMilliseconds: elapsed) ?? .earliest)
  }

  mutating func send(_ input: EngineInput) { engine.receive(input, at: now, into: &effects) }

  /// Starts a new process with the stored state of the old one.
  private mutating func relaunch(_ rest: ArraySlice<LogFact>) {
    launchedAt = now.wall
    engine = Engine(
      configuration: engine.configuration, state: engine.state, geofences: engine.geofences,
      identity: RandomStream(seed: 0, device: 0, concern: UInt64(line)), quirks: quirks)
    let isInBackground = isBackgroundLaunch || startsHeadless(rest)
    send(.ready(Launch(isInBackground: isInBackground)))
    confirmFences()
    isBackgroundLaunch = false
  }

  /// The first dump was already applied from the first line on. Android logs one at each launch.
  private mutating func take(_ document: JSONValue, _ rest: ArraySlice<LogFact>) {
    isBackgroundLaunch = document.flag("didLaunchInBackground") ?? false
    if isConfigured {
      var configuration = engine.configuration
      let isMoving = configuration.isMoving
      _ = configuration.apply(document)
      configuration.isMoving = isMoving
      _ = configuration.edit { $0.logger.logLevel = .verbose }
      use(configuration)
    }
    isConfigured = true
    guard platform == .android else { return }
    if let launchedAt, now.wall.milliseconds(since: launchedAt) < Agreement.windowMilliseconds { return }
    relaunch(rest)
  }

  /// `setConfig` is logged with the key but not the value, which may be inferred from later lines.
  private mutating func reconfigure(_ key: String, _ rest: ArraySlice<LogFact>) {
    guard key.hasSuffix("distanceFilter") || key.hasSuffix("stopTimeout") else { return }
    let next = rest.firstIndex {
      if case .configurationChanged(let other) = $0.content { other == key } else { false }
    }
    var configuration = engine.configuration
    let multiplier = configuration.geolocation.elasticityMultiplier
    LoggedSettings(rest[..<(next ?? rest.endIndex)], multiplier: multiplier).apply(to: &configuration)
    use(configuration)
  }

  mutating func use(_ configuration: Configuration) {
    let keys = configuration.changedKeys(since: engine.configuration)
    if !keys.isEmpty { send(.configured(configuration, changedKeys: keys)) }
  }

  /// After a launch the engine starts by itself; otherwise the app started it.
  private mutating func start(_ mode: Int) {
    // On Android every start includes a start of geofences.
    if platform == .android && mode == 0 && !isGeofenceMode { return }
    let wanted = TrackingMode(rawValue: mode) ?? .location
    guard !engine.state.isEnabled || engine.state.trackingMode != wanted else { return }
    send(.call(wanted == .location ? .start : .startGeofences))
  }

  /// The engine makes its own requests from its inputs; the others are the app's. The log shows neither the value that
  /// the odometer is set to nor whether a record is stored.
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

/// An act of a real or simulated engine.
package struct EngineAct: Equatable, Sendable {
  package let kind: FidelityClass
  package let time: WallInstant
  /// The line in the log, or for our engine the line of the causing input.
  package let line: Int
  /// The description that both sides must share.
  package let what: String

  package init(_ kind: FidelityClass, at time: WallInstant, line: Int, _ what: String) {
    self.kind = kind
    self.time = time
    self.line = line
    self.what = what
  }
}

/// The acts of our engine, read from its effects.
struct ReplayedActs {
  private(set) var acts: [EngineAct] = []
  private(set) var metres = 0.0

  private var uploads = ReplayedUploads()
  private var lastOdometer: Double?
  private var isStopping = false
  private let countsUploads: Bool

  /// A log without any upload is from a device without a server.
  init(countsUploads: Bool) { self.countsUploads = countsUploads }

  /// Takes what the log shows of the network and of uploads.
  mutating func take(_ content: LogFact.Content) { uploads.take(content) }

  mutating func take(_ effects: [Effect], at time: WallInstant, line: Int, _ http: HTTPSettings) {
    func add(_ kind: FidelityClass, _ what: String) {
      acts.append(EngineAct(kind, at: time, line: line, what))
    }
    for effect in effects {
      switch effect {
      case .persist(let record, let kind):
        uploads.insert()
        if kind.isJudged { add(.records, kind.described(isMoving: record.isMoving)) }
      case .flush(let trigger):
        if countsUploads && uploads.begins(trigger, http) { add(.uploads, "upload") }
      case .log(let entry): for (kind, what) in told(by: entry) { add(kind, what) }
      default: break
      }
    }
  }

  private mutating func told(by entry: LogEntry) -> [(FidelityClass, String)] {
    switch entry {
    case .distanceFilter(let new, let old): return [(.distanceFilter, "from \(whole(old)) to \(whole(new)) m")]
    case .paceChange(_, let isMoving):
      defer { isStopping = false }
      let pace = (FidelityClass.transitions, isMoving ? "to moving" : "to stationary")
      return isStopping && !isMoving ? [(.stopTimers, "fired"), pace] : [pace]
    case .geofence(let identifier, let action, _): return [(.geofences, "\(action.rawValue) \(identifier)")]
    case .stopTimeoutEngaged(let seconds):
      isStopping = true
      return [(.stopTimers, "engaged for \(whole(seconds)) s")]
    case .timerStarted(name: LogEntry.stationaryCheckName, let seconds, _):
      return [(.stopTimers, "engaged for \(whole(seconds)) s")]
    case .alarmFired: return [(.stopTimers, "fired")]
    case .timerStopped(name: LogEntry.stationaryCheckName): return [(.stopTimers, "cancelled")]
    case .timerStopped(name: "stopTimeout"):
      isStopping = false
      return [(.stopTimers, "cancelled")]
    case .odometer(let value, _):
      if let lastOdometer { metres += max(0, value - lastOdometer) }
      lastOdometer = value
      return []
    default: return []
    }
  }
}
