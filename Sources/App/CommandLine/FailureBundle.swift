import Base
import FleetSimulator
import Oracle
import Scenario
import Store

/// Everything that is known about a failure, in a folder of its own: the plan as it failed, the smallest one that
/// still does, how they were found, and what happened.
struct FailureBundle {
  let plan: FailurePlan
  let small: FailurePlan
  private let runs: Int
  /// The reason why the search for the smallest plan was not finished; nil when it was.
  private let cut: String?
  private let story: FailureTranscript
  private let violation: Violation?
  /// The SDK logs of its devices until the violation, by device.
  private let logs: [String: [UInt8]]
  /// The folder inside that of `--out`.
  let folder: String

  /// The number of devices with logs besides the violating one, when the plan has few devices.
  private static let loggedDevicesMax = 8
  /// The time limit of the search for the smallest plan.
  private static let searchTime = Nanoseconds.seconds(120)

  /// Shrinks the plan on request, and runs the result once more until it fails, to record its history. An interruption
  /// ends the search.
  init(
    _ plan: FailurePlan, name: String, seed: UInt64, shrinks: Bool, interruption: Interruption = Interruption()
  ) throws {
    self.plan = plan
    folder = FailureBundle.folder(name: name, seed: seed)
    if shrinks {
      let (clock, stop) = (SystemClock(), Interruption())
      let end = clock.monotonicNow + FailureBundle.searchTime
      let limit = SearchLimit(stop) { interruption.isRequested || clock.monotonicNow > end }
      var shrinker = Shrinker(plan, stop: stop) { setup, watchers in
        try FleetRun(
          setup, to: .inside(SQLiteStore(.scratch)), interruption: stop, watchers: watchers + [limit]
        ).run()
      }
      small = try shrinker.shrink()
      runs = shrinker.runs
      cut =
        stop.isRequested
        ? interruption.isRequested ? "ended by a signal" : "ended after \(FailureBundle.searchTime.wholeSeconds)" : nil
    } else {
      (small, runs, cut) = (plan, 0, nil)
    }
    var setup = try small.setup()
    setup.breakingInvariant = Invariant(rawValue: plan.invariant)
    let names = setup.deviceNames
    setup.logged = names.count <= FailureBundle.loggedDevicesMax ? Set(names) : Set([small.device].compactMap { $0 })
    story = FailureTranscript(setup, of: small.device)
    var logs: [String: [UInt8]] = [:]
    let sdk = DeviceLogs(setup) { device, piece in logs[device, default: []] += piece }
    let report = try FleetRun(setup, store: SQLiteStore(.scratch), watchers: [story, sdk]).run()
    sdk.finish()
    self.logs = logs
    let explained = try Investigation.explain(report, of: setup) { try SQLiteStore(.scratch) }
    violation = explained.violations.first { $0.invariantName == plan.invariant }
  }

  /// The folder of all bundles inside that of `--out`.
  static let root = "failures"
  /// The files of a bundle beside its logs.
  static let files = ["plan.json", "shrunk.json", "journal.ndjson", "report.md"]

  /// Writes the plan as it failed, before the search for a smaller one, so that references to the bundle are valid.
  static func begin(_ plan: FailurePlan, in folder: String, of output: OutputFolder) throws(OutputFolder.Failure) {
    for name in ["plan.json", "shrunk.json"] { try output.write(plan.text + "\n", to: "\(folder)/\(name)") }
  }

  static func folder(name: String, seed: UInt64) -> String { "\(root)/\(fileName(name))-\(seed)" }

  /// Returns the command that reproduces the failure; `place` is the bundle's folder.
  static func replayCommand(at place: String, _ invariant: String) -> String {
    "rollingroad replay \("\(place)/shrunk.json".shellWord) --break '\(invariant)'"
  }

  /// The message about an unfinished search.
  var note: String? { cut.map { "the search for the smallest plan was \($0)" } }

  func write(to output: OutputFolder) throws {
    try output.write(plan.text + "\n", to: folder + "/plan.json")
    try output.write(small.text + "\n", to: folder + "/shrunk.json")
    try output.write(story.journal, to: folder + "/journal.ndjson")
    for (device, log) in logs.sorted(by: { $0.key < $1.key }) {
      try output.write(String(decoding: log, as: UTF8.self), to: "\(folder)/logs/\(FailureBundle.fileName(device)).log")
    }
    try output.write(report(at: output.path(folder)), to: folder + "/report.md")
  }

  private func report(at place: String) throws -> String {
    let (before, after) = (try plan.setup(), try small.setup())
    let rows = [
      ("devices", "\(before.memberCount)", "\(after.memberCount)"),
      ("faults", before.faultText, after.faultText),
      ("time", before.duration.wholeSeconds, after.duration.wholeSeconds),
      ("settle", before.settle.wholeSeconds, after.settle.wholeSeconds),
    ]
    return """
      `\(FailureBundle.replayCommand(at: place, plan.invariant))`

      # \(plan.invariant)

      ```
      \(violation?.text ?? "not violated again: the failure did not come from the plan alone")
      ```

      | | as it failed | smallest found |
      |---|---|---|
      \(rows.map { "| \($0.0) | \($0.1) | \($0.2) |" }.joined(separator: "\n"))

      Seed \(before.seed), version \(plan.product), \(runs) runs to make it small\(cut.map { ", \($0): a smaller one may exist" } ?? "").
      `journal.ndjson` has the story of \(small.device ?? "all devices"), `logs/` what the SDK says in it, `plan.json` the
      run as it failed.

      ```
      \(story.text())
      ```

      """
  }

  static func fileName(_ name: String) -> String {
    String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") ? $0 : "_" })
  }
}

extension RunSetup {
  /// `3`, or `1, which come 4 times` when they are listed.
  fileprivate var faultText: String {
    let listed = faults.compactMap { $0.occurrences?.count }
    guard !listed.isEmpty else { return "\(faults.count)" }
    return "\(faults.count), \(listed.reduce(0, +)) times"
  }

  var memberCount: Int { fleets.reduce(0) { $0 + ($1.members?.count ?? $1.devices) } }
}

extension Nanoseconds {
  fileprivate var wholeSeconds: String { "\(wholeMilliseconds / 1_000) s" }
}
