import Base
import Contract
import Database
import Engine
import JSON
import Queue
import Upload
import Vocabulary

@testable import Host

/// A device in the hands of a test: its phone, its database, and whoever answers its requests.
final class TestHost {
  let database: QueueDatabase
  private(set) var host: DeviceHost
  private(set) var phone = TestPhone()
  private(set) var now = Moment(
    monotonic: MonotonicInstant(nanoseconds: 1_000_000_000),
    wall: WallInstant(millisecondsSince1970: 1_785_263_663_000))
  /// Answers a request; nil leaves it without an answer.
  var server: (OutgoingRequest) throws -> RequestOutcome? = { _ in
    .answered(status: 200, reason: "OK", body: [])
  }
  private let platform: DevicePlatform
  private let number: Int
  private let scratch = HostScratch()
  private var launches: UInt64 = 0
  private var north = 0.0

  init(_ platform: DevicePlatform = .ios, database: QueueDatabase? = nil, number: Int = 0) throws {
    let database = try database ?? QueueDatabase(path: ":memory:", commits: .grouped)
    self.database = database
    self.platform = platform
    self.number = number
    host = try TestHost.launch(
      platform, database, number, launches: 0, firstRequest: 1, scratch: scratch, at: now)
    applyEffects()
  }

  private static func launch(
    _ platform: DevicePlatform, _ database: QueueDatabase, _ number: Int, launches: UInt64, firstRequest: UInt64,
    scratch: HostScratch, at now: Moment
  ) throws -> DeviceHost {
    let description = DeviceDescription(
      platform: platform, model: "Phone 1", manufacturer: "Maker", version: "26.0", userAgent: "Test/1")
    var host = try DeviceHost(
      description, database: database, device: number,
      identity: RandomStream(seed: 1, device: UInt64(number), concern: launches), firstRequest: firstRequest,
      scratch: scratch, at: now)
    host.receive(.connectivity(.wifi), at: now)
    return host
  }

  /// The process ends and the app is started again: only what is in the database is left.
  func relaunch() throws {
    launches += 1
    phone = TestPhone()
    host = try TestHost.launch(
      platform, database, number, launches: launches, firstRequest: host.uploader.nextRequestID, scratch: scratch,
      at: now)
    applyEffects()
  }

  func ready(_ document: String = "{}", _ launch: Launch = Launch()) throws {
    let document = try JSONValue(parsing: document.utf8.span)
    host.ready(launch, at: now) { [platform] kept in
      Configuration.ready(platform: platform, persisted: kept, document: document)
    }
    try settle()
  }

  func configure(_ document: String) throws {
    host.configure(try JSONValue(parsing: document.utf8.span), at: now)
    try settle()
  }

  func give(_ input: EngineInput) throws {
    host.receive(input, at: now)
    try settle()
  }

  func call(_ call: EngineCall) throws { try give(.call(call)) }

  func sync(_ completion: UInt64) throws {
    host.sync(completion: completion, at: now)
    try settle()
  }

  /// The way goes north, a fix each second.
  func drive(_ count: Int, metres: Double = 50) throws {
    for _ in 0..<count {
      try wait(seconds: 1)
      north += metres
      try give(.fix(fix(speed: metres)))
    }
  }

  /// On its way, whatever was before.
  func startMoving() throws {
    try call(.start)
    try call(.changePace(isMoving: true))
  }

  /// Time passes, and timers fire when they are due.
  func wait(seconds: Double) throws {
    let end = now.advanced(by: .milliseconds(Int64(seconds * 1_000)))
    while let deadline = host.nextDeadline, deadline <= end.monotonic {
      if deadline > now.monotonic { now = now.advanced(by: deadline - now.monotonic) }
      host.timersDue(at: now)
      try settle()
    }
    now = now.advanced(by: end.monotonic - now.monotonic)
  }

  /// Time passes without a wake-up.
  func pass(seconds: Int64) { now = now.advanced(by: .seconds(seconds)) }

  /// The phone finds its position when it is asked for, and requests are answered, until nothing is left to do.
  func settle() throws {
    applyEffects()
    while true {
      if let request = phone.waiting.first {
        guard let outcome = try server(request) else {
          unanswered.append(request)
          phone.waiting.removeFirst()
          continue
        }
        phone.waiting.removeFirst()
        host.answer(request.id, outcome, at: now)
        applyEffects()
      } else if phone.isSampling {
        host.receive(.sample(fix(speed: 0)), at: now)
        applyEffects()
      } else {
        return
      }
    }
  }

  /// Does what the host leaves to its phone.
  private func applyEffects() {
    var effects = host.takeEffects()
    while !effects.isEmpty {
      for effect in effects {
        phone.perform(effect)
        if case .uploadLog(let url) = effect {
          host.uploadLog(to: url, gzip: [0x1F, 0x8B, 8, 0], completion: nil, at: now)
        }
      }
      effects = host.takeEffects()
    }
  }

  /// Requests that the server left without an answer.
  private(set) var unanswered: [OutgoingRequest] = []

  func answerLate(_ outcome: RequestOutcome) throws {
    host.answer(unanswered.removeFirst().id, outcome, at: now)
    try settle()
  }

  func modify<Result>(_ body: (inout DeviceHost, Moment) throws -> Result) throws -> Result {
    let result = try body(&host, now)
    try settle()
    return result
  }

  private func fix(speed: Double) -> Fix {
    var coords = Coordinates(latitude: 45.5 + north / 111_200, longitude: -122.6)
    coords.accuracy = 5
    coords.speed = speed
    coords.heading = 0
    return Fix(coords: coords, timestamp: now.wall)
  }

  // What has come of it.

  var sent: [OutgoingRequest] { phone.sent }
  var httpStatuses: [Int] {
    phone.events.compactMap { if case .http(let event) = $0 { event.status } else { nil } }
  }
  var syncs: [Result<[QueuedRecord], SyncError>] {
    phone.events.compactMap { if case .synced(_, let result) = $0 { result } else { nil } }
  }

  func rows() throws -> [QueuedRecord] { try host.queue.read(limit: 100_000, offset: 0, newestFirst: false) }
  func texts() throws -> [String] { try rows().map { String(decoding: $0.bytes, as: UTF8.self) } }
}

extension OutgoingRequest {
  var text: String { String(decoding: body, as: UTF8.self) }
}

extension RequestOutcome {
  static func status(_ status: Int, _ body: String = "") -> RequestOutcome {
    .answered(status: status, reason: "", body: Array(body.utf8))
  }
}
