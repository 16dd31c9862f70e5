import Base
import FleetSimulator
import Oracle
import Scenario
import Store

extension Subcommand {
  static let replay = Subcommand(
    name: "replay",
    summary: "repeat a failed run and print what happened",
    operands: "BUNDLE",
    operandCount: 1...1,
    flags: [
      .value("until", "TIME", "print what happened until this time of the run, such as 763s"),
      .value("break", "INVARIANT", "stop where this invariant is violated"),
      .value(
        "device", "NAME", "print the events of this device instead of the violation's; all: every device"),
    ],
    details: """
      BUNDLE is a folder that 'simulate --out' left in failures/, or a plan.json or shrunk.json from one. For a folder, the
      smallest failing plan is used. The whole run is repeated exactly; with --break it stops at the violation.
      The exit code is 98 when the invariant is violated again, and 1 when it is not.
      """,
    run: { (invocation) throws(UsageError) in try ReplayCommand(invocation).run() })
}

/// One run of `replay`.
private struct ReplayCommand {
  let process: ProcessContext
  let place: String
  let until: MonotonicInstant?
  let invariant: Invariant?
  let device: String?

  init(_ invocation: Invocation) throws(UsageError) {
    process = invocation.process
    place = invocation.operands[0]
    until = try invocation.values.read("until", expected: "a time, such as 763s") { text in
      Nanoseconds(text: text).map { MonotonicInstant(nanoseconds: 0) + $0 }
    }
    invariant = try invocation.values.read("break", expected: "the name of an invariant") { text in
      Invariant(rawValue: text)
    }
    device = invocation.values.text("device")
  }

  func run() -> ExitCode {
    let read = process.readFile
    guard let bytes = read(place + "/shrunk.json") ?? read(place + "/plan.json") ?? read(place) else {
      process.writeError(
        "rollingroad replay: \(place): neither a folder with shrunk.json or plan.json nor a plan; name a folder in failures/ of 'simulate --out'"
      )
      return .runtimeFailure
    }
    do {
      let plan = try FailurePlan(reading: bytes)
      var setup = try plan.setup()
      if let problem = problem(with: device, of: setup) {
        process.writeError("rollingroad replay: --device: \(problem)")
        return .usage
      }
      if let invariant {
        guard setup.invariants.contains(invariant) else {
          process.writeError(
            "rollingroad replay: the plan does not check \(invariant.rawValue), so --break has no effect")
          return .usage
        }
        setup.breakingInvariant = invariant
      }
      let wanted = invariant?.rawValue ?? plan.invariant
      // For another invariant than the plan's, the device is known only after the violation.
      let known = device ?? (wanted == plan.invariant ? plan.device : nil)
      let story = FailureTranscript(setup, of: known == "all" ? nil : known, until: until)
      let report = try FleetRun(setup, store: SQLiteStore(.scratch), watchers: [story]).run()
      let violation = report.violations.first { $0.invariantName == wanted }
      process.writeOutput(story.text(of: device == "all" ? nil : known ?? violation?.device))
      tell(violation, wanted, of: report, plan)
      return violation == nil ? .runtimeFailure : .invariantViolated
    } catch let error as FailurePlan.ReadingError {
      process.writeError("rollingroad replay: \(place): \(error.message)")
      return .badScenario
    } catch let error as ScenarioErrors {
      for problem in error.all { process.writeError("\(problem.text(sources: [place + " scenario"]))") }
      return .badScenario
    } catch let error as UnsupportedScenarioError {
      for problem in error.problems { process.writeError("rollingroad replay: \(problem)") }
      return .badScenario
    } catch {
      process.writeError("rollingroad replay: \(error)")
      return .runtimeFailure
    }
  }

  /// Returns why there is nothing to report about that device; nil when there is.
  private func problem(with device: String?, of setup: RunSetup) -> String? {
    let names = setup.deviceNames
    guard let device, device != "all", !names.contains(device) else { return nil }
    let near = NearestName.find(device, in: Array(names.prefix(1_000))).map { "; did you mean '\($0)'?" }
    let some = names.prefix(4).joined(separator: ", ") + (names.count > 4 ? " and \(names.count - 4) more" : "")
    return "the plan has no device '\(device)'" + (near ?? "; there is: \(some); 'all' means every device")
  }

  private func tell(_ violation: Violation?, _ wanted: String, of report: RunReport, _ plan: FailurePlan) {
    process.writeOutput(violation?.text ?? "\(wanted) is not violated")
    if report.hash.text == plan.hash { return process.writeOutput("hash \(report.hash.text), as when it failed") }
    guard invariant != nil, let violation else {
      // A run that was to stop at another invariant does not end where that of the plan did.
      if plan.hash == FailurePlan.unknownHash || wanted != plan.invariant {
        return process.writeOutput("hash \(report.hash.text)")
      }
      return process.writeOutput(
        "hash \(report.hash.text), not the \(plan.hash) of version \(plan.product): something has changed since")
    }
    guard wanted == plan.invariant, let before = plan.instant else { return }
    let note =
      violation.instant == before && violation.device == plan.device
      ? "as when it failed"
      : "not \(plan.device ?? "no device") at \(before.clockText) as in version \(plan.product): something has changed since"
    process.writeOutput("stopped at \(violation.instant.clockText), \(note)")
  }
}
