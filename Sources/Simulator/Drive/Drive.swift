package import AnswerCheck
package import Base
import Contract
package import Database
import Engine
import Host
import Queue
package import Upload
package import Vocabulary
import World

/// One phone that a person controls: the real engine, queue and uploader, in the caller's time. It reports when it must be
/// called, which requests to send, and what to display.
package struct Drive {
  package private(set) var checker = AnswerChecker()
  /// The output since it was last taken.
  var lines: [DriveLine] = []
  /// The last complete exchange.
  package private(set) var lastAnswer: ObservedAnswer?

  let settings: DriveSettings
  let database: QueueDatabase
  let scratch = HostScratch()
  /// Persists after the end of the app, because it holds the app's demands on the phone.
  var host: DeviceHost
  var phone: DrivenPhone
  var isRunning = false
  var isInBackground = false
  var launches: UInt64 = 0
  /// The time until which the phone is off; nil while it is on, whether or not its app runs.
  var comesBackAt: MonotonicInstant?
  /// Whether the phone was off and the app has not run since.
  var hasRebooted = false
  /// The next background fetch on iOS while the app does not run.
  var fetchesAt: MonotonicInstant?

  var body: Body
  var transport: Transport?
  var ways: UInt64 = 0
  var receiver: Receiver
  var activity: ActivitySensor
  var nextFix: MonotonicInstant?
  /// The latest time reached; overdue events happen at this time, because time does not go back.
  var reached: MonotonicInstant
  var battery = Battery(level: 0.9, isCharging: false)
  var geofences = 0

  var isScreenOn = true
  var isInTunnel = false
  var isInAirplaneMode = false
  var radio = Connectivity.wifi
  var connectivity = Connectivity.none
  /// Requests that have been sent and have not ended.
  var inFlight: [UInt64: OutgoingRequest] = [:]
  var effects: [DriveEffect] = []
  private let rows = RowCount()
  /// The number of records that the phone deleted because of a web page with a success status, which no backend has sent.
  private var misledCount = 0

  static let identityStreamID: UInt64 = 1 << 32

  /// Returns the random stream of record identities; a second drive with the same seed makes records of its own.
  static func identity(_ seed: UInt64, from start: Moment, launch: UInt64) -> RandomStream {
    RandomStream(
      seed: seed, device: UInt64(bitPattern: start.wall.millisecondsSince1970), concern: identityStreamID + launch)
  }

  /// Opens the app, which starts tracking.
  package init(_ settings: DriveSettings, at now: Moment) throws(DatabaseError) {
    self.settings = settings
    database = try QueueDatabase(path: ":memory:", commits: .grouped)
    database.observer = rows
    phone = DrivenPhone(settings.platform)
    reached = now.monotonic
    body = DrivenWay.body(restingAt: settings.start, at: now.monotonic)
    receiver = Receiver(model: .inVehicle, seed: settings.seed, device: 0)
    activity = ActivitySensor(truth: .still, at: now.monotonic, seed: settings.seed, device: 0)
    host = try DeviceHost(
      settings.description, database: database, device: 0,
      identity: Drive.identity(settings.seed, from: now, launch: 0),
      quirks: settings.quirks, scratch: scratch, at: now)
    begin(Launch(), at: now)
    start(at: now)
    settle(at: now)
    try commit()
  }

  package mutating func takeLines() -> [DriveLine] {
    defer { lines = [] }
    return lines
  }

  package mutating func takeEffects() -> [DriveEffect] {
    defer { effects = [] }
    return effects
  }

  var isSwitchingOn: Bool { comesBackAt != nil }

  /// The number of records that wait on the phone.
  package var queuedCount: Int { host.queue.count }
  package var hasRequestsInFlight: Bool { !inFlight.isEmpty }

  /// The numbers of records by state, in words.
  package var account: String {
    let misled = misledCount > 0 ? ", \(misledCount) deleted after an HTML page with a success" : ""
    return
      "\(rows.made.of("record")) made, \(rows.uploaded - misledCount) uploaded\(misled), \(queuedCount) still on the phone"
  }

  /// Reports the end of a request; one that was abandoned meanwhile is ignored.
  package mutating func answer(
    _ id: UInt64, _ outcome: RequestOutcome, head: AnswerHead?, duration: Nanoseconds, at now: Moment
  ) throws(DatabaseError) {
    guard let request = inFlight.removeValue(forKey: id) else { return }
    let answer = ObservedAnswer(
      request, outcome, head: head, duration: duration, endedAt: now.wall,
      canRefresh: host.configuration.authorization.refreshUrl != nil,
      strategy: host.configuration.authorization.strategy)
    lastAnswer = answer
    lines.append(.ended(answer, checker.check(answer).findings))
    let uploaded = rows.uploaded
    host.answer(id, outcome, at: now)
    if answer.isPage { misledCount += rows.uploaded - uploaded }
    applyEffects(at: now)
    settle(at: now)
    try commit()
  }

  /// Applies the immediate consequences of an event, and the app's changes of its queue.
  mutating func settle(at now: Moment) {
    reached = now.monotonic
    lines += phone.lines
    phone.lines = []
    post()
    planFixes(at: now.monotonic)
  }

  mutating func give(_ input: EngineInput, at now: Moment) {
    host.receive(input, at: now)
    applyEffects(at: now)
  }

  /// Applies, after each call of the host, the effects that the phone must perform.
  mutating func applyEffects(at now: Moment) {
    var hostEffects = host.takeEffects()
    while !hostEffects.isEmpty {
      for effect in hostEffects {
        phone.perform(effect, at: now)
        if case .demand(.activityUpdates(let isOn)) = effect { activity.ask(at: isOn ? now.monotonic : nil) }
        if case .uploadLog(let url) = effect {
          host.uploadLog(to: url, gzip: phone.compressedLog, completion: nil, at: now)
        }
      }
      hostEffects = host.takeEffects()
    }
  }

  /// Ends the write group; the database is in memory.
  func commit() throws(DatabaseError) { try database.commit() }
}

/// Counts the records of a drive by state.
private final class RowCount: QueueObserver {
  private(set) var made = 0
  private(set) var uploaded = 0

  func admit(_ step: WriteStep, of device: Int) {}

  func see(_ note: QueueNote) {
    switch note {
    case .inserted: made += 1
    case .deleted(device: _, row: _, let cause): if cause == .upload { uploaded += 1 }
    case .refused: break
    }
  }
}

/// A step of a script.
package enum DriveStep: Equatable, Sendable {
  case press(DriveKey)
  /// Waits, by the clock of the phone.
  case wait(Nanoseconds)
  /// Waits, up to a limit, until the queue is empty and no request is open.
  case drain(Nanoseconds)

  package static let longestDrain = Nanoseconds.seconds(60)

  package init(word: String) throws(DriveScriptError) {
    if let key = DriveKey(word: word) {
      self = .press(key)
    } else if word == "drain" {
      self = .drain(DriveStep.longestDrain)
    } else if word.first?.isNumber == true, word.last?.isNumber == false, let span = Nanoseconds(text: word) {
      self = .wait(span)
    } else {
      throw DriveScriptError(word: word)
    }
  }

  /// Parses words separated by white space; a `#` starts a comment up to the end of the line.
  package static func script(_ text: String) throws(DriveScriptError) -> [DriveStep] {
    var steps: [DriveStep] = []
    for line in text.split(whereSeparator: \.isNewline) {
      let said = line.prefix { $0 != "#" }
      for word in said.split(whereSeparator: { $0.isWhitespace || $0 == "," }) {
        steps.append(try DriveStep(word: String(word)))
      }
    }
    return steps
  }
}

/// An unknown word of a script.
package struct DriveScriptError: Error, Equatable, CustomStringConvertible {
  package let word: String

  package var description: String {
    let near = NearestName.find(word, in: DriveKey.allCases.map(\.rawValue) + ["drain"])
    let hint = near.map { "did you mean '\($0)'?" } ?? "keys, words of 'rollingroad drive --help' and times as 90s do"
    return "'\(word)' is neither a key nor a time; \(hint)"
  }
}

/// A line of output for the person at the phone.
package enum DriveLine: Sendable {
  /// An action of the person or of the phone.
  case note(String)
  /// A line of the device's log, in the SDK's format.
  case log(String)
  case sent(OutgoingRequest)
  case ended(ObservedAnswer, [Finding])
}

/// An action on the network that a drive requests.
package enum DriveEffect: Sendable {
  case send(OutgoingRequest)
  case cancel(UInt64)
}

extension Drive {
  /// Returns the state of the phone in one line.
  package func status(at instant: MonotonicInstant) -> String {
    var parts = [transport == nil ? "at rest" : "\(Drive.fixed(body.speed(at: instant) * 3.6, 0)) km/h"]
    let state = host.engine.state
    if isRunning {
      if host.isHeadless { parts.append("app closed, service on") }
      parts.append(!state.isEnabled ? "tracking off" : state.isMoving ? "moving" : "stationary")
    } else {
      parts.append(isSwitchingOn ? "phone restarts" : "app closed")
    }
    parts.append("odometer \(Drive.fixed(state.odometerMetres / 1_000, 2)) km")
    parts.append("queue \(queuedCount)")
    parts.append(networkName + (inFlight.isEmpty ? "" : " ↑"))
    parts.append("battery \(Int(((battery.level ?? 0) * 100).rounded())) %")
    if isRunning {
      let timers = host.engine.runningTimers.sorted { $0.deadline < $1.deadline }
      parts += timers.prefix(2).map { "\($0.name) \(Drive.minutes(until: $0.deadline, from: instant))" }
    } else if let comesBackAt {
      parts.append("back in \(Drive.minutes(until: comesBackAt, from: instant))")
    }
    return parts.joined(separator: " · ")
  }

  private var networkName: String {
    if isInAirplaneMode { return "airplane mode" }
    if isInTunnel { return "tunnel" }
    return radio == .wifi ? "Wi-Fi" : "mobile"
  }

  private static func minutes(until deadline: MonotonicInstant, from instant: MonotonicInstant) -> String {
    let seconds = max(0, (deadline - instant).wholeMilliseconds + 999) / 1_000
    return "\(seconds / 60):\((seconds % 60).zeroPadded(to: 2))"
  }

  private static func fixed(_ number: Double, _ digits: Int) -> String {
    guard digits > 0 else { return "\(Int(number.rounded()))" }
    let hundredths = Int((number * 100).rounded())
    return "\(hundredths / 100).\((hundredths % 100).zeroPadded(to: 2))"
  }
}
