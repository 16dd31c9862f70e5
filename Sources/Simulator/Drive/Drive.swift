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

/// One phone that a person steers: the real engine, queue and uploader, in whatever time the caller lets pass. It says
/// when it is to be called, which requests are to be sent, and what there is to read.
package struct Drive {
  package private(set) var checker = AnswerChecker()
  /// What there is to read since the last time it was taken.
  var lines: [DriveLine] = []
  /// The last exchange, whole.
  package private(set) var lastAnswer: ObservedAnswer?

  let settings: DriveSettings
  let database: QueueDatabase
  let scratch = HostScratch()
  /// Stays when the app is gone: what it asked of the phone.
  var host: DeviceHost
  var phone: DrivenPhone
  var isRunning = false
  var isInBackground = false
  var launches: UInt64 = 0
  /// The phone is off until then; nil while it is on, whether or not its app runs.
  var comesBackAt: MonotonicInstant?
  /// The phone was off, and the app has not run since.
  var hasRebooted = false
  /// iOS, while the app does not run.
  var fetchesAt: MonotonicInstant?

  var body: Body
  var transport: Transport?
  var ways: UInt64 = 0
  var receiver: Receiver
  var activity: ActivitySensor
  var nextFix: MonotonicInstant?
  /// What is overdue is due then: time does not go back.
  var reached: MonotonicInstant
  var battery = Battery(level: 0.9, isCharging: false)
  var geofences = 0

  var isScreenOn = true
  var isInTunnel = false
  var isInAirplaneMode = false
  var radio = Connectivity.wifi
  var connectivity = Connectivity.none
  /// Sent, and not ended yet.
  var inFlight: [UInt64: OutgoingRequest] = [:]
  var orders: [DriveEffect] = []
  private let rows = RowCount()
  /// Records that the phone deleted on the success of a page for people, which no backend has sent.
  private var misledCount = 0

  static let identityStreamID: UInt64 = 1 << 32

  /// A second drive with one seed makes records of its own.
  static func identity(_ seed: UInt64, from start: Moment, launch: UInt64) -> RandomStream {
    RandomStream(
      seed: seed, device: UInt64(bitPattern: start.wall.millisecondsSince1970), concern: identityStreamID + launch)
  }

  /// The app is opened and starts tracking.
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

  package mutating func takeOrders() -> [DriveEffect] {
    defer { orders = [] }
    return orders
  }

  var isSwitchingOn: Bool { comesBackAt != nil }

  /// Records that wait on the phone.
  package var queuedCount: Int { host.queue.count }
  package var hasRequestsInFlight: Bool { !inFlight.isEmpty }

  /// What has become of the records.
  package var account: String {
    let misled = misledCount > 0 ? ", \(misledCount) deleted after an HTML page with a success" : ""
    return
      "\(rows.made.of("record")) made, \(rows.uploaded - misledCount) uploaded\(misled), \(queuedCount) still on the phone"
  }

  /// The end of a request that was ordered; one that was given up meanwhile changes nothing.
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

  /// What follows at once from what just happened, and what the app did to its queue.
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

  /// After each call of the host: does what it leaves to its phone.
  mutating func applyEffects(at now: Moment) {
    var effects = host.takeEffects()
    while !effects.isEmpty {
      for effect in effects {
        phone.perform(effect, at: now)
        if case .demand(.activityUpdates(let isOn)) = effect { activity.ask(at: isOn ? now.monotonic : nil) }
        if case .uploadLog(let url) = effect {
          host.uploadLog(to: url, gzip: phone.compressedLog, completion: nil, at: now)
        }
      }
      effects = host.takeEffects()
    }
  }

  /// Everything is in memory; this only ends the group.
  func commit() throws(DatabaseError) { try database.commit() }
}

/// What has become of the records of a drive.
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

/// One word of a script.
package enum DriveStep: Equatable, Sendable {
  case press(DriveKey)
  /// By the clock of the phone.
  case wait(Nanoseconds)
  /// Until nothing waits in the queue and no request is under way, at most so long.
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

  /// Words between white space; from a `#` on the rest of a line is a remark.
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

/// A word of a script that means nothing.
package struct DriveScriptError: Error, Equatable, CustomStringConvertible {
  package let word: String

  package var description: String {
    let near = NearestName.find(word, in: DriveKey.allCases.map(\.rawValue) + ["drain"])
    let hint = near.map { "did you mean '\($0)'?" } ?? "keys, words of 'rollingroad drive --help' and times as 90s do"
    return "'\(word)' is neither a key nor a time; \(hint)"
  }
}

/// Something for the person at the phone to read.
package enum DriveLine: Sendable {
  /// What the person did, or what the phone did by itself.
  case note(String)
  /// A line of the device's log, as the SDK writes it.
  case log(String)
  case sent(OutgoingRequest)
  case ended(ObservedAnswer, [Finding])
}

/// What the network is to do.
package enum DriveEffect: Sendable {
  case send(OutgoingRequest)
  case cancel(UInt64)
}

extension Drive {
  /// The phone in one line.
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
