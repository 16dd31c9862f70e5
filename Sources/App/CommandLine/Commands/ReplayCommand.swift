import Base
import FleetSimulator
import Scenario
import Store

extension Command {
  static let replay = Command(
    name: "replay",
    summary: "run a failure again and tell its story",
    operands: "BUNDLE",
    operandCount: 1...1,
    flags: [
      .value("until", "TIME", "tell what happened until then: 763s, counted from the start"),
      .value("break", "INVARIANT", "the invariant to look for, when it is not that of the plan"),
      .value("device", "NAME", "whose story, when it is not the victim's; all: everybody's"),
    ],
    details: """
      BUNDLE is a folder that 'simulate --out' has left in failures/, or a plan.json or shrunk.json of one. The
      smallest plan is taken when there is one. The run is the same as the one that failed; the story of its victim
      ends when the invariant is violated. The exit code is 98 when it is violated again, and 1 when it is not.
      """,
    run: { (invocation) throws(UsageError) in try ReplayCommand(invocation).run() })
}

/// One run of `replay`.
private struct ReplayCommand {
  let process: ProcessContext
  let place: String
  let bytes: [UInt8]
  let until: MonotonicInstant?
  let invariant: String?
  let device: String?

  init(_ invocation: Invocation) throws(UsageError) {
    process = invocation.process
    place = invocation.operands[0]
    let read = process.readFile
    guard let bytes = read(place + "/shrunk.json") ?? read(place + "/plan.json") ?? read(place) else {
      throw UsageError("\(place): neither a folder with shrunk.json or plan.json nor a plan")
    }
    self.bytes = bytes
    until = try invocation.values.read("until", expected: "a time, as in 763s") { text in
      Nanoseconds(text: text).map { MonotonicInstant(nanoseconds: 0) + $0 }
    }
    invariant = try invocation.values.read("break", expected: "the name of an invariant") { text in
      Invariant(rawValue: text).map(\.rawValue)
    }
    device = invocation.values.text("device")
  }

  func run() -> ExitCode {
    do {
      let plan = try FailurePlan(reading: bytes)
      let setup = try plan.setup()
      let report = try FleetRun(setup, store: SQLiteStore(.scratch)).run()
      let wanted = invariant ?? plan.invariant
      let victim = report.victims.first { $0.invariantName == wanted }
      try tell(of: victim, in: setup)
      if let victim { process.writeOutput(victim.text) }
      tell(report, plan)
      return victim == nil ? .runtimeFailure : .invariantViolated
    } catch let error as FailurePlan.ReadingError {
      process.writeError("rollingroad replay: \(place): \(error.message)")
      return .badScenario
    } catch let error as ScenarioProblems {
      for problem in error.all { process.writeError("\(problem.text(sources: [place + " scenario"]))") }
      return .badScenario
    } catch let error as UnsupportedScenario {
      for problem in error.problems { process.writeError("rollingroad replay: \(problem)") }
      return .badScenario
    } catch {
      process.writeError("rollingroad replay: \(error)")
      return .runtimeFailure
    }
  }

  /// The run once more, with somebody who writes down what happens.
  private func tell(of victim: Victim?, in setup: RunSetup) throws {
    let whose = device == "all" ? nil : device ?? victim?.device
    let story = StoryTeller(setup, of: whose, until: until)
    _ = try FleetRun(setup, store: SQLiteStore(.scratch), watchers: [story]).run()
    process.writeOutput(story.text)
  }

  private func tell(_ report: RunReport, _ plan: FailurePlan) {
    let wanted = invariant ?? plan.invariant
    if !report.victims.contains(where: { $0.invariantName == wanted }) {
      process.writeOutput("\(wanted) is not violated")
    }
    let isSame = report.hash.text == plan.hash
    let note =
      isSame ? "as when it failed" : "not the \(plan.hash) of version \(plan.product): something has changed since"
    process.writeOutput("hash \(report.hash.text), \(note)")
  }
}
