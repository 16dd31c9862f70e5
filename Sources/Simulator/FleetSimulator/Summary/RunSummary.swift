package import Base
package import Oracle
import Scenario

/// The complete result of a run, as in summary.json. All other outputs are made from it, and the summaries of shards add up
/// to that of the whole.
package struct RunSummary: Equatable, Sendable {
  /// The version of the format.
  package static let version = 1

  /// A group of devices with the same setup.
  package struct Fleet: Equatable, Sendable {
    package var name: String
    package var devices: Int
    /// The hash of all their events.
    package var hash: String
  }

  /// The scenario's name.
  package var scenario: String
  /// The hash of the resolved scenario; equal for runs of the same one.
  package var scenarioHash: String
  package var seed: UInt64
  /// The clock mode.
  package var mode: String
  /// `0/4`; nil for the whole.
  package var shard: String?
  /// The product and its version.
  package var product: String
  /// The date and time at which the run began.
  package var start: WallInstant
  /// The planned duration.
  package var duration: Nanoseconds
  package var settle: Nanoseconds
  package var fleets: [Fleet]

  /// How and when the run ended, since its start.
  package var ending = Ending.completed
  package var ended: Nanoseconds
  package var hash: String
  package var events = 0
  package var requests = 0
  /// The time at which the last queue became empty, since the end of the drives; nil when one never did.
  package var drained: Nanoseconds?
  /// The number of uploads by end: `status 200`, `no answer in time`.
  package var answers: [String: Int] = [:]
  /// The unsuccessful ones.
  package var failures: [String: Int] { answers.filter { !$0.key.hasPrefix("status 2") } }
  /// Failed requests by error, most frequent first.
  package var errors: [RequestError] = []
  /// The command line, machine and time; nil when unknown.
  package var origin: RunOrigin?
  /// The external server and the time of the run by the machine's clock; nil in virtual time.
  package var place: RunPlace?
  package var ledger = LedgerSums()
  /// The verification of the server's store.
  package var verification = Verification(.verified)
  /// The counts from an external server, from which the findings are derived again when shards are added up.
  package var serverCounts: ServerCounts?
  /// Findings about the server that precede everything else.
  package var findings: [ServerFinding] = []
  /// The verdicts on its answers, per clause; empty where none were checked.
  package var clauses: [ClauseVerdict] = []
  package var metrics: [MetricFigure] = []
  /// Samples for comparisons with other runs; nil in summaries of older versions.
  package var groups: SampleGroups?
  package var checks: [CheckResult] = []
  package var thresholds: [ThresholdVerdict] = []
  package var invariants: [InvariantVerdict] = []
  package var violations: [ViolationStory] = []
  /// The command that reproduces the first violation.
  package var replay: String?
  /// Observations that break no invariant and are reported all the same.
  package var remarks: [ViolationStory] = []
  /// Omissions and unknowns of the run, in sentences.
  package var notes: [String] = []
  package var coverage: [CoverageCount] = []
  package var timeline: Timeline
  /// Shards of the run that are not included.
  package var missing: [MissingShard] = []

  package var devices: Int { fleets.reduce(0) { $0 + $1.devices } }
}

/// The command that made a run, the machine, and the time by its clock.
package struct RunOrigin: Equatable, Sendable {
  /// The command line without passwords and tokens.
  package var command: String
  package var host: String
  package var start: WallInstant
  package var end: WallInstant

  package init(command: String, host: String, start: WallInstant, end: WallInstant) {
    (self.command, self.host, self.start, self.end) = (command, host, start, end)
  }
}

/// The place and time of a run against a real server.
package struct RunPlace: Equatable, Sendable {
  /// The URL without a password.
  package var target: String
  /// The server's product and version as it reports them; nil when it does not.
  package var server: String?
  package var start: WallInstant
  package var end: WallInstant
  /// Uploads per second of the server's own time during the drives.
  package var uploadsPerSecond: Double
  /// Seconds of device time per second of machine time during the drives.
  package var factor: Double

  package init(
    target: String, server: String? = nil, start: WallInstant, end: WallInstant, uploadsPerSecond: Double = 0,
    factor: Double = 1
  ) {
    self.target = URLParts(target).withoutUser
    (self.server, self.start, self.end) = (server, start, end)
    (self.uploadsPerSecond, self.factor) = (uploadsPerSecond, factor)
  }

  package init(
    _ outside: OutsideSetup, server: String?, start: WallInstant, end: WallInstant, uploadsPerSecond: Double
  ) {
    self.init(
      target: outside.url, server: outside.serverVersion ?? server, start: start, end: end,
      uploadsPerSecond: uploadsPerSecond, factor: outside.factor)
  }

  /// The duration in seconds of the machine's clock.
  package var seconds: Double { Double(end.millisecondsSince1970 - start.millisecondsSince1970) / 1_000 }
}

extension RunSummary {
  /// The reason for the end of a run.
  package enum Ending: String, Sendable {
    case completed
    /// A threshold that ends the run was missed.
    case threshold
    /// An invariant was violated.
    case violation
    case signal
    /// A person ended the drives; the queues were emptied, and everything was judged.
    case stopped
    /// A person aborted it.
    case aborted
    /// The run is in progress; the figures are those of an instant.
    case running
  }
}

extension RunSummary {
  /// Returns the figure of a metric or of a part of it; nil when nothing was measured.
  package func figure(_ name: String) -> Figure? { metrics.first { $0.name == name }?.figure }

  /// The date and time at which the run began, as in ISO 8601.
  package var startText: String { start.iso8601Text }
}

extension RunSummary {
  /// The verdict of the run on its target; the first that applies.
  package enum Result: Int32, Sendable {
    case passed = 0
    /// The figures are invalid.
    case invalid = 97
    /// An invariant was violated.
    case violated = 98
    /// The server misses a threshold or a check.
    case failed = 99
    /// The run was stopped from outside.
    case stopped = 105
    /// The required coverage was not reached.
    case uncovered = 110
  }

  /// A lost record counts whatever else is wrong with a run; figures of a run that was cut short or late do not.
  package var result: Result {
    let isRight = !findings.contains(where: \.isViolation) && violations.isEmpty && hasEachRecordOnce
    if !isRight || invariants.contains(where: { $0.outcome == .violated }) { return .violated }
    if !missing.isEmpty { return .invalid }
    if isStopped { return .stopped }
    if verification.outcome == .failed || withdrawn != nil { return .invalid }
    let missed = thresholds.filter { $0.outcome == .failed }
    if missed.contains(where: \.invalidates) { return .invalid }
    if !missed.isEmpty || !findings.isEmpty || !missedChecks.isEmpty { return .failed }
    return coverage.contains { $0.seen == 0 } ? .uncovered : .passed
  }

  /// An invariant whose violations may be due to the simulator, which was late.
  package var withdrawn: InvariantVerdict? { invariants.first { $0.outcome == .notJudged && $0.violations > 0 } }

  /// Whether it did not run to its end.
  package var isStopped: Bool { [.signal, .aborted, .running].contains(ending) }

  /// Whether no record is lost or stored twice; during a run some are still under way.
  package var hasEachRecordOnce: Bool {
    ([.aborted, .running].contains(ending) || ledger.isBalanced) && ledger.lostInAll == 0 && ledger.duplicateRows == 0
  }
}

extension RunSummary {
  /// Checks that some answer does not meet, except those with a threshold: one on all checks, or on all answers to this one.
  /// A threshold with other tags covers only part of the answers and does not count.
  package var missedChecks: [CheckResult] {
    let allowances = thresholds.compactMap(\.selector).filter { $0.metric.name == "checks" }
    return checks.filter { check in
      check.failed > 0
        && !allowances.contains { $0.tags.allSatisfy { $0.name == "check" && $0.value == check.name } }
    }
  }
}

extension RunSummary {
  /// The duration of the drives: shorter than planned when a person stopped them.
  package var drives: Nanoseconds {
    switch ending {
    case .stopped: max(.zero, ended - (drained ?? settle))
    case .running: min(ended, duration)
    case .completed, .threshold, .violation, .signal, .aborted: duration
    }
  }
}
