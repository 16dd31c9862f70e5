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
    var coverage: [CoverageSeen]?
    do {
      let code = try runThrough(scenario, &coverage)
      return (code, coverage)
    } catch { return (report(error), coverage) }
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

  private func runThrough(_ scenario: Scenario, _ coverage: inout [CoverageSeen]?) throws -> ExitCode {
    var scenario = scenario
    scenario.limitGeneratorLag()
    var setup = try RunSetup(scenario, files: options.files)
    if let shard = options.shard { setup = setup.part(shard) }
    let steering = options.dashboard.map { _ in
      RunSteering(scenario, &setup, document: options.document.adopting(scenario, keepsJudgement: true))
    }
    let measures = try Measures(scenario, setup, processorTime: ProcessorClock.now)
    let outputs = try RunOutputs(scenario, setup, folder: options.folder)
    setup.logged = outputs.devicesLogged(of: setup)
    if options.folder == nil, scenario.outputs.contains(where: \.isFile) {
      process.writeError("note: outputs: no files are written without --out")
    }
    let listener = try scenario.outputs.listen.map { listen in try MetricsListener(listen: listen) }
    defer { listener?.stop() }
    if !options.isOneOfMany { process.writeOutput("seed 0x\(String(setup.seed, radix: 16))") }
    if let listener { process.writeOutput("metrics \(listener.url)") }
    if !options.isOneOfMany { scenario.replacements.forEach(process.writeOutput) }
    if let note = scenario.anonymityNote, !options.isOneOfMany { process.writeError("note: \(note)") }
    if let code = try refusal(of: scenario) ?? checkTarget(&setup) { return code }
    setup.tracedShare = RunTelemetry.tracedShare(scenario, devices: setup.deviceNames.count)
    let telemetry = try RunTelemetry(
      scenario, setup, measures, version: Product.version, shard: options.shard?.text,
      wallNow: { SystemClock().wallNow }
    ) { outputs.append(toHistogramLog: $0) }
    defer { telemetry?.abandon() }
    var dashboard: Dashboard?
    if let steering, let room = options.dashboard {
      dashboard = try Dashboard(steering, scenario, setup, room, process)
    }
    defer { dashboard?.stop() }
    let result =
      try runDivided(setup, scenario, outputs)
      ?? run(setup, scenario, measures, outputs, listener, telemetry, dashboard)
    coverage = result.coverage
    let code = report(result, of: scenario, setup, outputs, steering)
    dashboard?.waitForEnd(interruption)
    return code
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
  private func runDivided(_ setup: RunSetup, _ scenario: Scenario, _ outputs: RunOutputs) throws -> Result? {
    let (count, reason) = options.processes.number(for: setup, scenario, options, process)
    if let reason { process.writeError("note: --processes: this run uses one process: \(reason)") }
    guard count > 1 else { return nil }
    let begun = SystemClock().wallNow
    let divided = DividedSimulation(
      process: process, isQuiet: options.isQuiet, isOneOfMany: options.isOneOfMany, count: count,
      interruption: interruption, isInRealTime: setup.outside != nil, start: options.start, judge: WholeJudge(scenario)
    ) { shard, folder, line in simulate(shard, of: setup, scenario, in: folder, line) }
    guard let whole = try divided.run(setup, outputs) else { return nil }
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
      let shardLine = ShardLine(line, sendsInterims: WholeJudge(scenario).isNeeded)
      if setup.outside == nil { shardLine.listen() }
      let result = try Simulation(process, options, interruption, shardLine)
        .run(part, scenario, measures, outputs, nil, nil, nil)
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

  private func run(
    _ setup: RunSetup, _ scenario: Scenario, _ measures: Measures, _ outputs: RunOutputs, _ listener: MetricsListener?,
    _ telemetry: RunTelemetry?, _ dashboard: Dashboard?
  ) throws -> Result {
    let display = options.isQuiet || shardLine != nil ? nil : ProgressDisplay(process)
    let destination = try RunDestination(of: setup, interruption: interruption) { try newStore() }
    let audit = setup.outside.map { _ in AnswerAudit(setup) }
    let errors = ErrorWatch(setup)
    let others: [(any Watcher)?] = [telemetry, measures, errors, audit, shardLine?.ending]
    let watchers = others.compactMap(\.self) + outputs.watchers(of: setup)
    let run = try FleetRun(
      setup, to: destination, interruption: interruption, watchers: watchers, steering: dashboard?.steering)
    listener?.show(measures)
    awaitStart(of: setup)
    var builder = SummaryBuilder(
      options: options, command: command, setup: setup, run: run, measures: measures, errors: errors, audit: audit)
    let show = { (_: Double, _: LedgerSums) in
      if let sentence = errors.takeOpeningSentence() {
        display?.clear()
        process.writeError("note: \(sentence)")
      }
      var progress = measures.progress
      (progress.errors, progress.mostFrequentError) = (errors.failedUploads, errors.mostFrequent)
      display?.show(progress)
      shardLine?.show(progress) { builder.summary(of: run.interim) }
      listener?.show(measures)
      outputs.append(measures.timeline)
      dashboard?.serve { builder.summary(of: run.interim) }
    }
    var report: RunReport
    var difference: DeterminismCheck.Difference?
    if options.checksDeterminism {
      let secondRun = try FleetRun(setup, to: .inside(newStore()), interruption: interruption, watchers: [])
      (report, difference) = try DeterminismCheck.run(run, beside: secondRun, progress: show)
    } else {
      report = try run.run(progress: show) { unproven in
        display?.clear()
        // The report is saved even if the server is slow to list its records, or does not.
        outputs.write(builder.summary(of: unproven), map: run.map(of: scenario))
      }
    }
    display?.clear()
    let sending = telemetry?.finish(report)
    builder.undelivered = sending?.notes ?? []
    report = try explained(report, of: setup, dashboard)
    let whole = builder.summary(of: report)
    dashboard?.end(whole)
    return Result(
      summary: whole, tracks: run.tracks, coverage: report.coverage, violation: report.violations.first,
      lost: report.lost, remarkedAt: report.remarks.map(\.instant), difference: difference, sent: sending?.sent ?? [])
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
