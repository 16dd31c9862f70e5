import Base
import Contract
import Engine
import Host
import JSON
import Queue
import Upload
import Vocabulary

/// A device on its way north, whose server says 200 to everything.
struct BenchDevice {
  private(set) var host: DeviceHost
  private(set) var phone = BenchPhone()
  private let scratch: HostScratch
  private var now = Moment(
    monotonic: MonotonicInstant(nanoseconds: 1_000_000_000),
    wall: WallInstant(millisecondsSince1970: 1_785_263_663_000))
  private var latitude = 45.5
  private static let answer = Array(#"{"accepted":1,"duplicate":0,"quarantined":0}"#.utf8)

  init(_ number: Int, in database: QueueDatabase, scratch: HostScratch, configuration: JSONValue) throws {
    self.scratch = scratch
    let description = DeviceDescription(
      platform: .ios, model: "Phone 1", manufacturer: "Maker", version: "26.0", userAgent: "Bench/1")
    host = try DeviceHost(
      description, database: database, device: number,
      identity: RandomStream(seed: 1, device: UInt64(number), concern: 1), scratch: scratch, at: now)
    host.receive(.connectivity(.wifi), at: now)
    host.ready(Launch(), at: now) { kept in
      Configuration.ready(platform: .ios, persisted: kept, document: configuration)
    }
  }

  mutating func setOff() {
    host.receive(.call(.start), at: now)
    host.receive(.call(.changePace(isMoving: true)), at: now)
    settle()
  }

  /// One record: a fix far enough from the last one.
  mutating func drive() {
    now = now.advanced(by: .seconds(1))
    latitude += 0.0005
    host.receive(.fix(fix), at: now)
    settle()
  }

  private mutating func settle() {
    while true {
      applyEffects()
      if let request = phone.waiting.popLast() {
        host.answer(request, .answered(status: 200, reason: "OK", body: Self.answer), at: now)
      } else if phone.isSampling {
        host.receive(.sample(fix), at: now)
      } else {
        return
      }
    }
  }

  private mutating func applyEffects() {
    let effects = host.takeEffects()
    for effect in effects { phone.perform(effect) }
    scratch.giveBack(effects)
  }

  private var fix: Fix {
    var coords = Coordinates(latitude: latitude, longitude: -122.6)
    coords.accuracy = 5
    coords.speed = 20
    coords.heading = 0
    return Fix(coords: coords, timestamp: now.wall)
  }
}
