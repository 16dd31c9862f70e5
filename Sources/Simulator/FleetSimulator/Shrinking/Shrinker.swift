import JSON
package import Oracle
import Scenario

/// Minimizes a failure, step by step: a step is kept when the resulting run still violates the same invariant. The result
/// depends on the plan only; the effort is bounded by the number of runs and of their events. A search that is stopped
/// keeps its best result.
package struct Shrinker {
  /// Performs a run.
  package typealias Runner = (RunSetup, [any Watcher]) throws -> RunReport

  package private(set) var plan: FailurePlan
  package private(set) var runs = 0
  /// The fault occurrences in the run of the plan, until it failed.
  private(set) var occurrences: [FaultOccurrence] = []
  private let run: Runner
  /// Stops the search, even during a run, as the runner checks it.
  private let stop: Interruption
  private var runsLeft: Int
  private var eventsLeft: Int
  private var tried: Set<String> = []

  package init(
    _ plan: FailurePlan, runsMax: Int = 400, eventsMax: Int = 50_000_000, stop: Interruption = Interruption(),
    run: @escaping Runner
  ) {
    self.plan = plan
    self.run = run
    self.stop = stop
    runsLeft = runsMax
    eventsLeft = eventsMax
  }

  /// Returns the smallest plan that was found.
  package mutating func shrink() throws -> FailurePlan {
    // Most failures need only their own device, so a plan of thousands is usually never run as a whole.
    guard try keepViolatingDevice() || attempt(plan.document) else { return plan }
    var before: ScenarioDocument
    repeat {
      before = plan.document
      try cutTimeline()
      try keepFewerDevices()
      try keepFewerFaults()
      try keepFewerOccurrences()
      try takeKeysAway()
      try roundTimes()
    } while plan.document != before && runsLeft > 0 && !stop.isRequested
    if let setup = setup(plan.document), !stop.isRequested {
      runs += 1
      let report = try run(setup, [])
      if !stop.isRequested { plan.hash = report.hash.text }
    }
    return plan
  }

  /// Reports whether the document still fails in the same way; if so, it becomes the plan.
  mutating func attempt(_ document: ScenarioDocument) throws -> Bool {
    guard !stop.isRequested, runsLeft > 0, eventsLeft > 0, tried.insert(document.text).inserted else { return false }
    guard var setup = setup(document) else { return false }
    setup.breakingInvariant = Invariant(rawValue: plan.invariant)
    runsLeft -= 1
    runs += 1
    let list = OccurrenceList()
    let report = try run(setup, [list])
    eventsLeft -= report.events
    // A run that was cut short proves nothing.
    guard !stop.isRequested, let violation = report.violations.first(where: { $0.invariantName == plan.invariant })
    else {
      return false
    }
    plan.document = document
    plan.hash = FailurePlan.unknownHash
    plan.device = violation.device
    plan.instant = violation.instant
    occurrences = list.begun
    return true
  }

  /// Returns nil for an invalid scenario, or one that cannot be run.
  func setup(_ document: ScenarioDocument) -> RunSetup? {
    do throws(ScenarioErrors) {
      let result = try ScenarioReader.read(document)
      do throws(UnsupportedScenarioError) { return try RunSetup(result.scenario, files: RouteFiles(plan.files)) } catch
      {
        return nil
      }
    } catch { return nil }
  }
}

extension Violation {
  /// The name in scenarios and plans: `I3-acked-is-durable`.
  package var invariantName: String { rule.rawValue }
}

/// Minimizes a failing list: A. Zeller, R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE Transactions
/// on Software Engineering 28 (2002). The result fails, and stops failing when any one element is removed, unless the test
/// ends the search early.
enum DeltaDebugging {
  static func reduce<Element>(
    _ elements: [Element], _ stillFails: ([Element]) throws -> Bool
  ) rethrows -> [Element] {
    var rest = elements
    if rest.isEmpty { return rest }
    if try stillFails([]) { return [] }
    var parts = 2
    while rest.count >= 2 {
      if let smaller = try smaller(rest, in: parts, stillFails) {
        parts = smaller.isOnePart ? 2 : max(2, parts - 1)
        rest = smaller.elements
      } else if parts < rest.count {
        parts = min(rest.count, 2 * parts)
      } else {
        break
      }
    }
    return rest
  }

  /// Returns one part alone, or all but one part.
  private static func smaller<Element>(
    _ elements: [Element], in parts: Int, _ stillFails: ([Element]) throws -> Bool
  ) rethrows -> (elements: [Element], isOnePart: Bool)? {
    let bounds = (0...parts).map { $0 * elements.count / parts }
    for (start, end) in zip(bounds, bounds.dropFirst()) {
      let part = Array(elements[start..<end])
      if try stillFails(part) { return (part, true) }
    }
    guard parts > 2 else { return nil }
    for (start, end) in zip(bounds, bounds.dropFirst()) {
      let others = Array(elements[..<start] + elements[end...])
      if try stillFails(others) { return (others, false) }
    }
    return nil
  }
}

/// Records which faults affected which devices, and when.
final class OccurrenceList: Watcher {
  private(set) var begun: [FaultOccurrence] = []

  func see(_ event: SimulationEvent, _ context: EventContext) {
    if case .faultBegan(let occurrence) = event { begun.append(occurrence) }
  }
}

/// Stops a search at its time limit, even during a run.
package final class SearchLimit: Watcher {
  private let stop: Interruption
  private let isOver: () -> Bool
  private var events = 0

  /// Reading the clock is more expensive than most events.
  private static let eventsPerLook = 64

  package init(_ stop: Interruption, isOver: @escaping () -> Bool) {
    self.stop = stop
    self.isOver = isOver
  }

  package func see(_ event: SimulationEvent, _ context: EventContext) {
    if events % SearchLimit.eventsPerLook == 0, isOver() { stop.request() }
    events += 1
  }
}
