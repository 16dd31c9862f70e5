import Base
import Contract
import DeviceLog
import Engine
import Vocabulary

/// An engine on a virtual clock that writes its own log, as a device does: the lines of the engine, and those that its
/// queue and its uploads add.
struct LoggingDevice {
  private(set) var bytes: [UInt8] = []
  private var engine: Engine
  private var now: Moment
  private var effects: [Effect] = []
  private let text: LogText
  private var waiting = 0
  private var uuids: UInt64 = 0

  init(_ platform: DevicePlatform, hasBanner: Bool = true, configure: (inout Configuration) -> Void = { _ in }) {
    var configuration = Configuration(platform: platform)
    _ = configuration.edit {
      configure(&$0)
      $0.logger.logLevel = .verbose
    }
    engine = Engine(
      configuration: configuration, identity: RandomStream(seed: 1, device: 1, concern: 1), quirks: .documented)
    text = LogText(platform: platform, utcOffsetMinutes: 120, zoneName: "Central European Summer Time")
    now = Moment(
      monotonic: MonotonicInstant(nanoseconds: 1_000_000_000),
      wall: WallInstant(millisecondsSince1970: 1_785_249_226_653))
    if hasBanner { text.appendBanner(configuration, at: now.wall, to: &bytes) }
  }

  var log: String { String(decoding: bytes, as: UTF8.self) }

  mutating func send(_ input: EngineInput) {
    engine.receive(input, at: now, into: &effects)
    for effect in effects { write(effect) }
    effects.removeAll()
  }

  /// Timers fire when they are due.
  mutating func wait(_ seconds: Double) {
    let end = now.advanced(by: Nanoseconds(Int64(seconds * 1e9)))
    while let deadline = engine.nextDeadline, deadline <= end.monotonic {
      now = now.advanced(by: max(.zero, deadline - now.monotonic))
      send(.timersDue)
    }
    now = end
  }

  /// A position now, so many metres north of the beginning.
  func fix(north metres: Double, speed: Double) -> Fix {
    var coords = Coordinates(latitude: 45.5 + metres / 111_147, longitude: -116.3)
    coords.accuracy = 5
    coords.speed = speed
    coords.heading = 0
    // The export of iOS shows whole seconds.
    let second = now.wall.millisecondsSince1970 / 1_000 * 1_000
    return Fix(coords: coords, timestamp: WallInstant(millisecondsSince1970: second))
  }

  mutating func act(_ type: ActivityType) { send(.activity(Activity(type, confidence: 100))) }

  /// A new process finds what the old one kept.
  mutating func relaunch() {
    engine = Engine(
      configuration: engine.configuration, state: engine.state, geofences: engine.geofences,
      identity: RandomStream(seed: 1, device: 1, concern: UInt64(bytes.count)), quirks: .documented)
    text.appendBanner(engine.configuration, at: now.wall, to: &bytes)
    send(.ready(Launch()))
  }

  mutating func reconfigure(_ change: (inout Configuration) -> Void) {
    var configuration = engine.configuration
    let keys = configuration.edit(change).changedKeys
    send(.configured(configuration, changedKeys: keys))
  }

  private mutating func write(_ effect: Effect) {
    switch effect {
    case .log(let entry): note(entry)
    case .persist(_, let kind):
      uuids += 1
      waiting += 1
      note(.inserted(uuid: UUID128(high: 7, low: uuids), kind: kind, persistMode: 2, maxRecords: -1))
    case .flush(let trigger):
      let isOwed = trigger == .motionChange || waiting >= engine.configuration.http.autoSyncThreshold
      guard waiting > 0, isOwed else { return }
      note(.flushBegan(trigger: trigger, queued: waiting))
      note(.flushFinished(isSuccess: true, queuedBefore: waiting, synced: waiting, pages: 1, milliseconds: 300))
      waiting = 0
    default: break
    }
  }

  private mutating func note(_ entry: LogEntry) { text.append(entry, at: now.wall, to: &bytes) }
}

extension LoggingDevice {
  /// A start, two trips with a rest between, and the end: by car, on foot or on a bicycle.
  mutating func travel(by activity: ActivityType, speeds: [Double]) {
    wait(1)
    send(.ready(Launch()))
    send(.call(.start))
    send(.sample(fix(north: 0, speed: 0)))
    var north = 0.0
    for _ in 0..<2 {
      wait(600)
      act(activity)
      wait(20)
      send(.stationaryRegionExit(nil))
      send(.sample(fix(north: north + 260, speed: speeds[0])))
      for _ in 0..<3 { ride(speeds, from: &north) }
      act(.still)
      wait(30)
      act(activity)
      ride(speeds, from: &north)
      act(.still)
      wait(420)
      send(.sample(fix(north: north, speed: 0)))
    }
    wait(60)
  }

  private mutating func ride(_ speeds: [Double], from north: inout Double) {
    for speed in speeds {
      wait(60)
      north += max(speed * 60, 0) + 300
      send(.fix(fix(north: north, speed: speed)))
    }
  }
}
