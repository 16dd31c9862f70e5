import BackendStore
import Base
import Explain

extension Subcommand {
  static let explain = Subcommand(
    name: "explain",
    summary: "explain what happened to a record, or why none was recorded, with the log lines as evidence",
    operands: "UUID | DEVICE [FROM TO]",
    operandCount: 1...3,
    operandHint: "the uuid of a record, or the name of a device and two times",
    flags: [
      .values("log", "FILE", "log of the phone's SDK, of iOS or Android, also gzipped"),
      .value("journal", "DIR|URL", "data folder of 'serve', or the URL of a server that has a journal of requests"),
      .value("dialect", "FILE", "dialect file: how to read the backend's store [the store of --journal]"),
      .value("target", "URL", "the backend, for a dialect with relative paths", standard: "http://127.0.0.1:8080"),
    ] + VerifyFlag.all + [
      .value("admin-token", "TOKEN", "admin token of a Rolling Road server", isSecret: true),
      .values(
        "device", "NAME",
        "another device to look under; for a UUID, the first --device is the one it belongs to, unless the requests name it"
      ),
      .value("run", "NAME", "the run of a data folder in which to look"),
      .value("gap", "SPAN", "report gaps longer than this", standard: "60s"),
      .value("utc-offset", "OFFSET", "the phone's clock against UTC, such as -04:00 [as the log shows it]"),
      .toggle("json", "print one JSON object"),
    ] + SecurityFlags.trust,
    details: """
      Combines what the phone's log shows (recorded, sent, answered, deleted), what the journal of a server has recorded, and
      what the store has. The first line is the verdict; the evidence and the remedy follow.

      FROM and TO are instants (2026-07-28T15:11:00-04:00) or times of the phone's clock (15:11, '2026-07-28 15:11:30'). Without
      them all gaps of the log are listed.

      A record is stored, waiting, refused, deleted by the phone, quarantined, acknowledged and lost, stored twice, stored
      changed, or under another device. A gap is stationary, suspended, terminated, below-distance-filter, no-fix, rejected,
      not-kept, no-permission, schedule, stopped, or unknown.

      exit code: 0 when nothing is wrong with the backend, 98 when something that it acknowledged is lost, duplicated, changed
      or under another device, 99 when a record is refused, 97 when the sources are insufficient, 1 when one cannot be read.
      """,
    examples: ["rollingroad explain phone-1 --log phone.log"],
    run: { (invocation) throws(UsageError) in try ExplainCommand(invocation).run() })
}

/// One question to `explain`.
struct ExplainCommand {
  private enum Question {
    case record(UUID128)
    case device(String, from: TimeWord?, to: TimeWord?)
  }

  private let process: ProcessContext
  private let question: Question
  private let logs: [String]
  private let sources: ExplainSources
  private let gapMilliseconds: Int64
  private let zone: LogZone?
  private let isJSON: Bool

  init(_ invocation: Invocation) throws(UsageError) {
    let values = invocation.values
    process = invocation.process
    question = try ExplainCommand.question(invocation.operands)
    // A repeated log is read once.
    logs = values.texts("log").reduce(into: []) { logs, log in if !logs.contains(log) { logs.append(log) } }
    sources = try ExplainSources(values, process)
    isJSON = values.isOn("json")
    gapMilliseconds =
      try values.read("gap", expected: "a duration above zero, such as 60s") { text in
        Nanoseconds(text: text).flatMap { $0 > .zero ? $0.wholeMilliseconds : nil }
      } ?? 60_000
    zone = try values.read("utc-offset", expected: "an offset such as -04:00, or Z") { TimeWord.offsetMinutes($0) }
      .map { LogZone(offsetMinutes: $0) }
    guard !logs.isEmpty || sources.canAnswer else {
      throw UsageError("no source is named: give --log, --journal, --dialect or --verify")
    }
  }

  private static func question(_ operands: [String]) throws(UsageError) -> Question {
    if let uuid = UUID128(stored: operands[0].utf8.span) {
      guard operands.count == 1 else { throw UsageError("unexpected '\(operands[1])' after the uuid") }
      return .record(uuid)
    }
    guard !isLikeUUID(operands[0]) else {
      throw UsageError(
        "'\(operands[0])' is no uuid: one has 32 hexadecimal digits, as 3f2504e0-4f89-41d3-9a0c-0305e82c3301")
    }
    guard operands.count != 2 else { throw UsageError("TO is missing: DEVICE FROM TO") }
    guard operands.count == 3 else { return .device(operands[0], from: nil, to: nil) }
    let times = try operands[1...].map { (text) throws(UsageError) in
      guard let word = TimeWord(text) else {
        throw UsageError("'\(text)' is not a time such as 15:11, '2026-07-28 15:11:30' or 2026-07-28T15:11:00-04:00")
      }
      return word
    }
    return .device(operands[0], from: times[0], to: times[1])
  }

  /// Whether a text was meant as a uuid: nearly as many digits, in groups.
  private static func isLikeUUID(_ text: String) -> Bool {
    let digits = text.count(where: \.isHexDigit)
    return (28...36).contains(digits) && text.count { $0 == "-" } >= 3 && text.allSatisfy { $0.isHexDigit || $0 == "-" }
  }

  func run() throws(UsageError) -> ExitCode {
    do throws(SourceError) {
      let explanation = try explain()
      process.writeOutput(isJSON ? explanation.json : ExplanationText(explanation).text)
      return explanation.outcome.exitCode
    } catch {
      process.writeError("rollingroad explain: \(error.message)")
      return .runtimeFailure
    }
  }

  private func explain() throws(SourceError) -> Explanation {
    switch question {
    case .record(let uuid):
      let stories = try read(of: uuid)
      let join = try sources.join(stories, of: uuid, device: nil)
      return Explanation(of: uuid, join)
    case .device(let device, let from, let to):
      let stories = try read(of: nil)
      let start = try from.map { (word) throws(SourceError) in try word.instant(in: stories, after: nil) }
      let end = try to.map { (word) throws(SourceError) in try word.instant(in: stories, after: start) }
      if let start, let end, end <= start { throw SourceError(message: "TO is not after FROM") }
      let join = try sources.join(stories, of: nil, device: device)
      return Explanation(of: device, from: start, to: end, gapMilliseconds: gapMilliseconds, join)
    }
  }

  private func read(of uuid: UUID128?) throws(SourceError) -> [LogStory] {
    var stories: [LogStory] = []
    let logs = try LogFile.inOrder(logs)
    for (index, log) in logs.enumerated() {
      let next = index + 1 < logs.count ? logs[index + 1].begin : nil
      let story = LogStory(
        file: log.path, of: uuid, gapsAbove: gapMilliseconds, zone: zone, after: stories.last, before: next)
      stories.append(try LogFile.read(log.path, into: story))
    }
    return stories
  }
}

extension Explanation.Outcome {
  fileprivate var exitCode: ExitCode {
    switch self {
    case .innocent: .ok
    case .refused: .thresholdFailed
    case .broken: .invariantViolated
    case .unknown: .runInvalid
    }
  }
}

/// The reason why a source could not be read, as a sentence.
struct SourceError: Error {
  let message: String
}

extension SourceError {
  init(unread error: StoreViewError) { self.init(message: "the store could not be read: \(error.text)") }
}

/// A time on the command line.
struct TimeWord {
  /// With a zone, an instant; otherwise local time of the phone, with or without a date.
  private enum Meaning {
    case instant(WallInstant)
    case clock(WallInstant)
    case timeOfDay(Int64)
  }

  private let meaning: Meaning
  private let text: String

  init?(_ text: String) {
    self.text = text
    if let instant = WallInstant(iso8601: text.utf8.span) {
      meaning = .instant(instant)
      return
    }
    let spelled = text.contains("T") ? text : text.split(separator: " ").joined(separator: "T")
    let seconds = spelled.split(separator: ":").count == 2 ? ":00" : ""
    if let clock = WallInstant(iso8601: "\(spelled)\(seconds)Z".utf8.span) {
      meaning = .clock(clock)
    } else if let day = WallInstant(iso8601: "1970-01-01T\(spelled)\(seconds)Z".utf8.span) {
      meaning = .timeOfDay(day.millisecondsSince1970)
    } else {
      return nil
    }
  }

  /// Returns the instant. A time without a date is the first such time in the log, after `start` if there is one.
  func instant(in logs: [LogStory], after start: WallInstant?) throws(SourceError) -> WallInstant {
    let log = logs.first { $0.span != nil }
    let offset = Int64(log?.zone.offsetMinutes ?? 0) * 60_000
    switch meaning {
    case .instant(let instant): return instant
    case .clock(let clock): return try moved(clock, by: -offset)
    case .timeOfDay(let milliseconds):
      guard let span = log?.span else {
        throw SourceError(message: "'\(text)' has no date, and there is no log to take it from")
      }
      let begin = start ?? span.lowerBound
      let first = try moved(WallInstant(try moved(begin, by: offset).civilDate), by: milliseconds - offset)
      let next = try moved(first, by: 86_400_000)
      // The log may begin shortly after the time in question.
      let isPassed = start == nil ? first < begin && next <= span.upperBound : first <= begin
      return isPassed ? next : first
    }
  }

  private func moved(_ instant: WallInstant, by milliseconds: Int64) throws(SourceError) -> WallInstant {
    guard let moved = instant.moved(byMilliseconds: milliseconds) else {
      throw SourceError(message: "'\(text)' is beyond the years 1 to 9999")
    }
    return moved
  }

  /// Parses `-04:00`, `+05:30`, `Z`.
  static func offsetMinutes(_ text: String) -> Int? {
    guard let instant = WallInstant(iso8601: "2000-01-01T12:00:00\(text)".utf8.span),
      let noon = WallInstant(iso8601: "2000-01-01T12:00:00Z".utf8.span)
    else { return nil }
    return Int(noon.milliseconds(since: instant) / 60_000)
  }
}
