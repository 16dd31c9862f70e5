import Base
import Contract
import Engine
import Vocabulary

/// A device through a working day: a night at rest, an hour's drive, a day at work with some walking about, and back.
struct Commuter {
  private(set) var engine: Engine
  private(set) var now: Moment
  private(set) var fixCount = 0
  private(set) var effectCount = 0
  private var effects: [Effect] = []
  private var metres = 0.0

  init(_ platform: DevicePlatform, device: UInt64, fences: Int = 0) {
    var configuration = Configuration(platform: platform)
    configuration.geolocation.stopTimeoutMinutes = 5
    configuration.app.heartbeatIntervalSeconds = 60
    let geofences = (0..<fences).map { index in
      Geofence(
        identifier: "fence-\(index)",
        shape: .circle(center: .init(latitude: 45.5 + Double(index) * 0.02, longitude: -116.3), radiusMetres: 200))
    }
    engine = Engine(
      configuration: configuration, geofences: geofences,
      identity: RandomStream(seed: 1, device: device, concern: 1))
    now = Moment(
      monotonic: MonotonicInstant(nanoseconds: 0), wall: WallInstant(millisecondsSince1970: 1_800_000_000_000))
    effects.reserveCapacity(64)
    send(.ready(Launch(isFirstBoot: true)))
    send(.call(.start))
    send(.sample(fix(speed: 0)))
  }

  mutating func liveADay() {
    rest(hours: 7.5)
    drive(seconds: 3_600)
    rest(hours: 4)
    strollIndoors()
    rest(hours: 4.5)
    drive(seconds: 3_600)
    rest(hours: 6)
  }

  /// A fix each second, with a stop at a light every five minutes, and the stop in the end.
  mutating func drive(seconds: Int) {
    send(.activity(Activity(.inVehicle, confidence: 100)))
    send(.stationaryRegionExit(nil))
    send(.sample(fix(speed: 5)))
    for second in 1...seconds {
      if second % 300 == 0 { send(.activity(Activity(.still, confidence: 100))) }
      if second % 300 == 30 { send(.activity(Activity(.inVehicle, confidence: 100))) }
      track(second)
    }
    send(.activity(Activity(.still, confidence: 100)))
    pass(seconds: 301)
    send(.sample(fix(speed: 0)))
  }

  mutating func track(_ second: Int) {
    pass(seconds: 1)
    let speed = 14 + 10 * Double(second % 60) / 60
    metres += speed
    fixCount += 1
    send(.fix(fix(speed: speed)))
  }

  private mutating func strollIndoors() {
    for _ in 0..<20 {
      send(.activity(Activity(.onFoot, confidence: 100)))
      pass(seconds: 8)
      send(.activity(Activity(.still, confidence: 100)))
      pass(seconds: 60)
    }
  }

  private mutating func rest(hours: Double) { pass(seconds: Int(hours * 3_600)) }

  private mutating func pass(seconds: Int) {
    let end = now.advanced(by: .seconds(Int64(seconds)))
    while let deadline = engine.nextDeadline, deadline <= end.monotonic {
      now = now.advanced(by: max(.zero, deadline - now.monotonic))
      send(.timersDue)
    }
    now = end
  }

  mutating func send(_ input: EngineInput) {
    engine.receive(input, at: now, into: &effects)
    effectCount += effects.count
    effects.removeAll(keepingCapacity: true)
  }

  private func fix(speed: Double) -> Fix {
    var coords = Coordinates(latitude: 45.5 + metres / 111_147, longitude: -116.3)
    coords.accuracy = 5
    coords.speed = speed
    return Fix(coords: coords, timestamp: now.wall)
  }
}
