import Base
import FleetSimulator
import Glibc
import Network
import Oracle
import Reports
import Scenario
import Store
import Telemetry

/// A run of a valid scenario, and its report.
struct Simulation {
  let process: ProcessContext
  let options: SimulationOptions
  /// A request by signal to end the run and the work after it.
  let interruption: Interruption
  /// Reports to the process whose run this one shares; nil in the user's own process.
  private let shardLine: ShardLine?

  init(
    _ process: ProcessContext, _ options: SimulationOptions, _ interruption: Interruption, _ shardLine: ShardLine? = nil
  ) {
    (self.process, self.options) = (process, options)
    (self.interruption, self.shardLine) = (interruption, shardLine)
  }

  /// Returns what is wrong with a scenario beside the parts of the program that it concerns.
  static func problems(of scenario: Scenario, _ files: RouteFiles) -> [ScenarioProblem] {
    RunSetup.problems(of: scenario, files: files) + scenario.outputs.problems
  }

  /// Runs the scenario; returns the exit code, and the coverage if there was a run.
  func run(_ scenario: Scenario) -> (code: ExitCode, coverage: [CoverageSeen]?) {
    do { return try runThrough(scenario) } catch { return (report(error), nil) }
  }

  private func runThrough(_ scenario: Scenario) throws -> (code: ExitCode, coverage: [CoverageSeen]?) {
    var run = try PreparedRun(scenario, options)
    var live = LiveOutputs()
    defer { live.stop() }
    live.listener = try scenario.outputs.listen.map { listen in try MetricsListener(listen: listen) }
    announce(run, live)
    if let code = try refusal(of: run.scenario) ?? checkTarget(&run.setup) { return (code, nil) }
    try live.open(for: &run, options, process)
    let result = try runDivided(run) ?? runAlone(run, live)
    let code = report(result, of: run)
    live.dashboard?.waitForEnd(interruption)
    return (code, result.coverage)
  }

  /// Reports the error that has ended a run, and returns its exit code.
  private func report(_ error: any Error) -> ExitCode {
    switch error {
    case let error as UnsupportedScenarioError: return refuse(error)
    case let error as WorkerProcess.Failure:
      process.writeError("rollingroad simulate: \(error)")
      return error.code
    case is Dashboard.Failure:
      process.writeError("rollingroad simulate: \(error)")
      return .cannotBind
    case is NetworkError:
      process.writeError("rollingroad simulate: outputs: prometheus: \(error)")
      return .cannotBind
    default:
      process.writeError("rollingroad simulate: \(error)")
      return .runtimeFailure
    }
  }

  private func refuse(_ error: UnsupportedScenarioError) -> ExitCode {
    for problem in options.places.errors(error.problems) { process.writeError(problem.text(sources: options.sources)) }
    return .badScenario
  }

  /// Returns the exit code of a run that the scenario or the command makes impossible, without a look at the target.
  func refusal(of scenario: Scenario) -> ExitCode? {
    guard options.shard != nil, scenario.clock.mode != .virtual, scenario.target.isOurs,
      scenario.faults.contains(where: \.action.isServers)
    else { return nil }
    process.writeError(
      "rollingroad simulate: server faults cannot be used with shards, because shards would delete each other's faults; run one process"
    )
    return .badScenario
  }

  /// Writes what is known of a run before it begins.
  private func announce(_ run: PreparedRun, _ live: LiveOutputs) {
    if options.folder == nil, run.scenario.outputs.contains(where: \.isFile) {
      process.writeError("note: outputs: no files are written without --out")
    }
    if !options.isOneOfMany { process.writeOutput("seed 0x\(String(run.setup.seed, radix: 16))") }
    if let listener = live.listener { process.writeOutput("metrics \(listener.url)") }
    guard !options.isOneOfMany else { return }
    run.scenario.replacements.forEach(process.writeOutput)
    if let note = run.scenario.anonymityNote { process.writeError("note: \(note)") }
  }

  /// Checks an external server before the run; returns the exit code if the run is not possible.
  private func checkTarget(_ setup: inout RunSetup) throws -> ExitCode? {
    // A token from the environment is not sent to foreign servers.
    if setup.outside?.isOurs == true { setup.outside?.adminToken = options.adminToken }
    guard let outside = setup.outside else { return nil }
    if setup.playsFaults {
      process.writeError(
        "note: the target does not support faults: the simulator's network injects http and auth faults, and the requests that it answers do not reach the target"
      )
    }
    if let silence = try outside.silence() {
      process.writeError("rollingroad simulate: \(silence.text(process.variable))")
      return .runtimeFailure
    }
    if let problem = try outside.unreadablePlace(process.variable) {
      process.writeError("rollingroad simulate: target.verify: \(problem)")
      return .runtimeFailure
    }
    if outside.factor > 1, setup.settle > .zero {
      let drives = NumberText.span(milliseconds: setup.duration.seconds * 1_000 / outside.factor)
      process.writeError(
        "note: the drives take \(drives) of real time; then the queues drain in real time, \(NumberText.span(setup.settle)) at most (clock.settle)"
      )
    }
    setup.outside?.serverVersion = try outside.askVersion()
    if let reason = try outside.showStreets(of: setup) { process.writeError("note: \(reason)") }
    if let start = options.start { process.writeError("note: \(start.sentence)") }
    let now = options.start?.wall ?? SystemClock().wallNow
    if outside.beginsToday { setup.start = now }
    // In modelled time, an unchanged server gives the same run again, record by record.
    if outside.lockstep != .modelled { setup.outside?.runNumber = UInt64(bitPattern: now.millisecondsSince1970) }
    return nil
  }

  /// The results of a run.
  struct Result {
    let summary: RunSummary
    let tracks: [RunMap.Track]
    let coverage: [CoverageSeen]
    /// The first violation, of which a bundle is saved.
    var violation: Violation?
    var lost: [LostRecord] = []
    /// The times of the remarks.
    var remarkedAt: [MonotonicInstant] = []
    var difference: DeterminismCheck.Difference?
    /// Sentences about the telemetry that was sent.
    var sent: [String] = []

    fileprivate var ofShard: ShardResult {
      ShardResult(
        summary: summary, tracks: tracks, coverage: coverage, differs: difference != nil, remarkedAt: remarkedAt)
    }
  }

  /// Returns nil when one process makes the run.
  private func runDivided(_ run: PreparedRun) throws -> Result? {
    let (setup, scenario) = (run.setup, run.scenario)
    let (count, reason) = options.processes.number(for: setup, scenario, options, process)
    if let reason { process.writeError("note: --processes: this run uses one process: \(reason)") }
    guard count > 1 else { return nil }
    let begun = SystemClock().wallNow
    let divided = DividedSimulation(
      process: process, isQuiet: options.isQuiet, isOneOfMany: options.isOneOfMany, count: count,
      interruption: interruption, isInRealTime: setup.outside != nil, start: options.start, judge: WholeJudge(scenario)
    ) { shard, folder, line in simulate(shard, of: setup, scenario, in: folder, line) }
    guard let whole = try divided.run(setup, run.outputs) else { return nil }
    var summary = whole.summary
    summary.origin = RunOrigin(
      command: command, host: Machine.words, start: begun, end: max(begun, SystemClock().wallNow))
    if options.isStrict { summary.judgeStrictly() }
    return Result(summary: summary, tracks: whole.tracks, coverage: whole.coverage)
  }

  /// Simulates one shard of the run in a worker, and streams into the folder.
  private func simulate(
    _ shard: Shard, of setup: RunSetup, _ scenario: Scenario, in folder: String?, _ line: WorkerLine
  ) {
    let process = process.speaking(into: line)
    var options = options
    (options.shard, options.folder, options.processes) = (shard, folder, .fixed(1))
    // Only the whole is judged.
    options.isStrict = false
    let interruption = Interruption()
    do {
      try EndingSignals.listen { interruption.request() }
      var part = setup.part(shard, isEndedByViolation: true)
      let outputs = try RunOutputs(scenario, part, folder: folder, isOfWorker: true, for: self.options.folder)
      part.logged = outputs.devicesLogged(of: part)
      // Only the whole is ended by thresholds.
      let measures = try Measures(scenario.withoutEndings, part, processorTime: ProcessorClock.now)
      let run = PreparedRun(scenario, part, measures, outputs)
      let shardLine = ShardLine(line, sendsInterims: WholeJudge(scenario).isNeeded)
      if setup.outside == nil { shardLine.listen() }
      let result = try Simulation(process, options, interruption, shardLine)
        .runAlone(run, LiveOutputs())
      outputs.append(result.lost)
      outputs.finish()
      if let failure = outputs.failure { shardLine.send(.failure("\(failure)", files: outputs.incomplete)) }
      shardLine.send(.result(result.ofShard))
    } catch {
      line.send(.value(ShardMessage.failure("\(error)", files: []).json))
      _exit(ExitCode.runtimeFailure.rawValue)
    }
  }

  private var command: String { SimulationOptions.command(options.words) }

  private func awaitStart(of setup: RunSetup) {
    guard setup.outside != nil, setup.outside?.lockstep == nil else { return }
    if let shardLine { return shardLine.awaitStart(interruption) }
    if let start = options.start { RunStart.wait(until: start.instant, unless: interruption) }
  }

  func newStore() throws -> SQLiteStore { try SQLiteStore(.scratch) }

  /// Makes the run in this process.
  private func runAlone(_ prepared: PreparedRun, _ live: LiveOutputs) throws -> Result {
    let (setup, measures) = (prepared.setup, prepared.measures)
    let destination = try RunDestination(of: setup, interruption: interruption) { try newStore() }
    let audit = setup.outside.map { _ in AnswerAudit(setup) }
    let errors = ErrorWatch(setup)
    let others: [(any Watcher)?] = [live.telemetry, measures, errors, audit, shardLine?.ending]
    let watchers = others.compactMap(\.self) + prepared.outputs.watchers(of: setup)
    let run = try FleetRun(
      setup, to: destination, interruption: interruption, watchers: watchers, steering: live.dashboard?.steering)
    live.listener?.show(measures)
    awaitStart(of: setup)
    var builder = SummaryBuilder(
      options: options, command: command, setup: setup, run: run, measures: measures, errors: errors, audit: audit)
    let (made, difference) = try carryOut(prepared, live, builder)
    let sending = live.telemetry?.finish(made)
    builder.undelivered = sending?.notes ?? []
    let report = try explained(made, of: setup, live.dashboard)
    let whole = builder.summary(of: report)
    live.dashboard?.end(whole)
    return Result(
      summary: whole, tracks: run.tracks, coverage: report.coverage, violation: report.violations.first,
      lost: report.lost, remarkedAt: report.remarks.map(\.instant), difference: difference, sent: sending?.sent ?? [])
  }

  /// Carries out a run from its first launch to the verdict, beside a second one where its determinism is checked, and shows its
  /// progress.
  private func carryOut(
    _ prepared: PreparedRun, _ live: LiveOutputs, _ builder: SummaryBuilder
  ) throws -> (report: RunReport, difference: DeterminismCheck.Difference?) {
    let display = options.isQuiet || shardLine != nil ? nil : ProgressDisplay(process)
    defer { display?.clear() }
    let show = { (_: Double, _: LedgerSums) in showProgress(display, prepared.outputs, live, builder) }
    if options.checksDeterminism {
      let secondRun = try FleetRun(
        prepared.setup, to: .inside(newStore()), interruption: interruption, watchers: [])
      return try DeterminismCheck.run(builder.run, beside: secondRun, progress: show)
    }
    let report = try builder.run.run(progress: show) { unproven in
      display?.clear()
      // The report is saved even if the server is slow to list its records, or does not.
      prepared.outputs.write(builder.summary(of: unproven), map: builder.run.map(of: prepared.scenario))
    }
    return (report, nil)
  }

  private func showProgress(
    _ display: ProgressDisplay?, _ outputs: RunOutputs, _ live: LiveOutputs, _ builder: SummaryBuilder
  ) {
    let (measures, errors) = (builder.measures, builder.errors)
    if let sentence = errors.takeOpeningSentence() {
      display?.clear()
      process.writeError("note: \(sentence)")
    }
    var progress = measures.progress
    (progress.errors, progress.mostFrequentError) = (errors.failedUploads, errors.mostFrequent)
    display?.show(progress)
    shardLine?.show(progress) { builder.summary(of: builder.run.interim) }
    live.listener?.show(measures)
    outputs.append(measures.timeline)
    live.dashboard?.serve { builder.summary(of: builder.run.interim) }
  }

  /// With the histories of the violating records.
  private func explained(_ report: RunReport, of setup: RunSetup, _ dashboard: Dashboard?) throws -> RunReport {
    guard setup.outside == nil, !report.isWithoutStories else { return report }
    // One process repeats the run after a violation in a shard.
    if shardLine != nil, !report.violations.isEmpty { return report }
    let again = try dashboard?.steering.repeating(setup, files: options.files) ?? setup
    return try Investigation.explain(report, of: again, store: newStore)
  }
}

extension Output {
  fileprivate var isFile: Bool {
    switch self {
    case .console, .prometheus, .openTelemetry, .remoteWrite: false
    case .summary, .junit, .html, .histogramLog, .events, .timeline, .deviceLogs: true
    }
  }
}

extension RouteFiles {
  /// The files of a scenario at a path, as the process sees them.
  init(beside scenario: String, _ process: ProcessContext) {
    self.init(beside: scenario, read: process.readFile, list: process.listFolder)
  }
}

extension [Output] {
  fileprivate var problems: [ScenarioProblem] {
    enumerated().compactMap { index, output -> ScenarioProblem? in
      guard case .prometheus(let output) = output else { return nil }
      do throws(NetworkError) {
        _ = try ListenAddress(parsing: output.listen)
        return nil
      } catch {
        return ScenarioProblem(
          .wrongType, "outputs[\(index)].listen", "\(error)", remedy: "write it as 127.0.0.1:9464")
      }
    }
  }

  /// The address where the figures can be read during the run.
  fileprivate var listen: String? {
    for case .prometheus(let output) in self { return output.listen }
    return nil
  }
}

extension ExitCode {
  /// The exit code of a command that could not write all its files: the verdict takes precedence unless it is a success.
  var withoutFiles: ExitCode { self == .ok ? .runtimeFailure : self }

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
