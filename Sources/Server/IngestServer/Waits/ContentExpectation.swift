import Base
import Contract
import JSON
import Store

/// The expectation that a number of records, requests or commands of one kind arrives, or none.
struct ContentExpectation: Sendable {
  enum Kind: String, CaseIterable, Sendable {
    /// Stored records; the documents are the records as sent.
    case records
    /// Requests in the journal.
    case requests
    /// Requests that gave a device new tokens.
    case refreshes
    /// Commands in the ledger.
    case commands

    var isOfJournal: Bool { self == .requests || self == .refreshes }

    func words(_ count: Int) -> String {
      let one = self == .refreshes ? "refresh" : String(rawValue.dropLast())
      return count == 1 ? "1 \(one)" : "\(count) \(rawValue)"
    }
  }

  /// The maximum count of one expectation.
  static let countMax = 100_000
  static let keys =
    ["of", "device", "event", "operation", "status", "state", "where", "holds"] + CountRange.keys

  let kind: Kind
  let run: String
  /// The name of the device; nil for all devices of the run together.
  let device: String?
  let count: CountRange
  /// Milliseconds for which the count must stay right.
  let holds: Int64?
  /// Milliseconds after the previous step.
  let within: Int64?
  private let event: String?
  /// The minimal progress of a command.
  private let state: CommandProgress.State?
  private let conditions: [ContentCondition]
  /// Whether only refreshes that gave a device new tokens count, rather than those with a certain answer.
  private let wantsTokens: Bool

  /// Whether the contents decide.
  var looksInside: Bool { !conditions.isEmpty }
  var isUnconditional: Bool { event == nil && state == nil && conditions.isEmpty }
  /// The event of records, for the reasons of a shortfall.
  var soughtEvent: String? { event }

  init(_ fields: AdminFields, run: String, device standard: String? = nil, isStep: Bool = false) throws(FieldError) {
    self.run = run
    device = try fields.text("device") ?? standard
    kind = try Self.choice("of", fields) ?? .records
    event = try fields.text("event")
    state = try Self.choice("state", fields)
    count = try CountRange(fields, absent: 1)
    holds = try fields.milliseconds("holds")
    within = isStep ? try fields.milliseconds("within") : nil
    if count.atLeast > Self.countMax || count.atMost ?? 0 > Self.countMax {
      let key = CountRange.keys.first { fields.value($0) != nil } ?? "atLeast"
      throw FieldError(fields.place(key), .outOfRange(expected: "at most \(Self.countMax) with conditions"))
    }
    try Self.refuseForeignKeys(fields, of: kind)
    wantsTokens = kind == .refreshes && fields.value("status") == nil
    let operation: DeviceOperation? = try kind == .refreshes ? .refreshToken : Self.choice("operation", fields)
    let statuses = try wantsTokens ? 200...299 : Self.statuses(fields)
    let ofRequest = [
      operation.map { ContentCondition(path: Self.path("$.operation"), equals: .string($0.rawValue)) },
      statuses.map { ContentCondition(path: Self.path("$.status"), statuses: $0) },
    ]
    conditions = ofRequest.compactMap(\.self) + (try Self.content(fields))
  }

  /// Refuses the keys of other kinds.
  private static func refuseForeignKeys(_ fields: AdminFields, of kind: Kind) throws(FieldError) {
    for (key, kinds) in [
      ("event", [Kind.records]), ("state", [.commands]), ("operation", [.requests]),
      ("status", [.requests, .refreshes]),
    ] where fields.value(key) != nil && !kinds.contains(kind) {
      let known = kinds.map(\.rawValue).joined(separator: " or ")
      throw FieldError(fields.place(key), .outOfRange(expected: "omitted, or \"of\" to be \(known)"))
    }
  }

  private static func path(_ text: String) -> JSONPath {
    guard let path = JSONPath(text) else { preconditionFailure("\(text) is a path") }
    return path
  }

  private static func choice<Choice: RawRepresentable<String>>(
    _ key: String, _ fields: AdminFields
  ) throws(FieldError) -> Choice? where Choice: ExpectationChoice {
    guard let text = try fields.text(key) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let known = Choice.choices
      let near = NearestName.find(text, in: known).map { "; did you mean \($0)?" } ?? ""
      let expected = "one of \(known.joined(separator: ", "))\(near)"
      throw FieldError(fields.place(key), .outOfRange(expected: expected))
    }
    return choice
  }

  /// Reads a number, or a class such as `5xx`.
  private static func statuses(_ fields: AdminFields) throws(FieldError) -> ClosedRange<Int>? {
    let expected = "a status such as 404, or a class such as \"4xx\""
    switch fields.value("status") {
    case nil: return nil
    case .integer(let status) where (100...599).contains(status): return Int(status)...Int(status)
    case .string(let text):
      let digits = text.hasSuffix("xx") ? Int(text.dropLast(2)) : nil
      guard let digits, (1...5).contains(digits) else { break }
      return digits * 100...digits * 100 + 99
    default: break
    }
    throw FieldError(fields.place("status"), .outOfRange(expected: expected))
  }

  private static func content(_ fields: AdminFields) throws(FieldError) -> [ContentCondition] {
    guard let value = fields.value("where") else { return [] }
    guard case .array(let list) = value, list.count <= ContentCondition.conditionsMax else {
      let expected = "a list of at most \(ContentCondition.conditionsMax) conditions"
      throw FieldError(fields.place("where"), .outOfRange(expected: expected))
    }
    var conditions: [ContentCondition] = []
    for (index, element) in list.enumerated() {
      conditions.append(try ContentCondition(element, at: "\(fields.place("where"))[\(index)]"))
    }
    return conditions
  }
}

/// A key of an expectation that has a few possible values.
protocol ExpectationChoice {
  static var choices: [String] { get }
}

extension ContentExpectation.Kind: ExpectationChoice {
  static var choices: [String] { allCases.map(\.rawValue) }
}

extension DeviceOperation: ExpectationChoice {
  static var choices: [String] { allCases.map(\.rawValue) }
}

extension CommandProgress.State: ExpectationChoice {
  static let choices = [CommandProgress.State.queued, .sent, .delivered, .confirmed, .expired].map(\.rawValue)

  /// Returns whether the other state implies this one: a delivered command was sent.
  fileprivate func includes(_ state: CommandProgress.State) -> Bool {
    let way = [CommandProgress.State.queued, .sent, .delivered, .confirmed]
    guard let own = way.firstIndex(of: self), let other = way.firstIndex(of: state) else { return self == state }
    return other >= own
  }
}

extension ContentExpectation {
  /// Returns the differences from the expectation; empty when there are none.
  func differences(_ document: JSONValue, event found: String? = nil, state came: CommandProgress.State? = nil)
    -> [String]
  {
    var differences: [String] = []
    if let event, event != found ?? "" { differences.append("event is \(found ?? "none"), expected \(event)") }
    if let state, let came, !state.includes(came) {
      differences.append("state is \(came.rawValue), expected \(state.rawValue)")
    }
    if wantsTokens, case .object(let request) = document, case .string(let fault)? = request["fault"],
      ServerFault.Kind(rawValue: fault)?.spoilsAnswer ?? true
    {
      differences.append("$.fault is \(fault), which keeps the tokens from the device")
    }
    return differences + conditions.compactMap { $0.failure(in: document) }
  }

  /// Returns when a command reached the expected state, in milliseconds since 1970: later states do not move it after others.
  func instant(of line: CommandProgress) -> Int64 {
    let instant: Int64? =
      switch state {
      case nil, .queued: line.createdAt
      case .sent: line.sentAt
      case .delivered: line.deliveredAt
      case .confirmed: line.confirmedAt
      case .expired: line.expiresAt
      }
    return instant ?? line.createdAt
  }

  /// Returns why it is unknown whether a request matches; nil when it is known. `cut` tells why contents are incomplete.
  func unknown(in document: JSONValue, cut contents: () -> [String: String]) -> String? {
    guard conditions.contains(where: { ["body", "answer"].contains($0.path.firstName) }) else { return nil }
    let cut = contents()
    guard !cut.isEmpty else { return nil }
    var unknown: String?
    for condition in conditions {
      if let cause = condition.path.firstName.flatMap({ cut[$0] }), !condition.isFound(in: document) {
        unknown = unknown ?? "\(condition.path.text) is not known: \(cause)"
      } else if condition.failure(in: document) != nil {
        return nil
      }
    }
    return unknown
  }
}

/// The plan of a wait or a check: one expectation, or several that are met in sequence.
struct WaitPlan: Sendable {
  static let stepsMax = 20
  private static let graceMax: Int64 = 60_000
  private static let standardMilliseconds: Int64 = 10_000

  /// Keys that only plans with conditions have.
  static let ownKeys = ["of", "operation", "status", "state", "where", "holds", "grace", "inOrder"]

  let run: String
  let steps: [ContentExpectation]
  /// Milliseconds; nil for a check, which looks once.
  let timeout: Int64?
  /// Milliseconds to keep looking after the timeout, to report what came too late.
  let grace: Int64
  /// The earliest time of arrival that counts, in milliseconds since 1970.
  let from: Int64
  /// Whether only later arrivals count.
  let isFromNow: Bool

  init(_ body: JSONValue, of exchange: Exchange, isCheck: Bool) throws(FieldError) {
    let outer = ["run", "since", "inOrder"] + (isCheck ? [] : ["timeout", "grace", "count"])
    if let uuids = body["uuids"], uuids != .null {
      let expected = "omitted beside conditions; to select records, use a where with the path $.uuid and \"in\""
      throw FieldError("uuids", .outOfRange(expected: expected))
    }
    let fields = try AdminFields(body, knows: outer + ContentExpectation.keys)
    run = try fields.run(within: exchange)
    (from, isFromNow) = try Self.start(fields, exchange, isCheck: isCheck)
    steps = try Self.steps(fields, run: run)
    if isCheck, steps.contains(where: { $0.holds != nil }) {
      throw FieldError("holds", .outOfRange(expected: "omitted: verify checks once; use await"))
    }
    let held = steps.reduce(0) { $0 + ($1.holds ?? 0) }
    if isCheck {
      (timeout, grace) = (nil, 0)
    } else {
      let said = try fields.milliseconds("timeout")
      timeout = said ?? Self.standardMilliseconds + held
      grace = try fields.milliseconds("grace") ?? 0
      guard grace <= Self.graceMax else { throw FieldError("grace", .outOfRange(expected: "at most 60s")) }
    }
    if let timeout, timeout < held {
      throw FieldError("timeout", .outOfRange(expected: "at least as long as holds"))
    }
  }

  /// Reads the expectations: one, or those of `inOrder`.
  private static func steps(_ fields: AdminFields, run: String) throws(FieldError) -> [ContentExpectation] {
    guard let list = fields.value("inOrder") else { return [try ContentExpectation(fields, run: run)] }
    guard case .array(let elements) = list, (1...stepsMax).contains(elements.count) else {
      throw FieldError("inOrder", .outOfRange(expected: "a list of 1 to \(stepsMax) expectations"))
    }
    for key in ContentExpectation.keys + ["count"] where key != "device" && fields.value(key) != nil {
      throw FieldError(key, .outOfRange(expected: "in the elements of inOrder"))
    }
    let device = try fields.text("device")
    var steps: [ContentExpectation] = []
    for (index, element) in elements.enumerated() {
      let step = try AdminFields(element, at: "inOrder[\(index)]", knows: ContentExpectation.keys + ["within"])
      let expectation = try ContentExpectation(step, run: run, device: device, isStep: true)
      let isLast = index == elements.count - 1
      if !isLast, expectation.count.atMost != nil, expectation.holds == nil {
        throw FieldError(
          step.place("holds"), .outOfRange(expected: "given in a step that has exactly or atMost and is not the last"))
      }
      steps.append(expectation)
    }
    return steps
  }

  private static func start(
    _ fields: AdminFields, _ exchange: Exchange, isCheck: Bool
  ) throws(FieldError) -> (from: Int64, isFromNow: Bool) {
    let text = try fields.text("since")
    switch text {
    case nil, "start": return (.min, false)
    case "now" where !isCheck: return (exchange.receivedAt.millisecondsSince1970, true)
    case let text?:
      guard let instant = WallInstant(iso8601: text.utf8.span) else {
        let words = isCheck ? "a time" : "start (all there is), now, or a time"
        throw FieldError("since", .outOfRange(expected: "\(words), such as 2026-07-28T18:34:23.000Z"))
      }
      return (instant.millisecondsSince1970, false)
    }
  }
}
