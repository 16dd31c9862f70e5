import FleetSimulator
import Oracle
import Scenario

/// One scenario with a series of seeds: required coverage is judged over all of them together.
struct SeedSeries {
  let process: ProcessContext
  let options: SimulationOptions
  let interruption: Interruption
  /// The number of seeds, beginning with that of the scenario.
  let count: Int

  func run(_ scenario: Scenario) -> ExitCode {
    var tally = CoverageTally()
    var codes: [ExitCode] = []
    var step = 0
    let places = options.processes.number(ofSeeds: count, scenario, options, process)
    let workers = SeedWorkers(process: process, count: places, isOrdered: true, interruption: interruption) {
      run($0, of: scenario, $1, $2, isBesideOthers: places > 1)
    }
    do {
      try workers.run(
        next: {
          guard step < count, codes.last != .stoppedBySignal else { return nil }
          defer { step += 1 }
          return scenario.seed &+ UInt64(step)
        },
        end: { _, result in
          if let coverage = result?.coverage { tally.add(coverage) }
          codes.append(result.flatMap { ExitCode(rawValue: $0.code) } ?? .runInvalid)
        })
    } catch {
      process.writeError("rollingroad simulate: \(error)")
      codes.append(.runtimeFailure)
    }
    let passed = codes.count { $0 == .ok }
    let ran = codes.count
    // The last runs may have ended before the signal.
    if ran < count, interruption.isRequested { codes.append(.stoppedBySignal) }
    process.writeOutput("\(ran) seeds: \(passed) passed")
    if !judge(tally, scenario.coverage) { codes.append(.coverageMissed) }
    return codes.min { $0.rank < $1.rank } ?? .ok
  }

  private func run(
    _ seed: UInt64, of scenario: Scenario, _ process: ProcessContext, _ interruption: Interruption,
    isBesideOthers: Bool
  ) -> SeedResult {
    var (one, options) = (scenario, self.options)
    one.seed = seed
    one.coverage = Coverage()
    options.isOneOfMany = true
    options.words = SeedSeries.words(options.words, seed: seed)
    options.folder = options.folder.map { "\($0)/seed-\(seed)" }
    if isBesideOthers {
      options.processes = .fixed(1)
      // Progress lines would overwrite each other.
      options.isQuiet = true
    }
    let ending = Simulation(process, options, interruption).run(one)
    return SeedResult(code: ending.code.rawValue, coverage: ending.coverage)
  }

  /// Returns whether the required coverage was reached.
  private func judge(_ tally: CoverageTally, _ coverage: Coverage) -> Bool {
    for line in tally.lines(of: coverage.sometimes) { process.writeOutput("  " + line) }
    if tally.seeds < coverage.requireOverSeeds {
      process.writeError(
        "note: coverage was not evaluated: it requires \(coverage.requireOverSeeds) seeds, and \(tally.seeds) were run"
      )
      return true
    }
    return tally.missing(of: coverage.sometimes).isEmpty
  }

  /// Returns the command line for one of the runs alone.
  private static func words(_ words: [String], seed: UInt64) -> [String] {
    words.without(["--seed", "--seeds"]) + ["--seed", "0x" + String(seed, radix: 16)]
  }
}

extension ExitCode {
  /// The rank among the results of several runs, of which the first counts (docs/outputs.md, "How a run ends").
  fileprivate var rank: Int {
    switch self {
    case .invariantViolated: 0
    case .stoppedBySignal: 1
    case .runInvalid: 2
    case .thresholdFailed: 3
    case .coverageMissed: 4
    case .badScenario: 5
    case .cannotBind: 6
    case .runtimeFailure: 7
    case .usage: 8
    case .ok: 9
    }
  }
}

extension Sequence<String> {
  /// Returns the words of a command line without some flags and their values.
  func without(_ flags: [String]) -> [String] {
    var kept: [String] = []
    var isValue = false
    for word in self {
      if flags.contains(word) {
        isValue = true
      } else if isValue || flags.contains(where: { word.hasPrefix($0 + "=") }) {
        isValue = false
      } else {
        kept.append(word)
      }
    }
    return kept
  }
}
