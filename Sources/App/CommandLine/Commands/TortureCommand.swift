import Base
import FleetSimulator
import Scenario
import Store

extension Command {
  static let torture = Command(
    name: "torture",
    summary: "look for violations with random scenarios and faults",
    operands: "MINUTES [SEED]",
    operandCount: 1...2,
    flags: [
      .value("seeds", "N", "stop after so many seeds"),
      .values("cover", "GOAL", "fail unless this situation came up, named as in a scenario's coverage; all: every one"),
      .value("out", "DIR", "folder for the bundles of seeds that fail", standard: "torture"),
    ],
    details: """
      Makes a random scenario from each seed and runs it in virtual time with every invariant watched, for MINUTES. SEED is
      the first seed (1 when none is given); the next ones count up. A seed is printed before its run, so that you know
      which one it was if a run hangs. One that violates an invariant leaves a bundle for 'rollingroad replay', and the
      exit code is 98. At the end you see which situations came up; with --cover the exit code is 110 when one did not.
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
  /// What must come up.
  let goals: [CoverageGoal]

  init(_ invocation: Invocation) throws(UsageError) {
    process = invocation.process
    let words = invocation.operands
    guard let minutes = Double(words[0]), minutes > 0, minutes <= 100_000 else {
      throw UsageError("'\(words[0])' is no number of minutes")
    }
    guard let first = words.count > 1 ? UInt64(words[1]) : 1 else {
      throw UsageError("'\(words[1])' is no seed: a whole number is")
    }
    self.minutes = minutes
    self.first = first
    seedsMax =
      try invocation.values.read("seeds", expected: "a whole number above 0") { text in
        Quantities.count(text).flatMap { $0 > 0 ? $0 : nil }
      } ?? Int.max
    folder = invocation.values.text("out") ?? "torture"
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

  func run() -> ExitCode {
    let end = SystemClock().monotonicNow + Nanoseconds(Int64(minutes * 60e9))
    var (seed, seeds, records, deviceHours) = (first, 0, 0, 0.0)
    var failing: [UInt64] = []
    var tally = CoverageTally()
    do {
      while seeds < seedsMax, seeds == 0 || SystemClock().monotonicNow < end {
        process.writeError("seed \(seed)")
        let generator = try ScenarioGenerator(seed: seed)
        let setup = try RunSetup(ScenarioReader.read(generator.document).scenario)
        let report = try FleetRun(setup, store: SQLiteStore(.scratch)).run()
        if let victim = report.victims.first {
          failing.append(seed)
          try keep(victim, of: generator.document, report)
        }
        tally.add(report.coverage)
        seeds += 1
        records += report.sums.created
        deviceHours += Double(report.devices) * setup.duration.seconds / 3_600
        seed &+= 1
      }
    } catch {
      process.writeError("rollingroad torture: seed \(seed): \(TortureCommand.text(of: error))")
      return .runtimeFailure
    }
    process.writeOutput(
      "\(seeds) seeds from \(first) on, \(Int(deviceHours)) device-hours, \(records) records: \(failing.count) seeds failed"
    )
    if !failing.isEmpty { process.writeOutput("failed: \(failing.map(String.init).joined(separator: " "))") }
    for line in tally.lines(of: CoverageGoal.allCases) { process.writeOutput("  " + line) }
    guard failing.isEmpty else { return .invariantViolated }
    return tally.missing(of: goals).isEmpty ? .ok : .coverageMissed
  }

  /// A seed whose scenario cannot be run is a mistake of the generator, and is told like one of a user.
  private static func text(of error: any Error) -> String {
    switch error {
    case let error as ScenarioProblems: error.all.map { $0.text(sources: ["its scenario"]) }.joined(separator: "\n  ")
    case let error as UnsupportedScenario: error.problems.joined(separator: "\n  ")
    default: "\(error)"
    }
  }

  private func keep(_ victim: Victim, of document: ScenarioDocument, _ report: RunReport) throws {
    let plan = FailurePlan(
      document: document, invariant: victim.invariantName, device: victim.device, instant: victim.instant,
      hash: report.hash.text, product: Product.version)
    let bundle = try FailureBundle(plan, name: "torture", seed: report.seed, shrinks: true)
    let output = try OutputFolder(folder)
    try bundle.write(to: output)
    process.writeOutput("seed \(report.seed): \(victim.text)")
    let command = FailureBundle.replayCommand(at: output.path(bundle.folder), plan.invariant)
    process.writeOutput("again: \(command)")
  }
}
