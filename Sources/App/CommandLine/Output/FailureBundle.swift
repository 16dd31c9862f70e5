import Base
import FleetSimulator
import Scenario
import Store

/// Everything that there is to say about a failure, in a folder of its own: the plan as it failed, the smallest one that
/// still does, how they were found, and what happened.
struct FailureBundle {
  let plan: FailurePlan
  let small: FailurePlan
  private let runs: Int
  private let story: StoryTeller
  private let victim: Victim?
  /// Inside the folder of `--out`.
  let folder: String

  /// Shrinks the plan when that is wanted, and runs what is left once more, to tell its story.
  init(_ plan: FailurePlan, name: String, seed: UInt64, shrinks: Bool) throws {
    self.plan = plan
    folder = "failures/\(FailureBundle.fileName(name))-\(seed)"
    if shrinks {
      var shrinker = Shrinker(plan) { try FleetRun($0, store: SQLiteStore(.scratch)).run() }
      small = try shrinker.shrink()
      runs = shrinker.runs
    } else {
      (small, runs) = (plan, 0)
    }
    let setup = try small.setup()
    story = StoryTeller(setup, of: small.device)
    let report = try FleetRun(setup, store: SQLiteStore(.scratch), watchers: [story]).run()
    victim = report.victims.first { $0.invariantName == plan.invariant }
  }

  func write(to output: OutputFolder) throws {
    try output.write(plan.text + "\n", to: folder + "/plan.json")
    try output.write(small.text + "\n", to: folder + "/shrunk.json")
    try output.write(story.journal, to: folder + "/journal.ndjson")
    try output.write(report(at: output.path(folder)), to: folder + "/report.md")
  }

  func replayCommand(at place: String) -> String {
    "rollingroad replay \(place)/shrunk.json --break '\(plan.invariant)'"
  }

  private func report(at place: String) throws -> String {
    let (before, after) = (try plan.setup(), try small.setup())
    let rows = [
      ("devices", "\(before.memberCount)", "\(after.memberCount)"),
      ("faults", "\(before.faults.count)", "\(after.faults.count)"),
      ("time", before.duration.wholeSeconds, after.duration.wholeSeconds),
      ("settle", before.settle.wholeSeconds, after.settle.wholeSeconds),
    ]
    return """
      `\(replayCommand(at: place))`

      # \(plan.invariant)

      ```
      \(victim?.text ?? "not violated again: the failure did not come from the plan alone")
      ```

      | | as it failed | smallest found |
      |---|---|---|
      \(rows.map { "| \($0.0) | \($0.1) | \($0.2) |" }.joined(separator: "\n"))

      Seed \(before.seed), version \(plan.product), \(runs) runs to make it small.
      `journal.ndjson` has the story of \(small.device ?? "all devices"), `plan.json` the run as it failed.

      ```
      \(story.text)
      ```

      """
  }

  private static func fileName(_ name: String) -> String {
    String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") ? $0 : "_" })
  }
}

extension RunSetup {
  var memberCount: Int { fleets.reduce(0) { $0 + ($1.members?.count ?? $1.devices) } }
}

extension Nanoseconds {
  fileprivate var wholeSeconds: String { "\(wholeMilliseconds / 1_000) s" }
}
