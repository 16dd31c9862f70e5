import Base
import FleetSimulator
import Network
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

  /// Adds what came up to `tally`.
  func run(_ scenario: Scenario, _ tally: inout CoverageTally) -> ExitCode {
    var scenario = scenario
    scenario.limitGeneratorLag()
    do {
      var setup = try RunSetup(
        scenario, files: RouteFiles(beside: options.path, read: process.readFile, list: process.listFolder))
      if let shard = options.shard { setup = setup.part(shard) }
      setup.outside?.adminToken = options.adminToken
      let measures = try Measures(scenario, setup, processorTime: ProcessorClock.now)
      let outputs = try RunOutputs(scenario, setup, folder: options.folder)
      setup.logged = outputs.devicesLogged(of: setup)
      if options.folder == nil, scenario.outputs.contains(where: \.isFile) {
        process.writeError("note: outputs: files are written into the folder of --out, and there is none")
      }
      let listener = try scenario.outputs.listen.map { listen in try MetricsListener(listen: listen) }
      defer { listener?.stop() }
      if !options.isOneOfMany { process.writeOutput("seed 0x\(String(setup.seed, radix: 16))") }
      if let listener { process.writeOutput("metrics \(listener.url)") }
      if let outside = setup.outside {
        if options.shard != nil, setup.faults.contains(where: \.isServers) {
          process.writeError(
            "rollingroad simulate: faults of the server: the shards of a run would take them away from each other; drive at it with one process"
          )
          return .badScenario
        }
        if let silence = try outside.silence() {
          process.writeError("rollingroad simulate: \(silence)")
          return .runtimeFailure
        }
        if let reason = try outside.showStreets(of: setup) { process.writeError("note: \(reason)") }
        let now = SystemClock().wallNow
        if outside.beginsToday { setup.start = now }
        // In modelled time a run can be had again, record by record, from a server that is as it was.
        if outside.lockstep != .modelled {
          setup.outside?.runNumber = UInt64(bitPattern: now.millisecondsSince1970)
        }
      }
      var (summary, map, report, difference) = try run(setup, scenario, measures, outputs, listener)
      tally.add(report.coverage)
      if setup.outside == nil { try logFailing(summary, setup, outputs) }
      summary.replay = replayCommand(summary, setup)
      try outputs.write(summary, map: map)
      let text = SummaryText(summary, isColoured: process.outputIsTerminal)
      process.writeOutput(options.isOneOfMany && summary.result == .passed ? text.line : text.text)
      for path in outputs.written where !options.isOneOfMany { process.writeOutput("  wrote \(path)") }
      if let first = report.victims.first { try keepFailure(first, summary, scenario, setup) }
      if options.checksDeterminism {
        process.writeOutput(DifferenceText(difference, names: setup.deviceNames).text)
        if difference != nil { return .invariantViolated }
      }
      // Figures of a part say nothing about the whole: 'merge' judges them.
      if options.shard != nil, [.failed, .uncovered].contains(summary.result) { return .ok }
      return ExitCode(summary.result)
    } catch let error as UnsupportedScenario {
      for problem in error.problems { process.writeError("rollingroad simulate: \(problem)") }
      return .badScenario
    } catch let error as NetworkError {
      process.writeError("rollingroad simulate: outputs: prometheus: \(error)")
      if case .badAddress = error { return .badScenario }
      return .cannotBind
    } catch {
      process.writeError("rollingroad simulate: \(error)")
      return .runtimeFailure
    }
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

  private func newStore() throws -> SQLiteStore { try SQLiteStore(.scratch) }

  private func run(
    _ setup: RunSetup, _ scenario: Scenario, _ measures: Measures, _ outputs: RunOutputs, _ listener: MetricsListener?
  ) throws -> (summary: RunSummary, map: RunMap?, report: RunReport, difference: DeterminismCheck.Difference?) {
    let display = options.isQuiet ? nil : ProgressDisplay(process)
    let interruption = Interruption()
    if process.ownsSignals { try EndingSignals.listen { interruption.request() } }
    let destination = try RunDestination(of: setup) { try newStore() }
    let run = try FleetRun(
      setup, to: destination, interruption: interruption, watchers: [measures] + outputs.watchers(of: setup))
    listener?.show(measures)
    let show = { (_: Double, _: LedgerSums) in
      display?.show(measures.progress)
      listener?.show(measures)
    }
    var report: RunReport
    var difference: DeterminismCheck.Difference?
    if options.checksDeterminism {
      let twin = try FleetRun(setup, to: .inside(newStore()), interruption: interruption, watchers: [])
      (report, difference) = try DeterminismCheck.run(run, beside: twin, progress: show)
    } else {
      report = try run.run(progress: show)
    }
    display?.clear()
    if setup.outside == nil { report = try Investigation.explain(report, of: setup, store: newStore) }
    var summary = measures.summary(of: report, hash: options.scenarioHash, product: Product.version)
    summary.notes += options.notes
    if let shard = options.shard {
      summary.shard = shard.text
      summary.leaveThresholdsToTheWhole()
    }
    return (summary, run.map(of: scenario), report, difference)
  }

  /// The same run once more, to hear what the SDKs of the devices say to whom something happened.
  private func logFailing(_ summary: RunSummary, _ setup: RunSetup, _ outputs: RunOutputs) throws {
    var second = setup
    second.logged = outputs.devicesToLog(summary, of: setup)
    guard !second.logged.isEmpty else { return }
    _ = try FleetRun(second, store: newStore(), watchers: [outputs.logs(of: second)]).run()
  }
}

/// What the command line says about a run beside the scenario.
struct SimulationOptions {
  /// Of the scenario's file, or the name of one that is built in: routes are read beside it.
  var path: String
  var checksDeterminism = false
  var isQuiet = false
  /// Other seeds follow: what is as it should be takes one line.
  var isOneOfMany = false
  /// `--out`.
  var folder: String?
  var shard: Shard?
  /// `--admin-token`, that of the target.
  var adminToken: String?
  /// What was typed behind `simulate`.
  var words: [String] = []
  /// Of everything that the run follows from.
  var scenarioHash: String
  var document: ScenarioDocument
  /// What was said of the scenario.
  var notes: [String] = []
}

extension Output {
  fileprivate var isFile: Bool {
    switch self {
    case .console, .prometheus, .telemetry: false
    case .summary, .junit, .html, .histogramLog, .events, .deviceLogs: true
    }
  }
}

extension [Output] {
  /// Where the figures are to be read while the run goes on.
  fileprivate var listen: String? {
    for case .prometheus(let output) in self { return output.listen }
    return nil
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
