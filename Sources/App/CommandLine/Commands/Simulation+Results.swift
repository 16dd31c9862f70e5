import FleetSimulator
import Reports
import Scenario

/// What there is to say and to keep when a run is over.
extension Simulation {
  func tell(
    _ result: Result, of scenario: Scenario, _ setup: RunSetup, _ outputs: RunOutputs
  ) throws -> ExitCode {
    var summary = result.summary
    if setup.outside == nil { try logFailing(summary, setup, outputs) }
    summary.replay = replayCommand(summary, setup)
    try outputs.write(summary, map: result.map)
    let text = SummaryText(summary, isColoured: process.outputIsTerminal)
    process.writeOutput(options.isOneOfMany && summary.result == .passed ? text.line : text.text)
    for path in outputs.written where !options.isOneOfMany { process.writeOutput("  wrote \(path)") }
    if let first = result.report.victims.first { try keepFailure(first, summary, scenario, setup) }
    if options.checksDeterminism {
      process.writeOutput(DifferenceText(result.difference, names: setup.deviceNames).text)
      if result.difference != nil { return .invariantViolated }
    }
    // Figures of a part say nothing about the whole: 'merge' judges them.
    if options.shard != nil, [.failed, .uncovered].contains(summary.result) { return .ok }
    return ExitCode(summary.result)
  }

  /// How to see the first violation again; nil when there is none, or no way: a real server cannot be had as it was.
  private func replayCommand(_ summary: RunSummary, _ setup: RunSetup) -> String? {
    guard let violation = summary.violations.first, setup.outside == nil else { return nil }
    guard let folder = options.folder else {
      return "rollingroad simulate \(options.words.map(\.shellWord).joined(separator: " ")) --out DIR"
    }
    let name = FailureBundle.folder(name: summary.scenario, seed: setup.seed)
    return FailureBundle.replayCommand(at: "\(folder)/\(name)".shellWord, violation.invariant)
  }

  /// What it takes to see the first violation again.
  private func keepFailure(
    _ victim: Victim, _ summary: RunSummary, _ scenario: Scenario, _ setup: RunSetup
  ) throws {
    guard let folder = options.folder, setup.outside == nil else { return }
    var document = options.document.adopting(scenario)
    for fleet in setup.fleets {
      if let members = fleet.members { document.setMembers(members, of: fleet.name) }
    }
    let plan = FailurePlan(
      document: document, invariant: victim.invariantName, device: victim.device, instant: victim.instant,
      hash: summary.hash, product: Product.version)
    if scenario.invariants.onViolation == .shrink { process.writeError("making the failure small") }
    let bundle = try FailureBundle(
      plan, name: scenario.name, seed: setup.seed, shrinks: scenario.invariants.onViolation == .shrink)
    let output = try OutputFolder(folder)
    try bundle.write(to: output)
    process.writeOutput("  wrote \(output.path(bundle.folder))/report.md")
  }

  /// The same run once more, to hear what the SDKs of the devices say to whom something happened.
  private func logFailing(_ summary: RunSummary, _ setup: RunSetup, _ outputs: RunOutputs) throws {
    var second = setup
    second.logged = outputs.devicesToLog(summary, of: setup)
    guard !second.logged.isEmpty else { return }
    _ = try FleetRun(second, store: newStore(), watchers: [outputs.logs(of: second)]).run()
  }
}

extension ExitCode {
  init(_ result: RunSummary.Result) {
    self =
      switch result {
      case .passed: .ok
      case .invalid: .runInvalid
      case .violated: .invariantViolated
      case .failed: .thresholdFailed
      case .stopped: .stoppedBySignal
      case .uncovered: .coverageMissed
      }
  }
}
