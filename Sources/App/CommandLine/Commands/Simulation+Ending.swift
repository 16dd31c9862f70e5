import Base
import FleetSimulator
import Oracle
import Reports
import Scenario

/// Reports and files at the end of a run.
extension Simulation {
  /// Reports the results and returns their exit code, even if files cannot be written.
  func report(_ result: Result, of run: PreparedRun) -> ExitCode {
    let (scenario, setup, outputs, steering) = (run.scenario, run.setup, run.outputs, run.steering)
    var summary = result.summary
    if setup.outside == nil, !summary.violations.isEmpty {
      reportingErrors { try logFailing(summary, steering?.repeating(setup, files: options.files) ?? setup, outputs) }
    }
    let plan = result.violation.flatMap { keepPlan($0, summary, scenario, setup, steering) }
    summary.replay = replayCommand(summary, setup, steering, plan)
    outputs.append(result.lost)
    if let sentence = outputs.sentenceOfLost(summary) { summary.notes.append(sentence) }
    outputs.write(summary, map: RunMap(of: setup, scenario, tracks: result.tracks))
    let text = SummaryText(summary, isColoured: process.outputIsColoured, width: process.outputWidth())
    process.writeOutput(options.isOneOfMany && summary.result == .passed ? text.line : text.text)
    for path in outputs.written where !options.isOneOfMany { process.writeOutput("  wrote \(path)") }
    for sentence in result.sent where !options.isOneOfMany { process.writeOutput("  \(sentence)") }
    if let plan { reportingErrors { try keepFailure(plan, scenario, setup) } }
    if let sentence = outputs.sentenceOfFailure { process.writeError("rollingroad simulate: \(sentence)") }
    if options.checksDeterminism {
      process.writeOutput(DifferenceText(result.difference, names: setup.deviceNames).text)
      if result.difference != nil { return .invariantViolated }
    }
    // The figures of a shard do not apply to the whole: 'merge' judges them.
    let isLeftToMerge = options.shard != nil && [.failed, .uncovered].contains(summary.result)
    let code = isLeftToMerge ? .ok : ExitCode(summary.result)
    return outputs.failure == nil ? code : code.withoutFiles
  }

  private func reportingErrors(_ body: () throws -> Void) {
    do { try body() } catch { process.writeError("rollingroad simulate: \(error)") }
  }

  /// Returns the command that reproduces the first violation; nil without one, or for a real server, whose state cannot
  /// be restored.
  private func replayCommand(
    _ summary: RunSummary, _ setup: RunSetup, _ steering: RunSteering?, _ plan: FailurePlan?
  ) -> String? {
    guard !summary.violations.isEmpty, setup.outside == nil else { return nil }
    guard let folder = options.folder else {
      // Manual acts are not part of a command.
      if steering?.isSteered == true { return nil }
      return "rollingroad simulate \(options.words.map(\.shellWord).joined(separator: " ")) --out DIR"
    }
    guard let plan else { return nil }
    let name = FailureBundle.folder(name: summary.scenario, seed: setup.seed)
    return FailureBundle.replayCommand(at: "\(folder)/\(name)", plan.invariant)
  }

  /// Saves the plan of the first violation, before the summary refers to it; returns nil where none is saved.
  private func keepPlan(
    _ violation: Violation, _ summary: RunSummary, _ scenario: Scenario, _ setup: RunSetup, _ steering: RunSteering?
  ) -> FailurePlan? {
    guard let folder = options.folder, setup.outside == nil else { return nil }
    var document = options.document.adopting(scenario)
    if let steering, steering.isSteered {
      document = steering.session(in: document)
    } else {
      for fleet in setup.fleets {
        if let members = fleet.members { document.setMembers(members, of: fleet.name) }
      }
    }
    let plan = FailurePlan(
      document: document, files: options.files.files(of: scenario), invariant: violation.invariantName,
      device: violation.device, instant: violation.instant, hash: summary.hash, product: Product.version)
    do {
      let place = FailureBundle.folder(name: scenario.name, seed: setup.seed)
      try FailureBundle.begin(plan, in: place, of: OutputFolder(folder))
      return plan
    } catch {
      process.writeError("rollingroad simulate: \(error)")
      return nil
    }
  }

  /// Saves the failure bundle of the first violation.
  private func keepFailure(_ plan: FailurePlan, _ scenario: Scenario, _ setup: RunSetup) throws {
    guard let folder = options.folder else { return }
    if scenario.invariants.onViolation == .shrink { process.writeError("shrinking the failure") }
    let bundle = try FailureBundle(
      plan, name: scenario.name, seed: setup.seed, shrinks: scenario.invariants.onViolation == .shrink,
      interruption: interruption)
    if let note = bundle.note { process.writeError("rollingroad simulate: \(note)") }
    let output = try OutputFolder(folder)
    try bundle.write(to: output)
    process.writeOutput("  wrote \(output.path(bundle.folder))/report.md")
  }

  /// Repeats the run to record the SDK logs of the violating devices.
  private func logFailing(_ summary: RunSummary, _ setup: RunSetup, _ outputs: RunOutputs) throws {
    var second = setup
    second.logged = outputs.devicesToLog(summary, of: setup)
    guard !second.logged.isEmpty else { return }
    _ = try FleetRun(second, store: newStore(), watchers: [outputs.logs(of: second)]).run()
  }
}
