import JSON
import Scenario

/// Makes a failure small, step by step: a step is kept when the run that is left still violates the same invariant. The
/// outcome follows from the plan alone; the effort is bounded by the number of runs and of their events.
package struct Shrinker {
  /// Makes a run of its own.
  package typealias Runner = (RunSetup) throws -> RunReport

  package private(set) var plan: FailurePlan
  package private(set) var runs = 0
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
    guard try attempt(plan.document) else { return plan }
    var before: ScenarioDocument
    repeat {
      before = plan.document
      try keepFewerDevices()
      try cutTimeline()
      try keepFewerFaults()
      try takeKeysAway()
      try roundTimes()
    } while plan.document != before && runsLeft > 0
    return plan
  }

  /// Whether the document still fails in the same way; then it is the plan from now on.
  mutating func attempt(_ document: ScenarioDocument) throws -> Bool {
    guard runsLeft > 0, eventsLeft > 0, tried.insert(document.text).inserted else { return false }
    guard let setup = Shrinker.setup(document) else { return false }
    runsLeft -= 1
    runs += 1
    let report = try run(setup)
    eventsLeft -= report.events
    guard let victim = report.victims.first(where: { $0.invariantName == plan.invariant }) else { return false }
    plan.document = document
    plan.device = victim.device
    plan.hash = report.hash.text
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
