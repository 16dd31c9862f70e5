import Base
import FleetSimulator
import Scenario
import Store

extension Command {
  static let torture = Command(
    name: "torture",
    summary: "run random scenarios with random faults until the time is over",
    operands: "MINUTES [SEED]",
    operandCount: 1...2,
    flags: [
      .value("seeds", "N", "at most so many seeds"),
      .value("out", "DIR", "where the bundles of failing seeds go", standard: "torture"),
    ],
    details: """
      Each seed makes one scenario and runs it in virtual time with every invariant watched. The seed is told before
      the run, so that it is known when a run does not come back. A seed that violates something leaves a bundle
      for 'rollingroad replay'; the exit code is then 98. The first SEED is 1 when none is given, and the next one
      is one more.
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
  }

  func run() -> ExitCode {
    let end = SystemClock().monotonicNow + Nanoseconds(Int64(minutes * 60e9))
    var (seed, seeds, records, deviceHours) = (first, 0, 0, 0.0)
    var failing: [UInt64] = []
    var refused: Set<String> = []
    do {
      while seeds < seedsMax, seeds == 0 || SystemClock().monotonicNow < end {
        process.writeError("seed \(seed)")
        let generator = try ScenarioGenerator(seed: seed)
        refused.formUnion(generator.refused.map { $0.prefix { $0 != "'" } + "…" })
        let setup = try RunSetup(ScenarioReader.read(generator.document).scenario)
        let report = try FleetRun(setup, store: SQLiteStore(.scratch)).run()
        if let victim = report.victims.first {
          failing.append(seed)
          try keep(victim, of: generator.document, report)
        }
        seeds += 1
        records += report.sums.created
        deviceHours += Double(report.devices) * setup.duration.seconds / 3_600
        seed &+= 1
      }
    } catch {
      process.writeError("rollingroad torture: seed \(seed): \(error)")
      return .runtimeFailure
    }
    process.writeOutput(
      "\(seeds) seeds from \(first) on, \(Int(deviceHours)) device-hours, \(records) records: \(failing.count) seeds failed"
    )
    if !failing.isEmpty { process.writeOutput("failed: \(failing.map(String.init).joined(separator: " "))") }
    if !refused.isEmpty {
      process.writeOutput("left out, as this version cannot do it: \(refused.sorted().joined(separator: "; "))")
    }
    return failing.isEmpty ? .ok : .invariantViolated
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
