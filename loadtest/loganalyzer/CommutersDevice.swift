import Base
import Contract
import DeviceLog
import Engine
import Host
import JSON
import Queue
import Upload
import Vocabulary

/// A device on a virtual clock: timers fire when they are due, the phone finds its position when it is asked for it, and
/// requests are answered at once.
struct CommutersDevice {
  private(set) var host: DeviceHost
  private(set) var phone: LoggedPhone
  private(set) var now: Moment
  var server: DayServer
  private let text: LogText
  private var metres = 0.0
  private static let identityStreamID: UInt64 = 1
  private static let utcOffsetMinutes = -240

  init(_ platform: DevicePlatform, in database: QueueDatabase, device: Int, at start: WallInstant) throws {
    now = Moment(monotonic: MonotonicInstant(nanoseconds: 1_000_000_000), wall: start)
    text = LogText(platform: platform, utcOffsetMinutes: Self.utcOffsetMinutes, zoneName: "Eastern Daylight Time")
    server = DayServer(platform)
    phone = LoggedPhone(text)
    let description = DeviceDescription(
      platform: platform, model: "Phone 1", manufacturer: "Maker", version: "15", userAgent: "SampleLog/1")
    host = try DeviceHost(
      description, database: database, device: device,
      identity: RandomStream(seed: 1, device: UInt64(device), concern: Self.identityStreamID), scratch: HostScratch(),
      at: now)
    host.receive(.timeZone(ZoneRules(offsetSeconds: Self.utcOffsetMinutes * 60)), at: now)
    host.receive(.connectivity(.wifi), at: now)
  }

  mutating func ready(_ document: String) throws {
    let document = try JSONValue(parsing: document.utf8.span)
    // The box with which the log of a launch begins shows what `ready` is about to use.
    let (configuration, _) = Configuration.ready(
      platform: host.configuration.platform, persisted: nil, document: document)
    text.appendBanner(configuration, at: now.wall, to: &phone.log)
    host.ready(Launch(), at: now) { Configuration.ready(platform: text.platform, persisted: $0, document: document) }
    try settle()
  }

  mutating func configure(_ document: String) throws {
    host.configure(try JSONValue(parsing: document.utf8.span), at: now)
    try settle()
  }

  mutating func give(_ input: EngineInput) throws {
    host.receive(input, at: now)
    try settle()
  }

  mutating func call(_ call: EngineCall) throws { try give(.call(call)) }

  mutating func sync() throws {
    host.sync(completion: 1, at: now)
    try settle()
  }

  mutating func wait(seconds: Int) throws {
    let end = now.advanced(by: .seconds(Int64(seconds)))
    while let deadline = host.nextDeadline, deadline <= end.monotonic {
      if deadline > now.monotonic { now = now.advanced(by: deadline - now.monotonic) }
      host.timersDue(at: now)
      try settle()
    }
    now = now.advanced(by: end.monotonic - now.monotonic)
  }

  /// Of the day that has begun, by the device's clock.
  mutating func wait(untilHour hour: Int) throws {
    let local = (now.wall.millisecondsSince1970 / 1_000 + Int64(text.utcOffsetMinutes) * 60) % 86_400
    let seconds = hour * 3_600 - Int(local)
    precondition(seconds > 0, "the hour has passed")
    try wait(seconds: seconds)
  }

  /// North or, with a negative speed, south, a fix each second; then it stands until the stop is detected.
  mutating func drive(seconds: Int, metresPerSecond: Double) throws {
    try give(.activity(Activity(.inVehicle, confidence: 100)))
    if phone.stationaryRegion != nil { try give(.stationaryRegionExit(fix(speed: abs(metresPerSecond)))) }
    for second in 1...seconds {
      try wait(seconds: 1)
      let speed = metresPerSecond * (0.75 + 0.5 * Double(second % 60) / 60)
      metres += speed
      try give(.fix(fix(speed: abs(speed))))
      if second % 300 == 0 { try stopAtLight() }
    }
    try give(.activity(Activity(.still, confidence: 100)))
    try wait(seconds: 600)
  }

  private mutating func stopAtLight() throws {
    try give(.activity(Activity(.still, confidence: 100)))
    try wait(seconds: 30)
    try give(.activity(Activity(.inVehicle, confidence: 100)))
  }

  mutating func cross(_ fence: String, isEntry: Bool) throws {
    try give(.geofenceCrossing(identifier: fence, isEntry: isEntry, fix(speed: 5)))
  }

  private mutating func settle() throws {
    while true {
      for effect in host.takeEffects() { phone.perform(effect) }
      if !phone.waiting.isEmpty {
        let request = phone.waiting.removeFirst()
        now = now.advanced(by: .milliseconds(40))
        host.answer(request.id, try server.answer(request), at: now)
      } else if phone.isSampling {
        now = now.advanced(by: .milliseconds(200))
        host.receive(.sample(fix(speed: 0)), at: now)
      } else {
        return
      }
    }
  }

  private func fix(speed: Double) -> Fix {
    var coords = Coordinates(latitude: 45.5 + metres / 111_200, longitude: -73.6)
    coords.accuracy = 5
    coords.speed = speed
    coords.heading = 0
    return Fix(coords: coords, timestamp: now.wall)
  }
}
