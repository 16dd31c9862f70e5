import AnswerCheck
import Base
import Contract
import Drive
import JSON
import Scenario
import Upload
import Vocabulary

/// A phone in virtual time, with a server that answers what a test wants, at once.
struct Ride {
  var drive: Drive
  private(set) var now: Moment
  private(set) var lines: [DriveLine] = []
  private(set) var sent: [OutgoingRequest] = []
  /// The drive wanted to be called at an instant that was over.
  private(set) var wentBack = false
  private var unanswered: [OutgoingRequest] = []
  var outcome: RequestOutcome? = .answered(status: 200, reason: "OK", body: [])

  static let start = Moment(
    monotonic: MonotonicInstant(nanoseconds: 0), wall: WallInstant(millisecondsSince1970: 1_785_000_000_000))

  /// Nil: what a drive does by default.
  init(
    _ platform: DevicePlatform = .ios, behaviour: SDKBehaviour? = nil, seed: UInt64 = 1, hasOwnApp: Bool = false,
    _ configuration: JSONObject = [:]
  ) throws {
    now = Ride.start
    guard let place = Coordinate(latitude: 48.1, longitude: 11.5) else { preconditionFailure("a place") }
    let settings = DriveSettings(
      platform: platform, behaviour: behaviour, start: place, seed: seed, target: "http://server.example",
      deviceName: "a", hasOwnApp: hasOwnApp, documents: [.object(configuration)])
    drive = try Drive(settings, at: now)
    try serve()
  }

  mutating func press(_ keys: DriveKey...) throws {
    for key in keys {
      try drive.press(key, at: now)
      try serve()
    }
  }

  mutating func wait(_ seconds: Int64) throws {
    let end = now.advanced(by: .seconds(seconds))
    while let next = drive.nextInstant, next <= end.monotonic {
      if next < now.monotonic { wentBack = true }
      now = Ride.start.advanced(by: next - Ride.start.monotonic)
      try drive.advance(to: now)
      try serve()
    }
    now = end
    try drive.advance(to: now)
    try serve()
  }

  /// The end of what waits since `outcome` was nil.
  mutating func answerAll(_ outcome: RequestOutcome) throws {
    let requests = unanswered
    unanswered = []
    for request in requests {
      try drive.answer(request.id, outcome, head: nil, duration: .milliseconds(1), at: now)
    }
    try serve()
  }

  private mutating func serve() throws {
    var effects = drive.takeEffects()
    while !effects.isEmpty {
      for case .send(let request) in effects {
        sent.append(request)
        if let outcome {
          try drive.answer(request.id, outcome, head: nil, duration: .milliseconds(1), at: now)
        } else {
          unanswered.append(request)
        }
      }
      effects = drive.takeEffects()
    }
    lines += drive.takeLines()
  }

  /// What the person read.
  var notes: [String] {
    lines.compactMap { line in
      if case .note(let text) = line { text } else { nil }
    }
  }

  var status: String { drive.status(at: now.monotonic) }
}
