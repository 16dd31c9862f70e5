import Base
import FleetSimulator
import Network
import Scenario
import Shell

extension Subcommand {
  static let simulate = Subcommand(
    name: "simulate",
    summary: "drive simulated phones through a scenario",
    operands: "SCENARIO",
    operandCount: 1...1,
    operandHint: "name a file, or one of \(BuiltInScenario.all.map(\.name).joined(separator: ", "))",
    flags: [
      .value("target", "URL", "server to upload to; overrides target.url; implies real time unless --mode is given"),
      .value(
        "admin-token", "TOKEN", "the target's admin token, for verification, faults and the street map",
        isSecret: true),
      .value(
        "preset", "NAME",
        "\(TargetPreset.names): the target's dialect, with its device names; overrides target.preset"),
    ] + VerifyFlag.all + [
      .value("mode", "MODE", "virtual, lockstep, accelerated or realtime; overrides clock.mode"),
      .value("factor", "N", "speed of an accelerated run, as a multiple of real time; overrides clock.factor"),
      .value("seed", "SEED", "random seed; overrides the scenario's seed"),
      .value("seeds", "N", "run N seeds and evaluate coverage over all of them"),
      .value("devices", "N", "total number of devices; fleets keep their proportions"),
      .value("scale", "X", "multiply every number of devices and rate of trips by X"),
      .value("duration", "TIME", "duration of the drives; overrides clock.duration"),
      .value("fleet", "NAME", "run only this fleet"),
      .value("shard", "I/N", "run only part I of N, counted from 0; auto/N takes I from a Kubernetes Indexed Job"),
      .value(
        "processes", "N|auto",
        "share a run, or the seeds of --seeds, among N processes; auto takes one for each processor in virtual time, and one process otherwise",
        standard: "auto"),
      .value(
        "start-at", "TIME",
        "begin the drives at this time, such as 2026-08-03T07:00:00Z, so that shards on several machines begin together"
      ),
      .values("set", "PATH=VALUE,…", "change values of the scenario: fleets.cars.devices=50,faults[0].at=5m"),
      .values(
        "output", "TYPE=VALUE",
        "one more output: otlp-http=URL, prometheus-remote-write=URL, hdr-log=FILE and others (docs/outputs.md)"),
      .value(
        "out", "DIR", "directory for summary, report, JUnit XML, events and logs; without it no files are written"),
      .toggle(
        "strict", "fail when the target's answers break a clause, or its store was not checked"),
      .value(
        "dashboard", "ADDRESS",
        "serve a control room at this address, such as 127.0.0.1:5665: a page and an API to watch and steer the run; port 0 picks a free one"
      ),
      .value(
        "dashboard-token", "TOKEN", "token for the control room; required when other machines can reach it",
        isSecret: true),
      .toggle(
        "dashboard-wait",
        "keep the control room open after the run, until Ctrl-C; on a terminal, virtual runs do so anyway"),
      .toggle("quiet", "print no progress, only the summary"),
      .toggle("check-determinism", "run twice and name the first event that differs"),
      .toggle("dry-run", "print the plan of the run without running it"),
    ] + SecurityFlags.all,
    details: """
      SCENARIO is a file, or the name of a built-in scenario ('rollingroad scenarios' lists them). Without --target the
      run takes place in virtual time, against a server inside the process: nothing is sent, and a day takes seconds.

      Every record is followed from the fix to the database. docs/scenario.md explains every key.

      exit code: 0 when everything held, 98 when a record was lost or another invariant violated, 105 after Ctrl-C, 97
      when the run proves nothing (the store could not be read, the simulator was too slow), 99 when a threshold was missed
      or there is another finding about the server, 110 when a situation that 'coverage' requires did not occur, 1 when
      an output could not be written, 104 when the scenario has errors (all of them are reported at once, with their
      locations), 106 when the address of the control room cannot be opened, 2 when the command line has a mistake

      --processes divides one run among processes of this machine. In virtual time the result is the same as with one
      process; in real and accelerated time the drives of all processes begin together, and thresholds judge the whole
      run. --shard divides a run among machines. Each device behaves as in the undivided run, so that
      'rollingroad merge' can add up the results exactly.
      """,
    examples: [
      "rollingroad simulate first-drive",
      "rollingroad simulate tunnel-exit --devices 500 --out out",
      "rollingroad simulate first-drive --dashboard 127.0.0.1:5665",
      "rollingroad simulate first-drive --target http://127.0.0.1:8080/locations --preset rollingroad --mode lockstep",
    ],
    run: { (invocation) throws(UsageError) in try SimulateCommand(invocation).run() })

  static func unknownScenario(_ name: String) -> String {
    if let reason = UnreadableFile.reason(name) { return "cannot read \(name): \(reason)" }
    let names = BuiltInScenario.all.map(\.name)
    let near = NearestName.find(name, in: names).map { "; did you mean '\($0)'?" }
    return "no file and no built-in scenario '\(name)'" + (near ?? "; 'rollingroad scenarios' lists them")
  }
}

/// One run of `simulate`.
private struct SimulateCommand {
  let process: ProcessContext
  let name: String
  let text: String
  let overrides: [Override]
  let values: FlagValues
  /// The files that the scenario names.
  private let files: RouteFiles

  init(_ invocation: Invocation) throws(UsageError) {
    process = invocation.process
    values = invocation.values
    name = invocation.operands[0]
    guard let text = try process.readText(name) ?? BuiltInScenario.named(name)?.text else {
      throw UsageError(Subcommand.unknownScenario(name))
    }
    self.text = text
    files = RouteFiles(beside: name, process)
    overrides = try FlagOverrides.list(invocation.values)
  }

  private static let devicesMax = 10_000_000

  func run() throws(UsageError) -> ExitCode {
    let (factor, devices) = (try scaleFactor(), try deviceCount())
    func adjusted(_ scenario: Scenario) throws(UsageError) -> Scenario {
      var scenario = try chosenFleet(of: scenario)
      if let factor { scenario = try scaled(scenario, by: factor) }
      if let devices { scenario = scenario.scaled(toDevices: devices) }
      scenario.target.hasAdminToken = values.value("admin-token")?.origin == "--admin-token"
      return scenario
    }
    let result: ScenarioReader.Result
    do throws(ScenarioErrors) {
      result = try read { scenario in
        // A wrong flag is refused by itself.
        do throws(UsageError) {
          return Simulation.problems(of: try adjusted(scenario), files)
            + SecurityFlags.problems(of: scenario.target.security, process)
        } catch { return [] }
      }
    } catch {
      try refuseFlags(among: error.all)
      return .badScenario
    }
    let scenario = try adjusted(result.scenario)
    var notes = result.notes.map { $0.text(sources: sources) }
    let (count, written) = (scenario.peakDevices, result.scenario.peakDevices)
    if count < written, !scenario.coverage.sometimes.isEmpty {
      notes.append("\(count.of("device")) of the scenario's \(written)")
    }
    try checkFlags(in: scenario.clock.mode)
    write(result.notes, as: "note: ")
    if scenario.target.security.isUnchecked {
      process.writeError(SecurityFlags.warning)
      notes.append(SecurityFlags.note)
    }
    let options = try simulationOptions(result, notes)
    let seeds = try values.read("seeds", expected: "a whole number from 1 to 1000000") { text in
      Quantities.count(text).flatMap { (1...1_000_000).contains($0) ? $0 : nil }
    }
    if !scenario.requests.isEmpty {
      let playback = try RequestPlayback(
        process, scenario, adminToken: values.text("admin-token"), isQuiet: values.isOn("quiet"))
      return values.isOn("dry-run") ? printPlan(of: scenario) : playback.run()
    }
    guard values.isOn("dry-run") else { return simulate(scenario, options, seeds: seeds) }
    return Simulation(process, options, Interruption()).refusal(of: scenario) ?? printPlan(of: scenario)
  }

  private func printPlan(of scenario: Scenario) -> ExitCode {
    process.writeOutput(RunPlan(scenario).text)
    return .ok
  }

  private func scaleFactor() throws(UsageError) -> Double? {
    try values.read("scale", expected: "a number above 0") { text in
      Double(text).flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
    }
  }

  private func deviceCount() throws(UsageError) -> Int? {
    try values.read("devices", expected: "a whole number from 1 to \(SimulateCommand.devicesMax)") { text in
      Quantities.count(text).flatMap { (1...SimulateCommand.devicesMax).contains($0) ? $0 : nil }
    }
  }

  /// Reads the scenario with its overrides; in real time if it has a target and no mode.
  private func read(others: (Scenario) -> [ScenarioProblem]) throws(ScenarioErrors) -> ScenarioReader.Result {
    var reader = ScenarioReader(overrides: overrides, variable: process.variable)
    // The target has no virtual clock, and the user wants to watch it work.
    if values.value("target") != nil, values.value("mode") == nil, try reader.mode(of: text) == .virtual {
      let realtime = Override(origin: "--target", path: "clock.mode", value: "realtime")
      reader = ScenarioReader(overrides: overrides + [realtime], variable: process.variable)
    }
    return try reader.read(text, others: others)
  }

  private func scaled(_ scenario: Scenario, by factor: Double) throws(UsageError) -> Scenario {
    guard Double(scenario.peakDevices) * factor <= Double(SimulateCommand.devicesMax) else {
      throw UsageError(
        "--scale: \(factor) times \(scenario.peakDevices.of("device")) is more than \(SimulateCommand.devicesMax)")
    }
    return scenario.scaled(by: factor)
  }

  private func simulationOptions(
    _ result: ScenarioReader.Result, _ notes: [String]
  ) throws(UsageError) -> SimulationOptions {
    let words = process.arguments.dropFirst().without(["--admin-token", "--dashboard-token"])
    return SimulationOptions(
      files: files, checksDeterminism: values.isOn("check-determinism"), isQuiet: values.isOn("quiet"),
      isStrict: values.isOn("strict"),
      folder: values.text("out"), shard: try shard(), processes: try ProcessCount(values),
      start: try RunStart(values),
      adminToken: values.text("admin-token"),
      words: words,
      scenarioHash: scenarioHash(of: result.document), document: result.document, places: result.places,
      sources: sources, notes: notes, dashboard: try DashboardOptions(values, words: words))
  }

  private func checkFlags(in mode: ClockMode) throws(UsageError) {
    if values.isOn("check-determinism"), mode != .virtual {
      throw UsageError("--check-determinism: only mode virtual is repeatable, not \(mode.rawValue)")
    }
    if let start = values.value("start-at"), [.virtual, .lockstep].contains(mode) {
      throw UsageError(
        "\(start.origin): mode \(mode.rawValue) does not wait for a start time; use --start-at in real or accelerated time"
      )
    }
    try refuseUseless("factor", unless: mode == .accelerated, "only mode accelerated has a factor")
    try refuseUseless("verify", unless: mode != .virtual, "in virtual time the store is inside; name a --target")
  }

  /// A flag without effect is a mistake; an environment variable may be for other runs.
  private func refuseUseless(_ name: String, unless isUseful: Bool, _ reason: String) throws(UsageError) {
    guard !isUseful, values.value(name)?.origin == "--\(name)" else { return }
    throw UsageError("--\(name): \(reason)")
  }

  private func simulate(_ scenario: Scenario, _ options: SimulationOptions, seeds: Int?) -> ExitCode {
    let interruption = Interruption()
    if process.ownsSignals {
      do throws(NetworkError) { try EndingSignals.listen { interruption.request() } } catch {
        process.writeError("rollingroad simulate: \(error)")
        return .runtimeFailure
      }
    }
    if let seeds {
      return SeedSeries(process: process, options: options, interruption: interruption, count: seeds).run(scenario)
    }
    return Simulation(process, options, interruption).run(scenario).code
  }

  /// Returns the whole scenario without `--fleet`.
  private func chosenFleet(of scenario: Scenario) throws(UsageError) -> Scenario {
    guard let fleet = values.text("fleet") else { return scenario }
    guard let chosen = scenario.only(fleet: fleet) else {
      let near = NearestName.find(fleet, in: scenario.fleets.map(\.name)).map { "; did you mean '\($0)'?" } ?? ""
      throw UsageError("--fleet: the scenario has no fleet '\(fleet)'\(near)")
    }
    return chosen
  }

  private func shard() throws(UsageError) -> Shard? {
    guard let value = values.value("shard") else { return nil }
    var text = value.text
    if text.hasPrefix("auto/") {
      guard let index = process.variable("JOB_COMPLETION_INDEX") else {
        throw UsageError("\(value.origin): auto needs JOB_COMPLETION_INDEX, which Kubernetes sets in an Indexed Job")
      }
      text = index + text.dropFirst("auto".count)
    }
    guard let shard = Shard(text: text) else {
      let last = Shard.countMax
      throw UsageError("\(value.origin): '\(text)' is not I/N with I from 0 to N-1 and N at most \(last), as in 0/4")
    }
    return shard
  }

  /// Hashes the scenario, with variables and overrides applied, and the flags that change it afterwards. The seed is
  /// reported separately.
  private func scenarioHash(of document: ScenarioDocument) -> String {
    var hash = TraceHash()
    var document = document
    // Outputs do not affect the run.
    for key in ["outputs", "seed"] { document.remove(DocumentPath([.key(key)])) }
    hash.fold(Array(document.text.utf8).span)
    for flag in ["fleet", "scale", "devices"] {
      hash.fold(Array("\(flag)=\(values.text(flag) ?? "")".utf8).span)
    }
    return hash.text
  }

  /// Reports all problems. An invalid value of a flag is a usage error; a value of `--set` belongs to the scenario.
  private func refuseFlags(among problems: [ScenarioError]) throws(UsageError) {
    func isFlag(_ problem: ScenarioError) -> Bool {
      let source = problem.position.source
      return [.wrongType, .outOfRange, .unknown, .unresolved].contains(problem.kind)
        && (1...overrides.count).contains(source)
        && !overrides[source - 1].origin.hasPrefix("--set ")
    }
    let wrong = overrides.isEmpty ? nil : problems.last(where: isFlag)
    write(problems.filter { $0 != wrong }, as: "")
    if let wrong { throw UsageError(wrong.text(sources: sources)) }
  }

  /// The sources to which positions of problems refer: the scenario, then the overrides.
  private var sources: [String] { [name] + overrides.map(\.origin) }

  private func write(_ problems: [ScenarioError], as prefix: String) {
    for problem in problems { process.writeError(prefix + problem.text(sources: sources)) }
  }
}
