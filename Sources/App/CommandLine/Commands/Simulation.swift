import Base
import FleetSimulator
import Scenario
import Store

/// A run of a scenario that is in order, in virtual time, and what there is to say about it.
struct Simulation {
  private let process: ProcessContext
  /// Of the scenario, or the name of one that is built in.
  private let path: String
  private let checksDeterminism: Bool
  private let shard: Shard?

  init(_ process: ProcessContext, path: String, checksDeterminism: Bool, shard: Shard?) {
    self.process = process
    self.path = path
    self.checksDeterminism = checksDeterminism
    self.shard = shard
  }

  func run(_ scenario: Scenario) -> ExitCode {
    var setup: RunSetup
    do throws(UnsupportedScenario) {
      setup = try RunSetup(
        scenario, files: RouteFiles(beside: path, read: process.readFile, list: process.listFolder))
    } catch {
      for problem in error.problems { process.writeError("rollingroad simulate: \(problem)") }
      return .badScenario
    }
    if let shard { setup = setup.part(shard) }
    process.writeOutput("seed 0x\(String(setup.seed, radix: 16))")
    noteWhatIsNotJudged(scenario)
    do {
      let report = try run(setup)
      tell(report, of: scenario.name)
      if checksDeterminism, try !isRepeatable(setup) { return .invariantViolated }
      return report.isRight ? .ok : .invariantViolated
    } catch {
      process.writeError("rollingroad simulate: \(error)")
      return .runtimeFailure
    }
  }

  private func noteWhatIsNotJudged(_ scenario: Scenario) {
    let sections = [
      ("thresholds", !scenario.thresholds.isEmpty), ("checks", !scenario.checks.isEmpty),
      ("coverage", scenario.coverage != Coverage()), ("outputs", !scenario.outputs.isEmpty),
      ("target", scenario.target != Target()), ("invariants", scenario.invariants != InvariantSelection()),
    ]
    for (name, isThere) in sections where isThere {
      process.writeError("note: \(name): not looked at by this version; the book of records and the invariants are")
    }
  }

  private func newStore() throws -> SQLiteStore { try SQLiteStore(.scratch) }

  private func run(_ setup: RunSetup) throws -> RunReport {
    var lastPercent = -1
    return try FleetRun(setup, store: newStore()).run { share, sums in
      let percent = Int(share * 20) * 5
      guard process.errorIsTerminal, percent > lastPercent else { return }
      lastPercent = percent
      process.writeError("\(percent) %: \(sums.created) records, \(sums.stored) found in the store, \(sums.lost) lost")
    }
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

  private func tell(_ report: RunReport, of name: String) {
    let sums = report.sums
    let drained = report.drained.map { "drained in \($0.wholeMilliseconds) ms" } ?? "not drained"
    process.writeOutput(
      """
      \(name): \(report.devices) devices for \(report.duration.wholeMilliseconds / 1_000) s of virtual time
      records: created \(sums.created), stored \(sums.stored), pending \(sums.pending), expired \(sums.expired), \
      evicted \(sums.evicted), destroyed \(sums.destroyed), quarantined \(sums.quarantined), \
      lost \(sums.lost), duplicate rows \(sums.duplicateRows)
      \(report.requests) requests, \(report.events) events, \(drained)
      """)
    for victim in report.victims { process.writeOutput(victim.text) }
    process.writeOutput("hash \(report.hash.text)")
  }
}
