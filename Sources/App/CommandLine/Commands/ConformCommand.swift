import Base
import Conformance
import CurlTransport
import Scenario
import Synchronization

extension Subcommand {
  static let conform = Subcommand(
    name: "conform",
    summary: "test a backend clause by clause, and verify the result in its own store",
    operands: "",
    operandCount: 0...0,
    flags: [
      .value("target", "URL", "the server, or the full URL for uploads", standard: "http://127.0.0.1:8080"),
      .value("dialect", "FILE", "dialect file: how to call the backend, and what it guarantees [the preset's]"),
      .value("preset", "NAME", "\(TargetPreset.names): a built-in dialect"),
    ] + VerifyFlag.all + [
      .value("admin-token", "TOKEN", "admin token of a Rolling Road server", isSecret: true),
      .value(
        "restart", "COMMAND",
        "shell command that ends the backend with the signal in $SIGNAL (TERM or KILL) and starts it again"),
      .value("only", "LIST", "these clauses or groups of them, such as batch-all-stored,http [all]"),
      .value("skip", "LIST", "clauses to skip"),
      .value("seed", "SEED", "random seed of what is sent; uuids are always new [a new one each time]"),
      .value("jobs", "N", "number of clauses to run in parallel [6; 24 for a slow backend that can handle it]"),
      .value("time-limit", "SPAN", "time for the whole run; clauses after it are not judged", standard: "60s"),
      .value("out", "DIR", "write report.md, junit.xml, conformance.json and badge.txt there"),
      .toggle("strict", "fail when the store was not checked, or only in part"),
      .toggle("list", "print the clauses and exit"),
      .toggle("json", "with --list: as JSON"),
      .toggle("reference", "with --list: as Markdown, with the reasons"),
      .toggle("learn", "write a draft dialect from a few probe requests, and exit"),
      .toggle("verbose", "also print passed clauses as they complete"),
      .toggle("yes-this-is-my-server", "allow bad input to be sent to a target on another machine"),
    ] + SecurityFlags.trust + [SecurityFlags.http2],
    details: """
      Each clause is a promise that the SDK needs a backend to keep. It is provoked with the SDK's own engine, queue and
      uploader over real connections, and judged by what the backend answers and by what it has stored afterwards. A clause
      is kept, broken, not applicable (the backend does not promise it, or the app of the dialect does not send it) or
      not judged (the store could not be read, or other clauses are broken).

      The suite sends bad records, incomplete requests and floods, under devices of its own, whose names begin with 'c'; in
      devices-look-alike some begin with a digit, and with devices.names of a dialect all have its form. Targets that are
      not this machine need --yes-this-is-my-server.

      exit code: 0 when all clauses that were judged are kept, 98 when a 'must' is broken, 99 when only a 'should' is,
      97 when nothing could be judged, the store that was named could not be read, the time limit was too short, or, with
      --strict, the store was not checked, 105 after Ctrl-C without a broken 'must', 1 when the files of --out could not
      be written, 2 when the command line or the dialect has a mistake: nothing was sent then.
      """,
    examples: [
      "rollingroad conform --target http://127.0.0.1:8080 --preset rollingroad",
      "rollingroad conform --list",
    ],
    run: { (invocation) throws(UsageError) in try ConformCommand(invocation).run() })
}

extension DialectVerification {
  /// Reads from there instead of the place in the dialect.
  fileprivate mutating func read(_ place: VerifyFlag) {
    switch place {
    case .url(let url): (self.url, self.place) = (url, StorePlace())
    case .place(let place): (url, self.place) = (nil, place)
    }
  }
}

/// One run of `conform`.
struct ConformCommand {
  private let process: ProcessContext
  private let target: ConformanceTarget
  private let settings: ConformanceRun.Settings
  private let output: String?
  private let seed: UInt64
  private let isVerbose: Bool
  private let isStrict: Bool
  /// The text that is printed instead of a run.
  private let listing: String?
  private let learns: Bool

  init(_ invocation: Invocation) throws(UsageError) {
    let values = invocation.values
    process = invocation.process
    let dialect = try ConformCommand.dialect(values, process)
    let base = values.text("target") ?? ""
    let address = URLParts(base)
    guard address.isHTTP else {
      throw UsageError("--target: '\(base)' is not a URL such as http://127.0.0.1:8080")
    }
    guard !address.authority.contains("@") else {
      throw UsageError(
        "--target: '\(address.withoutUser)' has a user name, which phones do not send: give it as a header, `app: { http: { headers: { Authorization: \"Basic …\" } } }` in the dialect"
      )
    }
    if let path = dialect.uploadPath, !["", "/", path].contains(String(address.path)) {
      throw UsageError(
        "--target: it ends with '\(address.path)', and the 'path' of the dialect is '\(path)': name the server alone, or leave 'path' out"
      )
    }
    if values.isOn("learn"), values.text("out") != nil {
      throw UsageError("--out: --learn prints a dialect, and writes no files")
    }
    try SecurityFlags.check(values, process)
    target = ConformanceTarget(
      base, dialect, adminToken: values.text("admin-token"), over: TransportConfiguration(values))
    (learns, isVerbose, isStrict) = (values.isOn("learn"), values.isOn("verbose"), values.isOn("strict"))
    let lists = values.isOn("list")
    for flag in ["json", "reference"] where values.isOn(flag) && !lists {
      throw UsageError("--\(flag) is a form of --list; --out DIR writes the results of a run in several forms")
    }
    output = values.text("out")
    if !lists, !target.isLocal, !values.isOn("yes-this-is-my-server") {
      throw UsageError(
        "\(target.url) is not this machine, and the suite sends bad input and floods: add --yes-this-is-my-server if it is yours to test"
      )
    }
    seed =
      try values.read("seed", expected: "a whole number, or hexadecimal such as 0x1f") { text in
        text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
      } ?? UInt64.random(in: 0...UInt64.max)
    var settings = ConformanceRun.Settings(seed: seed, start: SystemClock().wallNow)
    settings.only = try ConformCommand.clauses(values, "only")
    settings.skip = try ConformCommand.clauses(values, "skip") ?? []
    settings.jobs =
      try values.read("jobs", expected: "a number from 1 to 32") { text in
        Int(text).flatMap { (1...32).contains($0) ? $0 : nil }
      }
    settings.timeLimit =
      try values.read("time-limit", expected: "a duration of 20 s or more, such as 5m") { text in
        Nanoseconds(text: text).flatMap { $0 >= .seconds(20) ? $0 : nil }
      }
    self.settings = settings
    let list = ConformanceList(settings)
    listing =
      !lists ? nil : values.isOn("json") ? list.json : values.isOn("reference") ? ConformanceList.markdown : list.text
  }

  static func dialect(_ values: FlagValues, _ process: ProcessContext) throws(UsageError) -> Dialect {
    var dialect = Dialect()
    if let flag = values.value("dialect") {
      guard let text = try process.readText(flag.text) else {
        throw UsageError("\(flag.origin): cannot read '\(flag.text)'")
      }
      do throws(ScenarioErrors) {
        dialect = try DialectReader(variable: process.variable).read(text)
      } catch {
        throw UsageError(error.all.map { $0.text(sources: [flag.text]) }.joined(separator: "\n"))
      }
    }
    if let preset = try values.read("preset", expected: "one of \(TargetPreset.names)", TargetPreset.init(rawValue:)) {
      dialect.preset = preset
    }
    if let place = try VerifyFlag(values) { dialect.verification.read(place) }
    dialect.verification.records =
      try VerifyFlag.path(values, in: dialect.verification.url) ?? dialect.verification.records
    if values.text("restart") == "" { throw UsageError("--restart: the command is empty") }
    dialect.restart = values.text("restart") ?? dialect.restart
    return dialect
  }

  /// Parses the ids of clauses, or the first words of groups.
  private static func clauses(_ values: FlagValues, _ flag: String) throws(UsageError) -> Set<String>? {
    guard let value = values.value(flag) else { return nil }
    var ids: Set<String> = []
    for name in value.text.split(separator: ",").map({ String($0.drop { $0 == " " }) }) {
      let found = ConformanceClause.all.filter { $0.id == name || $0.group.name == name }.map(\.id)
      guard !found.isEmpty else {
        let known = ConformanceClause.all.map(\.id) + ClauseGroup.allCases.map(\.name)
        let near = NearestName.find(name, in: known).map { "; did you mean '\($0)'?" } ?? "; --list names them"
        throw UsageError("\(value.origin): no clause '\(name)'\(near)")
      }
      ids.formUnion(found)
    }
    guard !ids.isEmpty else {
      throw UsageError("\(value.origin): it is empty; name clauses or groups of them, as --list does")
    }
    return ids
  }

  func run() throws(UsageError) -> ExitCode {
    if let listing {
      process.writeOutput(listing)
      return .ok
    }
    if learns {
      guard let text = DialectProposal(target).text else {
        process.writeError("rollingroad conform: no upload was answered by \(target.url): is the server there?")
        return .runInvalid
      }
      process.writeOutput(text)
      return .ok
    }
    let folder: OutputFolder?
    do { folder = try output.map { path throws in try OutputFolder(path) } } catch {
      throw UsageError("--out: \(error)")
    }
    let run = ConformanceRun(target, settings)
    if process.ownsSignals {
      do { try EndingSignals.listen { run.interrupt() } } catch { process.writeError("rollingroad conform: \(error)") }
    }
    let summary = judge(run)
    process.writeOutput(text(summary).text)
    do {
      if let folder {
        folder.remove(ConformanceFiles.namesOfReproductions)
        for file in ConformanceFiles(summary).all { try folder.write(file.text, to: file.name) }
        process.writeError(
          "written to \(output ?? ""): \(ConformanceFiles(summary).all.map(\.name).joined(separator: ", "))")
      }
    } catch {
      process.writeError("rollingroad conform: \(error)")
      return summary.exitCode(isStrict: isStrict).withoutFiles
    }
    return summary.exitCode(isStrict: isStrict)
  }

  private func judge(_ run: ConformanceRun) -> ConformanceSummary {
    let clock = SystemClock()
    let begin = clock.monotonicNow
    let total = run.clauses.count
    let (isTerminal, isVerbose) = (process.errorIsTerminal, isVerbose)
    let raw = SharedOutput(process.writeRaw)
    let lines = Mutex<[String]>([])
    let empty = text(ConformanceSummary([], of: target, settings, seconds: 0))
    let tell: @Sendable (ClauseResult, Int) -> Void = { result, count in
      if isVerbose {
        lines.withLock { _ in raw.write(empty.line(result) + "\n") }
      } else if isTerminal {
        let clause = result.clause.id
        lines.withLock { _ in raw.write("\r\u{1B}[K\(count) of \(total)  \(clause)") }
      }
    }
    let results = run.run(tell)
    if isTerminal && !isVerbose { process.writeRaw("\r\u{1B}[K") }
    var summary = ConformanceSummary(results, of: target, settings, seconds: (clock.monotonicNow - begin).seconds)
    (summary.wasInterrupted, summary.command) = (run.wasInterrupted, command)
    return summary
  }

  /// The command line without secrets and without what each finding contains itself.
  private var command: String {
    var words = process.arguments
    for flag in ["--only", "--skip", "--seed", "--out"] {
      while let place = words.firstIndex(where: { $0 == flag || $0.hasPrefix(flag + "=") }) {
        words.removeSubrange(place..<min(words.count, place + (words[place] == flag ? 2 : 1)))
      }
    }
    // The value of a token is in the word after its flag.
    for place in words.indices.dropFirst() where words[place - 1] == "--admin-token" { words[place] = "…" }
    return "rollingroad " + words.map { SecretRedaction.removed(from: $0).shellWord }.joined(separator: " ")
  }

  private func text(_ summary: ConformanceSummary) -> ConformanceText {
    ConformanceText(
      summary, width: process.errorWidth() ?? 80, hasColours: process.outputIsColoured, folder: output)
  }
}

/// Passes a function of the process context, which is called under a lock, to the threads of a run.
struct SharedOutput: @unchecked Sendable {
  let write: (String) -> Void

  init(_ write: @escaping (String) -> Void) { self.write = write }
}

extension ConformanceSummary {
  /// `isStrict`: unchecked clauses are not a success.
  fileprivate func exitCode(isStrict: Bool) -> ExitCode {
    switch outcome {
    case .allKept where isStrict && !reservations.isEmpty: .runInvalid
    case .allKept: .ok
    case .interrupted: .stoppedBySignal
    case .mustBroken: .invariantViolated
    case .shouldBroken: .thresholdFailed
    case .storeUnread, .outOfTime, .nothingJudged: .runInvalid
    }
  }
}
