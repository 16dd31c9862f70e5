import Base
import FleetSimulator
import Reports
import Scenario
import Store

/// A run of a scenario that is in order, in virtual time, and what there is to say about it.
struct Simulation {
  private let process: ProcessContext
  private let options: SimulationOptions

  init(_ process: ProcessContext, _ options: SimulationOptions) {
    self.process = process
    self.options = options
  }

  func run(_ scenario: Scenario) -> ExitCode {
    var scenario = scenario
    scenario.limitGeneratorLag()
    do {
      var setup = try RunSetup(
        scenario, files: RouteFiles(beside: options.path, read: process.readFile, list: process.listFolder))
      if let shard = options.shard { setup = setup.part(shard) }
      let measures = try Measures(scenario, setup)
      let outputs = try RunOutputs(scenario, setup, folder: options.folder)
      setup.logged = outputs.devicesLogged(of: setup)
      if options.folder == nil, scenario.outputs.contains(where: { $0 != .console(ConsoleOutput()) }) {
        process.writeError("note: outputs: files are written into the folder of --out, and there is none")
      }
      process.writeOutput("seed 0x\(String(setup.seed, radix: 16))")
      if let outside = setup.outside {
        if let silence = try outside.silence() {
          process.writeError("rollingroad simulate: \(silence)")
          return .runtimeFailure
        }
        let now = SystemClock().wallNow
        if outside.beginsToday { setup.start = now }
        // In modelled time a run can be had again, record by record, from a server that is as it was.
        if outside.lockstep != .modelled {
          setup.outside?.runNumber = UInt64(bitPattern: now.millisecondsSince1970)
        }
      }
      let (summary, map) = try run(setup, scenario, measures, outputs)
      if setup.outside == nil { try logFailing(summary, setup, outputs) }
      try outputs.write(summary, map: map)
      process.writeOutput(SummaryText(summary, isColoured: process.outputIsTerminal).text)
      for path in outputs.written { process.writeOutput("  wrote \(path)") }
      try keepFailure(summary, scenario, setup)
      if options.checksDeterminism, try !isRepeatable(setup) { return .invariantViolated }
      // Figures of a part say nothing about the whole: 'merge' judges them.
      if options.shard != nil, [.failed, .uncovered].contains(summary.result) { return .ok }
      return ExitCode(summary.result)
    } catch let error as UnsupportedScenario {
      for problem in error.problems { process.writeError("rollingroad simulate: \(problem)") }
      return .badScenario
    } catch {
      process.writeError("rollingroad simulate: \(error)")
      return .runtimeFailure
    }
  }

  /// What it takes to see the first violation again. A real server cannot be had again as it was.
  private func keepFailure(_ summary: RunSummary, _ scenario: Scenario, _ setup: RunSetup) throws {
    guard let folder = options.folder, let violation = summary.violations.first, scenario.clock.mode == .virtual else {
      return
    }
    var document = options.document.adopting(scenario)
    for fleet in setup.fleets {
      if let members = fleet.members { document.setMembers(members, of: fleet.name) }
    }
    let plan = FailurePlan(
      document: document, invariant: violation.invariant, device: violation.device, hash: summary.hash,
      product: Product.version)
    if scenario.invariants.onViolation == .shrink { process.writeError("making the failure small") }
    let bundle = try FailureBundle(
      plan, name: scenario.name, seed: setup.seed, shrinks: scenario.invariants.onViolation == .shrink)
    let output = try OutputFolder(folder)
    try bundle.write(to: output)
    process.writeOutput("  wrote \(output.path(bundle.folder))/report.md")
    process.writeOutput("again: \(bundle.replayCommand(at: output.path(bundle.folder)))")
  }

  private func newStore() throws -> SQLiteStore { try SQLiteStore(.scratch) }

  private func run(
    _ setup: RunSetup, _ scenario: Scenario, _ measures: Measures, _ outputs: RunOutputs
  ) throws -> (summary: RunSummary, map: RunMap?) {
    let display = options.isQuiet ? nil : ProgressDisplay(process)
    let interruption = Interruption()
    if process.ownsSignals { try EndingSignals.listen { interruption.request() } }
    let destination = try RunDestination(of: setup) { try newStore() }
    let run = try FleetRun(
      setup, to: destination, interruption: interruption, watchers: [measures] + outputs.watchers(of: setup))
    var report = try run.run { _, _ in display?.show(measures.progress) }
    display?.clear()
    if setup.outside == nil { report = try Investigation.explain(report, of: setup, store: newStore) }
    for remark in report.remarks { process.writeOutput(remark.remarkText) }
    if let refusal = report.proofRefusal {
      process.writeError("note: what the server has stored is not verified: \(refusal)")
    }
    var summary = measures.summary(of: report, hash: options.scenarioHash, product: Product.version)
    if let shard = options.shard {
      summary.shard = shard.text
      summary.leaveThresholdsToTheWhole()
    }
    return (summary, run.map(of: scenario))
  }

  /// The same run once more, to hear what the SDKs of the devices say to whom something happened.
  private func logFailing(_ summary: RunSummary, _ setup: RunSetup, _ outputs: RunOutputs) throws {
    var second = setup
    second.logged = outputs.devicesToLog(summary, of: setup)
    guard !second.logged.isEmpty else { return }
    _ = try FleetRun(second, store: newStore(), watchers: [outputs.logs(of: second)]).run()
  }

  private func isRepeatable(_ setup: RunSetup) throws -> Bool {
    guard let difference = try DeterminismCheck.difference(between: setup, and: setup, store: newStore) else {
      process.writeOutput("the second run was the same")
      return true
    }
    process.writeOutput("two runs of this seed part:")
    for (name, event) in [("first", difference.first), ("second", difference.second)] {
      let text = event.map { "event \($0.number), \($0.instant.nanoseconds) ns, device \($0.device), \($0.kind)" }
      process.writeOutput("  \(name): \(text ?? "has ended")")
    }
    return false
  }
}

/// What the command line says about a run beside the scenario.
struct SimulationOptions {
  /// Of the scenario's file, or the name of one that is built in: routes are read beside it.
  var path: String
  var checksDeterminism = false
  var isQuiet = false
  /// `--out`.
  var folder: String?
  var shard: Shard?
  /// Of everything that the run follows from.
  var scenarioHash: String
  var document: ScenarioDocument
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
