import JSON
import Scenario

/// Makes a failure small, step by step: a step is kept when the run that is left still violates the same invariant. The
/// outcome follows from the plan alone; the effort is bounded by the number of runs and of their events.
package struct Shrinker {
  /// Makes a run of its own.
  package typealias Runner = (RunSetup, [any Watcher]) throws -> RunReport

  package private(set) var plan: FailurePlan
  package private(set) var runs = 0
  /// What went wrong in the run of the plan, until it failed.
  private(set) var occurrences: [FaultOccurrence] = []
  private let run: Runner
  private var runsLeft: Int
  private var eventsLeft: Int
  private var tried: Set<String> = []

  package init(_ plan: FailurePlan, runsMax: Int = 400, eventsMax: Int = 50_000_000, run: @escaping Runner) {
    self.plan = plan
    self.run = run
    runsLeft = runsMax
    eventsLeft = eventsMax
  }

  /// Gives the smallest plan that was found.
  package mutating func shrink() throws -> FailurePlan {
    // Most failures need nobody but their victim: a plan of thousands is then never run as a whole.
    guard try keepVictim() || attempt(plan.document) else { return plan }
    var before: ScenarioDocument
    repeat {
      before = plan.document
      try cutTimeline()
      try keepFewerDevices()
      try keepFewerFaults()
      try keepFewerOccurrences()
      try takeKeysAway()
      try roundTimes()
    } while plan.document != before && runsLeft > 0
    if let setup = Shrinker.setup(plan.document) {
      runs += 1
      plan.hash = try run(setup, []).hash.text
    }
    return plan
  }

  /// Whether the document still fails in the same way; then it is the plan from now on.
  mutating func attempt(_ document: ScenarioDocument) throws -> Bool {
    guard runsLeft > 0, eventsLeft > 0, tried.insert(document.text).inserted else { return false }
    guard var setup = Shrinker.setup(document) else { return false }
    setup.breakingInvariant = Invariant(rawValue: plan.invariant)
    runsLeft -= 1
    runs += 1
    let list = OccurrenceList()
    let report = try run(setup, [list])
    eventsLeft -= report.events
    guard let victim = report.victims.first(where: { $0.invariantName == plan.invariant }) else { return false }
    plan.document = document
    plan.device = victim.device
    plan.instant = victim.instant
    occurrences = list.begun
    return true
  }

  /// Nil for what is no scenario any more, or none that can be run.
  static func setup(_ document: ScenarioDocument) -> RunSetup? {
    do throws(ScenarioProblems) {
      let result = try ScenarioReader.read(document)
      guard result.notYet.isEmpty else { return nil }
      do throws(UnsupportedScenario) { return try RunSetup(result.scenario) } catch { return nil }
    } catch { return nil }
  }
}

extension Victim {
  /// As scenarios and plans have it: `I3-acked-is-durable`.
  package var invariantName: String { rule.rawValue }
}
