import Base
import Contract
import Vocabulary

@testable import Engine

/// An engine on a virtual clock with everything it said so far.
struct EngineRig {
  private(set) var engine: Engine
  private(set) var now: Moment
  private(set) var effects: [Effect] = []

  init(
    _ platform: DevicePlatform = .ios, state: EngineState = EngineState(), geofences: [Geofence] = [],
    zone: ZoneRules = .utc, at wall: WallInstant = WallInstant(millisecondsSince1970: 1_800_000_000_000),
    quirks: EngineQuirks = .documented, configure: (inout Configuration) -> Void = { _ in }
  ) {
    var configuration = Configuration(platform: platform)
    configure(&configuration)
    engine = Engine(
      configuration: configuration, state: state, geofences: geofences,
      identity: RandomStream(seed: 1, device: 1, concern: 1), zone: zone, quirks: quirks)
    now = Moment(monotonic: MonotonicInstant(nanoseconds: 1_000_000_000_000), wall: wall)
  }

  /// Ready and started, at rest in the middle of a known region, with nothing said yet.
  static func resting(
    _ platform: DevicePlatform = .ios, quirks: EngineQuirks = .documented,
    configure: (inout Configuration) -> Void = { _ in }
  ) -> EngineRig {
    var rig = EngineRig(platform, quirks: quirks, configure: configure)
    rig.send(.ready(Launch()))
    rig.send(.call(.start))
    rig.sample()
    _ = rig.take()
    return rig
  }

  /// On the way, after the position of the motion change was found.
  static func driving(
    _ platform: DevicePlatform = .ios, quirks: EngineQuirks = .documented,
    configure: (inout Configuration) -> Void = { _ in }
  ) -> EngineRig {
    var rig = resting(platform, quirks: quirks, configure: configure)
    rig.send(.call(.changePace(isMoving: true)))
    rig.sample()
    _ = rig.take()
    return rig
  }

  mutating func send(_ input: EngineInput) { engine.receive(input, at: now, into: &effects) }

  /// A good position now, so many metres north of the middle.
  func fix(north metres: Double = 0, accuracy: Double = 5, speed: Double = 0, ageSeconds: Int64 = 0) -> Fix {
    var coords = Coordinates(latitude: 45.5 + metres / 111_147, longitude: -116.3)
    coords.accuracy = accuracy
    coords.speed = speed
    return Fix(coords: coords, timestamp: now.wall.advanced(byMilliseconds: -1_000 * ageSeconds))
  }

  mutating func sample(north metres: Double = 0, accuracy: Double = 5, speed: Double = 0, ageSeconds: Int64 = 0) {
    send(.sample(fix(north: metres, accuracy: accuracy, speed: speed, ageSeconds: ageSeconds)))
  }

  mutating func drive(north metres: Double, accuracy: Double = 5, speed: Double = 10) {
    send(.fix(fix(north: metres, accuracy: accuracy, speed: speed)))
  }

  mutating func act(_ type: ActivityType, _ confidence: Int = 100) {
    send(.activity(Activity(type, confidence: confidence)))
  }

  /// Lets time pass; timers fire when they are due, as a host lets them.
  mutating func wait(_ seconds: Double) {
    let end = now.advanced(by: Nanoseconds(Int64(seconds * 1e9)))
    while let deadline = engine.nextDeadline, deadline <= end.monotonic {
      now = now.advanced(by: max(.zero, deadline - now.monotonic))
      send(.timersDue)
    }
    now = end
  }

  /// Somebody sets the clock.
  mutating func setClock(bySeconds seconds: Int64) {
    now = Moment(monotonic: now.monotonic, wall: now.wall.advanced(byMilliseconds: 1_000 * seconds))
  }

  /// Lets time pass without anybody firing timers, as in a suspended process.
  mutating func sleepThrough(_ seconds: Double) { now = now.advanced(by: Nanoseconds(Int64(seconds * 1e9))) }

  /// Everything said since the last time.
  mutating func take() -> [Effect] {
    defer { effects.removeAll() }
    return effects
  }

  mutating func reconfigure(_ change: (inout Configuration) -> Void) {
    var configuration = engine.configuration
    let keys = configuration.edit(change).changedKeys
    send(.configured(configuration, changedKeys: keys))
  }
}

extension [Effect] {
  var persisted: [(record: LocationRecord, kind: RecordKind)] {
    compactMap { if case .persist(let record, let kind) = $0 { (record, kind) } else { nil } }
  }

  var kinds: [RecordKind] { persisted.map(\.kind) }

  var events: [EngineEvent] { compactMap { if case .event(let event) = $0 { event } else { nil } } }

  var flushes: [FlushTrigger] { compactMap { if case .flush(let trigger) = $0 { trigger } else { nil } } }

  var demands: [SensorDemand] { compactMap { if case .demand(let demand) = $0 { demand } else { nil } } }

  var logs: [LogEntry] { compactMap { if case .log(let entry) = $0 { entry } else { nil } } }

  var motionChanges: [Bool] {
    events.compactMap { if case .motionChange(let record) = $0 { record.isMoving } else { nil } }
  }

  var answers: [Int: Result<LocationRecord, LocationError>] {
    var found: [Int: Result<LocationRecord, LocationError>] = [:]
    for case .completed(let id, let result) in self { found[id] = result }
    return found
  }

  /// The order of what matters, in a word each.
  var outline: [String] {
    compactMap { effect in
      switch effect {
      case .persist(_, let kind): "persist \(kind)"
      case .flush(let trigger): "flush \(trigger)"
      case .demand(let demand): "\(demand)".split(separator: "(").first.map { "demand \($0)" }
      case .event(let event): "\(event)".split(separator: "(").first.map { "event \($0)" }
      case .log(let entry): "\(entry)".split(separator: "(").first.map { "log \($0)" }
      case .completed, .saveState, .saveGeofence, .deleteGeofences, .backgroundTask: nil
      }
    }
  }
}
