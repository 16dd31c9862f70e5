import AnswerCheck
import BackendStore
import Base
import Contract
import CurlTransport
import Database
import Host
import JSON
import Scenario
import Threads
import Upload

/// One run of a clause: its phones, what they send, what comes back, what is stored.
///
/// All that a clause does ends with a return, which means kept, or by throwing a `ClauseStop`.
final class ClauseRun {
  let clause: ConformanceClause
  let target: ConformanceTarget
  let facts: RunFacts
  let watch: AnswerWatch
  let settings: ConformanceRun.Settings
  private let deadline: RunDeadline
  /// The number of earlier restarts of the backend: records of different turns must differ.
  let turn: Int
  /// The number of earlier attempts at a busy backend.
  let attempt: Int
  private let clock = SystemClock()
  let begin = SystemClock().monotonicNow
  private var lineOfPhones: PhoneLine?
  private var stream: RandomStream
  private var phones = 0
  /// Parsed templates, by their text.
  var templates: [String: TemplateFieldPaths?] = [:]
  private var records = 0
  /// Whether records lack usual fields.
  private(set) var hasBareRecords = false
  /// A remark on the verdict "kept".
  var note = ""
  /// The field without which that verdict is reached, because the store does not show it.
  private(set) var unshown: String?
  /// The last request, for the finding.
  var lastSent: RawRequest? { didSet { lastReply = nil } }
  /// Its answer, where no phone has read it.
  var lastReply: RawConnection.RawOutcome?
  /// The device whose list was read last.
  var lastListed: String?
  /// A shell command that sends what precedes the request and is not a request itself.
  var preface: String?
  /// Whether no command line can reproduce the request, because it was sent in pieces, slowly, or with others.
  var hasNoCommandLine = false
  /// The records that the last look did not find, and those that it found more than once.
  private(set) var (missing, repeated): ([SoughtRecords], [SoughtRecords]) = ([], [])
  /// The clause that may be broken where an upload was not answered in time.
  var suspect: String?
  /// Whether the request was sent over two connections at once.
  var isSentTwice = false
  let log = SentLog()
  /// The log of the clause that has met with the answer of the finding; nil: of this one.
  var logOfOther: SentLog?

  init(
    _ clause: ConformanceClause, _ target: ConformanceTarget, _ settings: ConformanceRun.Settings, facts: RunFacts,
    watch: AnswerWatch, deadline: RunDeadline = RunDeadline(), turn: Int = 0, attempt: Int = 0
  ) {
    self.clause = clause
    self.target = target
    self.settings = settings
    self.facts = facts
    self.watch = watch.shared(with: clause.id, log)
    self.deadline = deadline
    (self.turn, self.attempt) = (turn, attempt)
    stream = RandomStream(
      seed: settings.seed, device: FNV1a.hash(clause.id),
      concern: UInt64(settings.start.millisecondsSince1970) + UInt64(turn) + UInt64(attempt) << 20)
  }

  var now: MonotonicInstant { clock.monotonicNow }
  var wallNow: WallInstant { clock.wallNow }

  var isOutOfTime: Bool { deadline.isOver }

  /// The remaining time; nil without a limit.
  var timeLeft: Nanoseconds? { deadline.end.map { $0 - now } }

  /// Throws when time is over; called before each step that takes long.
  func keepTime() throws { if isOutOfTime { throw ClauseStop.outOfTime } }

  /// Sleeps between two looks at a store, or two attempts at a busy server.
  func pause(_ milliseconds: Int) { _ = Semaphore().wait(milliseconds: milliseconds) }

  func line() throws -> PhoneLine {
    if let lineOfPhones { return lineOfPhones }
    let line = try PhoneLine(target.transport, watch: watch, log: log, deadline: deadline)
    lineOfPhones = line
    return line
  }

  /// Makes later phones use new connections. Returns the line of the earlier ones.
  func leaveLine() -> PhoneLine? {
    defer { lineOfPhones = nil }
    return lineOfPhones
  }

  /// Notes that the store does not show a field that the clause names. With `keeps` the dialect says what it shows.
  func judgeWithout(_ field: String) {
    if target.dialect.promises.kept != nil { return }
    (unshown, note) = (field, ConformanceVerdict.unshownNote(field))
  }

  func note(missing: [SentRecord], repeated: [SentRecord] = [], of device: String) {
    (self.missing, self.repeated) = (sought(missing, of: device), sought(repeated, of: device))
  }

  private func sought(_ records: [SentRecord], of device: String) -> [SoughtRecords] {
    let uuids = Set(records.map(\.uuid))
    return uuids.isEmpty ? [] : [SoughtRecords(device: device, uuids: uuids, looked: now, answered: log.lastAnswer)]
  }

  func random(below bound: Int) -> Int { stream.index(below: bound) }

  func uuid() -> UUID128 {
    let uuid = UUID128(randomHigh: stream.u64(), randomLow: stream.u64())
    log.note(uuid: uuid)
    return uuid
  }
}

/// Phones and their records.
extension ClauseRun {
  /// Returns a new phone, with tokens where the backend requires them. Its app uploads in batches.
  func phone(
    named suffix: String? = nil, signsIn: Bool = true, _ configure: (inout Configuration) -> Void = { _ in }
  ) throws -> ConformancePhone {
    phones += 1
    let again = (turn > 0 ? "-turn\(turn)" : "") + (attempt > 0 ? "-again\(attempt)" : "")
    let name = target.dialect.devices.names.name(
      for: "c\(settings.runID)\(again)-\(clause.id)-\(suffix ?? "\(phones)")")
    var tokens: DeviceTokens?
    if signsIn, facts.needsTokens { tokens = try signIn(name) }
    return try phone(exactly: name, tokens: tokens, configure)
  }

  func phone(
    exactly name: String, tokens: DeviceTokens? = nil, _ configure: (inout Configuration) -> Void = { _ in }
  ) throws -> ConformancePhone {
    try keepTime()
    try create(name)
    phones += 1
    let (target, facts, settings) = (target, facts, settings)
    let isGreeted = facts.greetsPhones && !facts.devices.contains(name)
    facts.note(device: name)
    let placeholders = DevicePlaceholders(id: name, index: phones, fleet: "conform", seed: settings.seed)
    let inURL = DevicePlaceholders(id: name.percentEncoded, index: phones, fleet: "conform", seed: settings.seed)
    let phone = try ConformancePhone(
      named: name, number: phones, seed: settings.seed, line: try line(), form: facts.form
    ) {
      draft in
      draft.http.batchSync = facts.prefersBatches
      draft.http.timeoutMilliseconds = Double(settings.answerTime.wholeMilliseconds)
      if let preset = target.dialect.preset { draft.speak(preset) }
      _ = draft.apply(placeholders.fill(target.dialect.app.document))
      draft.http.url = inURL.fill(target.url)
      if let preset = target.dialect.preset { draft.identify(name, to: preset) }
      if let tokens { draft.take(tokens) }
      draft.authorization.refreshUrl = target.refreshURL
      if draft.authorization.refreshPayload == .emptyObject {
        draft.authorization.refreshPayload = .object(["refresh_token": .string(TokenPlaceholder.refreshToken)])
      }
      configure(&draft)
    }
    phone.expectsGreeting = isGreeted
    return phone
  }

  /// Returns a record of the phone's own renderer, about a second after the last one.
  func fix(_ phone: ConformancePhone, at time: WallInstant? = nil, _ change: (inout LocationRecord) -> Void = { _ in })
    -> SentRecord
  {
    fix(phone, at: time, latitude: nil, longitude: nil, change)
  }

  func fix(
    _ phone: ConformancePhone, at time: WallInstant? = nil, latitude: Double?, longitude: Double?,
    _ change: (inout LocationRecord) -> Void = { _ in }
  ) -> SentRecord {
    records += 1
    let time = time ?? instant(records)
    var coords = Coordinates(
      latitude: latitude ?? 45.5190912 + Double(records) * 0.000137,
      longitude: longitude ?? -116.2972148 - Double(records) * 0.000211)
    (coords.accuracy, coords.speed, coords.heading, coords.altitude) = (4.5, 13.89, 271.5, 812.4)
    (coords.speedAccuracy, coords.headingAccuracy, coords.altitudeAccuracy) = (0.5, 3.0, 2.5)
    var record = LocationRecord(
      uuid: uuid(), timestamp: time, isMoving: true, odometer: 507.54 + Double(records) * 14.25, coords: coords,
      activity: Activity(.inVehicle, confidence: 92), battery: Battery(level: 0.42, isCharging: false))
    record.recordedAt = time.advanced(byMilliseconds: 140)
    record.ageMilliseconds = 140
    change(&record)
    let keysOfApp = ClauseRun.add(phone.configuration.persistence.extras, to: &record.extras)
    var renderer = RecordRenderer(phone.configuration)
    var bytes: [UInt8] = []
    let note = renderer.append(record, to: &bytes)
    return SentRecord(
      uuid: record.uuid, timestamp: record.timestamp, bytes: bytes, said: said(record, phone.configuration, note),
      keysOfApp: keysOfApp, isUsual: true)
  }

  func fixes(_ phone: ConformancePhone, _ count: Int) -> [SentRecord] { (0..<count).map { _ in fix(phone) } }

  /// Returns the times of records: minutes ago, never on a whole second.
  func instant(_ number: Int) -> WallInstant {
    settings.start.advanced(
      byMilliseconds: Int64(number) * 1_137 - 7_200_000 - settings.start.millisecondsSince1970 % 1_000 + 563)
  }

  /// Returns a record as another app or SDK version would write it; `%U` and `%L` stand for its uuid in upper and in lower case,
  /// `%T` for its time. `isBare`: a breach may be due to the fields that it lacks.
  func raw(
    _ phone: ConformancePhone, _ text: String, at time: WallInstant? = nil, isBare: Bool = true
  ) throws -> SentRecord {
    guard facts.takesDefaultSchema else {
      throw ClauseStop.notApplicable("the app of the dialect writes its records by a template")
    }
    records += 1
    if isBare { hasBareRecords = true }
    let (uuid, time) = (uuid(), time ?? instant(records))
    let filled = text.replacing("%U", with: uuid.upperCaseText).replacing("%L", with: uuid.text).replacing(
      "%T", with: time.iso8601Text)
    let (whole, keysOfApp) = ClauseRun.adding(phone.configuration.persistence.extras, to: filled)
    return SentRecord(uuid: uuid, timestamp: time, bytes: Array(whole.utf8), keysOfApp: keysOfApp)
  }

  /// Returns a record with extras, in the form of the dialect's app.
  func record(_ phone: ConformancePhone, extras text: String) -> SentRecord {
    fix(phone) { $0.extras = object(text) }
  }

  /// Does the same with the exact text of the extras, where no template must be filled in.
  func record(_ phone: ConformancePhone, verbatimExtras text: String) throws -> SentRecord {
    facts.takesDefaultSchema ? try raw(phone, with: "\"extras\":\(text)") : record(phone, extras: text)
  }

  /// Returns a usual record of the default schema, followed by other members such as `"extras":{}`.
  func raw(_ phone: ConformancePhone, with members: String, at time: WallInstant? = nil) throws -> SentRecord {
    let number = records + 1
    let place =
      "\"latitude\":\(45.5190912 + Double(number) * 0.000137),\"longitude\":\(-116.2972148 - Double(number) * 0.000211)"
    return try raw(
      phone, "{\"uuid\":\"%U\",\"timestamp\":\"%T\",\"coords\":{\(place),\"accuracy\":4.5},\(members)}", at: time)
  }
}

extension Configuration {
  /// Adds a param beside those of the app.
  mutating func addParam(_ name: String, _ value: JSONValue) {
    guard case .object(var members) = http.params else { return }
    members[name] = value
    http.params = .object(members)
  }

  mutating func take(_ tokens: DeviceTokens) {
    authorization.accessToken = tokens.access
    authorization.refreshToken = tokens.refresh
    authorization.expires = tokens.expires ?? TokenExpiry.never
  }
}

/// Commands and connections without a phone.
extension ClauseRun {
  /// Returns the commands that the backend's API can queue.
  func queueable(_ commands: [Command], atLeast count: Int = 1) throws -> [Command] {
    guard let kinds = target.commands?.kinds else { return commands }
    let queueable = commands.filter { kinds.contains($0.name) }
    guard queueable.count >= count else {
      throw ClauseStop.notApplicable("the dialect's commands.kinds has too few of the commands that it needs")
    }
    return queueable
  }

  /// Queues a command for a device at the backend, or another one where its API cannot queue this one.
  func queueAny(preferring wanted: Command = .changePace(isMoving: true), for phone: ConformancePhone) throws {
    guard let command = try queueable([wanted] + ConformanceClause.everyCommand).first else { return }
    try queue(command, for: phone)
  }

  /// Queues a command for a device at the backend.
  func queue(_ command: Command, for phone: ConformancePhone) throws {
    guard let commands = target.commands else { throw ClauseStop.notApplicable("the dialect promises no commands") }
    let list = JSONValue.array([.string(command.name.rawValue)] + (command.argument.map { [$0] } ?? []))
    let body = commands.body.filling("device", phone.name).filling("commands", JSONValue.array([list]).serializedText)
      .filling("command", list.serializedText).filling("name", command.name.rawValue)
      .filling("argument", command.argument?.serializedText ?? "null")
    let request = RawRequest(
      ofDialect: commands.method, commands.url.filling("device", phone.name.percentEncoded),
      headers: commands.headers.map { NameValuePair($0.name, $0.value) }, body: body)
    log.note(request, of: nil, .queueing)
    let (outcome, _) = target.client.ask(
      request.url, by: request.method, headers: request.headers, body: request.body)
    guard 200..<300 ~= outcome.status else {
      throw ClauseStop.notJudged("the command could not be queued: \(outcome.text)")
    }
  }

  /// Returns a connection that the clause controls byte by byte.
  func connect() throws -> RawConnection {
    log.noteBytes()
    return try newConnection()
  }

  func newConnection() throws -> RawConnection {
    do throws(ByteConnection.Failure) {
      return try RawConnection(to: target.url, over: target.transport, watch: watch, log: log)
    } catch {
      throw ClauseStop.notJudged("no connection: \(error)")
    }
  }
}
