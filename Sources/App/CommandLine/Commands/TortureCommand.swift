import Base
import FleetSimulator
import Oracle
import Scenario
import Store

extension Subcommand {
  static let torture = Subcommand(
    name: "torture",
    summary: "look for violations with random scenarios and faults",
    operands: "MINUTES [SEED]",
    operandCount: 1...2,
    flags: [
      .value("seeds", "N", "stop after N seeds"),
      .values(
        "cover", "GOAL", "fail unless this situation occurred, named as in a scenario's coverage; all: every situation"),
      .value("out", "DIR", "folder for the bundles of seeds that fail", standard: "torture"),
      .value(
        "processes", "N|auto", "run seeds in N processes side by side; auto takes one for each processor",
        standard: "auto"),
      .toggle("dry-run", "print the scenario of SEED, and do not run it"),
    ],
    details: """
      Generates a random scenario from each seed and runs it in virtual time with all invariants checked, for MINUTES. SEED is
      the first seed (1 when none is given); the next ones count up. Several processes run seeds side by side. A seed is
      printed before its run, so that you know which one it was if a run hangs; --dry-run shows its scenario. Ctrl-C stops
      it and prints what was found. A seed that violates an invariant leaves a bundle for 'rollingroad replay', and the exit
      code is 98; a device that never advances ends its own run alone, and the exit code is then 1. The situations that
      occurred are listed at the end; with --cover the exit code is 110 when one did not occur.
      """,
    run: { (invocation) throws(UsageError) in try TortureCommand(invocation).run() })
}

/// One run of `torture`.
private struct TortureCommand {
  let process: ProcessContext
  let minutes: Double
  let first: UInt64
  let seedsMax: Int
  let folder: String
  let processes: ProcessCount
  let isDry: Bool
  /// The required coverage.
  let goals: [CoverageGoal]

  init(_ invocation: Invocation) throws(UsageError) {
    process = invocation.process
    let words = invocation.operands
    guard let minutes = Double(words[0]), minutes > 0, minutes <= 100_000 else {
      throw UsageError("'\(words[0])' is not a number of minutes")
    }
    guard let first = words.count > 1 ? UInt64(words[1]) : 1 else {
      throw UsageError("'\(words[1])' is not a seed; write a whole number")
    }
    self.minutes = minutes
    self.first = first
    seedsMax =
      try invocation.values.read("seeds", expected: "a whole number above 0") { text in
        Quantities.count(text).flatMap { $0 > 0 ? $0 : nil }
      } ?? Int.max
    folder = invocation.values.text("out") ?? "torture"
    processes = try ProcessCount(invocation.values)
    isDry = invocation.values.isOn("dry-run")
    var goals: [CoverageGoal] = []
    for word in invocation.values.texts("cover") { goals += try TortureCommand.goals(word) }
    self.goals = goals
  }

  private static func goals(_ word: String) throws(UsageError) -> [CoverageGoal] {
    if word == "all" { return CoverageGoal.allCases }
    if let goal = CoverageGoal(rawValue: word) { return [goal] }
    let names = CoverageGoal.allCases.map(\.rawValue)
    let near = NearestName.find(word, in: names).map { "; did you mean '\($0)'?" }
    throw UsageError("--cover: no situation '\(word)'\(near ?? "; there is: \(names.joined(separator: ", "))")")
  }

  func run() throws(UsageError) -> ExitCode {
    if isDry { return try show() }
    let interruption = Interruption()
    var sums = Sums()
    do {
      if process.ownsSignals { try EndingSignals.listen { interruption.request() } }
      try run(&sums, interruption)
    } catch {
      process.writeError("rollingroad torture: \(error)")
      sums.isUnusable = true
    }
    tell(sums)
    if sums.failing.contains(where: \.isViolation) { return .invariantViolated }
    guard sums.failing.isEmpty, !sums.isUnusable else { return .runtimeFailure }
    if interruption.isRequested { return .stoppedBySignal }
    return sums.tally.missing(of: goals).isEmpty ? .ok : .coverageMissed
  }

  private func run(_ sums: inout Sums, _ interruption: Interruption) throws {
    let end = SystemClock().monotonicNow + Nanoseconds(Int64(minutes * 60e9))
    var seed = first
    let workers = SeedWorkers(
      process: process, count: processes.number(ofSeeds: seedsMax, process), isOrdered: false,
      interruption: interruption
    ) { result(of: $0, $1, $2) }
    try workers.run(
      next: {
        let begun = Int(seed &- first)
        guard begun < seedsMax, !sums.isUnusable, begun == 0 || SystemClock().monotonicNow < end else { return nil }
        defer { seed &+= 1 }
        process.writeError("seed \(seed)")
        return seed
      },
      end: { sums.add($1, of: $0) })
  }

  private func tell(_ sums: Sums) {
    process.writeOutput(
      "\(sums.seeds.of("seed")) from \(first) on, \(Int(sums.deviceHours).of("device-hour")), \(sums.records.of("record")): \(sums.failing.count.of("seed")) failed"
    )
    if !sums.failing.isEmpty {
      let seeds = sums.failing.map(\.seed).sorted()
      process.writeOutput("failed: \(seeds.map(String.init).joined(separator: " "))")
    }
    for line in sums.tally.lines(of: CoverageGoal.allCases) { process.writeOutput("  " + line) }
  }

  private func show() throws(UsageError) -> ExitCode {
    do {
      process.writeOutput(try ScenarioGenerator(seed: first).document.json.pretty)
      return .ok
    } catch { throw UsageError("seed \(first): \(error)") }
  }

  /// The sums over all seeds.
  private struct Sums {
    var seeds = 0
    var records = 0
    var deviceHours = 0.0
    /// The seeds with a violated invariant, or with a device or a process that did not end.
    var failing: [(seed: UInt64, isViolation: Bool)] = []
    var tally = CoverageTally()
    /// Whether the scenario cannot be run, which then applies to all others too.
    var isUnusable = false

    /// `result` is nil when the process was killed.
    mutating func add(_ result: SeedResult?, of seed: UInt64) {
      seeds += 1
      guard let result else { return failing.append((seed, isViolation: false)) }
      let code = ExitCode(rawValue: result.code)
      if code == .badScenario { isUnusable = true }
      if code == .invariantViolated || code == .runtimeFailure {
        failing.append((seed, isViolation: code == .invariantViolated))
      }
      if let coverage = result.coverage { tally.add(coverage) }
      records += result.records
      deviceHours += result.deviceHours
    }
  }

  private func result(of seed: UInt64, _ process: ProcessContext, _ interruption: Interruption) -> SeedResult {
    do {
      let document = try ScenarioGenerator(seed: seed).document
      let setup = try RunSetup(ScenarioReader.read(document).scenario)
      let store = try SQLiteStore(.scratch)
      let report = try FleetRun(setup, to: .inside(store), interruption: interruption, watchers: []).run()
      let violation = report.violations.first
      if let violation { keep(violation, of: document, report, process, interruption) }
      return SeedResult(
        code: (violation == nil ? ExitCode.ok : .invariantViolated).rawValue, coverage: report.coverage,
        records: report.sums.created, deviceHours: Double(report.devices) * setup.duration.seconds / 3_600)
    } catch let error as LivelockError {
      // The other seeds may still find something.
      process.writeOutput("seed \(seed): \(error)")
      process.writeOutput("again: rollingroad torture 1 \(seed) --seeds 1")
      return SeedResult(code: ExitCode.runtimeFailure.rawValue)
    } catch {
      process.writeError("rollingroad torture: seed \(seed): \(TortureCommand.text(of: error))")
      return SeedResult(code: ExitCode.badScenario.rawValue)
    }
  }

  /// Returns the error text. A scenario that cannot be run is a mistake of the generator, reported like one of a user.
  private static func text(of error: any Error) -> String {
    switch error {
    case let error as ScenarioErrors: error.all.map { $0.text(sources: ["its scenario"]) }.joined(separator: "\n  ")
    case let error as UnsupportedScenarioError: error.problems.map(\.description).joined(separator: "\n  ")
    default: "\(error)"
    }
  }

  /// A failure to write does not affect the verdict.
  private func keep(
    _ violation: Violation, of document: ScenarioDocument, _ report: RunReport, _ process: ProcessContext,
    _ interruption: Interruption
  ) {
    let plan = FailurePlan(
      document: document, invariant: violation.invariantName, device: violation.device, instant: violation.instant,
      hash: report.hash.text, product: Product.version)
    process.writeOutput("seed \(report.seed): \(violation.text)")
    do {
      let bundle = try FailureBundle(
        plan, name: "torture", seed: report.seed, shrinks: true, interruption: interruption)
      if let note = bundle.note { process.writeError("rollingroad torture: seed \(report.seed): \(note)") }
      let output = try OutputFolder(folder)
      try bundle.write(to: output)
      let command = FailureBundle.replayCommand(at: output.path(bundle.folder), plan.invariant)
      process.writeOutput("again: \(command)")
    } catch { process.writeError("rollingroad torture: seed \(report.seed): \(error)") }
  }
}
