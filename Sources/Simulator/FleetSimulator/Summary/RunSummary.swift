package import Base
import Scenario

/// Everything that a run came to, as summary.json has it. All other outputs are made from it, and the summaries of
/// shards add up to that of the whole.
package struct RunSummary: Equatable, Sendable {
  /// Of the form, for readers of later versions.
  package static let version = 1

  /// Devices that are alike.
  package struct Fleet: Equatable, Sendable {
    package var name: String
    package var devices: Int
    /// Of all that happened to them.
    package var hash: String
  }

  /// The scenario's name.
  package var scenario: String
  /// Of everything that the scenario came to: runs of the same one have the same.
  package var scenarioHash: String
  package var seed: UInt64
  /// The clock mode.
  package var mode: String
  /// `0/4`; nil for the whole.
  package var shard: String?
  /// What ran.
  package var product: String
  /// The date and time at which the run began.
  package var start: WallInstant
  /// How long the devices were to live.
  package var duration: Nanoseconds
  package var settle: Nanoseconds
  package var fleets: [Fleet]

  /// How it ended, and when, counted from its beginning.
  package var ending = Ending.completed
  package var ended: Nanoseconds
  package var hash: String
  package var events = 0
  package var requests = 0
  /// When the last queue was empty, counted from the end of the drives; nil when one never was.
  package var drained: Nanoseconds?
  /// How uploads ended: `status 200`, `no answer in time`.
  package var answers: [String: Int] = [:]
  /// Those that were no success.
  package var failures: [String: Int] { answers.filter { !$0.key.hasPrefix("status 2") } }
  /// Requests that failed, by name, the most frequent first.
  package var errors: [RequestError] = []
  /// What was typed, where and when; nil where nothing is known of it.
  package var origin: RunOrigin?
  /// The server outside that was driven at, and when, by the machine's clock; nil in virtual time.
  package var place: RunPlace?
  package var ledger = LedgerSums()
  /// Of what the server has stored.
  package var verification = Verification(.verified)
  /// What was seen of a server outside, from which the findings of shards are made anew when they are added up.
  package var serverCounts: ServerCounts?
  /// What is to be known of the server before all else.
  package var findings: [ServerFinding] = []
  /// What its answers have shown of each clause; empty where none were looked at.
  package var clauses: [ClauseVerdict] = []
  package var metrics: [MetricFigure] = []
  /// For comparisons with other runs; nil in summaries of older versions.
  package var groups: SampleGroups?
  package var checks: [CheckResult] = []
  package var thresholds: [ThresholdVerdict] = []
  package var invariants: [InvariantVerdict] = []
  package var violations: [ViolationStory] = []
  /// The command that shows the first violation again.
  package var replay: String?
  /// What breaks no invariant and is to be told all the same.
  package var remarks: [ViolationStory] = []
  /// What was left out of the run, or not known of it, in sentences.
  package var notes: [String] = []
  package var coverage: [CoverageCount] = []
  package var timeline: Timeline
  /// Parts of the run that are not in here.
  package var missing: [MissingShard] = []

  package var devices: Int { fleets.reduce(0) { $0 + $1.devices } }
}

/// Which command made a run, on which machine, and when by its clock.
package struct RunOrigin: Equatable, Sendable {
  /// Without passwords and tokens.
  package var command: String
  package var host: String
  package var start: WallInstant
  package var end: WallInstant

  package init(command: String, host: String, start: WallInstant, end: WallInstant) {
    (self.command, self.host, self.start, self.end) = (command, host, start, end)
  }
}

/// Where and when a run at a real server took place.
package struct RunPlace: Equatable, Sendable {
  /// Without a password.
  package var target: String
  /// What the server is, with its version, as it says itself; nil when it does not.
  package var server: String?
  package var start: WallInstant
  package var end: WallInstant
  /// What the server got in a second of its own time, while the drives lasted.
  package var uploadsPerSecond: Double
  /// Seconds of the devices in a second of the machine, while the drives last.
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

  /// Seconds of the machine's clock.
  package var seconds: Double { Double(end.millisecondsSince1970 - start.millisecondsSince1970) / 1_000 }
}

extension RunSummary {
  /// Why a run was over.
  package enum Ending: String, Sendable {
    case completed
    /// A threshold that ends the run was missed.
    case threshold
    /// An invariant was violated.
    case violation
    case signal
    /// A person has ended the drives; the queues were emptied, and all is judged.
    case stopped
    /// A person has broken it off.
    case aborted
    /// It is not over: these are the figures of an instant.
    case running
  }
}

extension RunSummary {
  /// What a metric, or a part of it, came to; nil when nothing was measured.
  package func figure(_ name: String) -> Figure? { metrics.first { $0.name == name }?.figure }

  /// The date and time at which the run began, as in ISO 8601.
  package var startText: String { start.iso8601Text }
}

extension RunSummary {
  /// What the run says of what it drove at; the first that applies.
  package enum Result: Int32, Sendable {
    case passed = 0
    /// The figures mean nothing.
    case invalid = 97
    /// Something happened that must never happen.
    case violated = 98
    /// The server is not good enough.
    case failed = 99
    /// It was stopped from outside.
    case stopped = 105
    /// What must come up for a green result to mean something has not.
    case uncovered = 110
  }

  /// A lost record is lost whatever else is wrong with a run; figures of a run that was cut off or late say nothing.
  package var result: Result {
    let isRight = !findings.contains(where: \.isViolation) && violations.isEmpty && hasEachRecordOnce
    if !isRight || invariants.contains(where: { $0.outcome == .violated }) { return .violated }
    if !missing.isEmpty { return .invalid }
    if isStopped { return .stopped }
    if verification.outcome == .failed { return .invalid }
    let missed = thresholds.filter { $0.outcome == .failed }
    if missed.contains(where: \.invalidates) { return .invalid }
    if !missed.isEmpty || !findings.isEmpty || !missedChecks.isEmpty { return .failed }
    return coverage.contains { $0.seen == 0 } ? .uncovered : .passed
  }

  /// It was not left to its end.
  package var isStopped: Bool { [.signal, .aborted, .running].contains(ending) }

  /// None is lost, or twice in the store; in the middle of a run some are on their way.
  package var hasEachRecordOnce: Bool {
    ([.aborted, .running].contains(ending) || ledger.isBalanced) && ledger.lostInAll == 0 && ledger.duplicateRows == 0
  }
}

extension RunSummary {
  /// Checks that some answer does not meet, but for those of which a threshold says how many answers have to: one on all
  /// checks, or on all answers to this one. With other tags it is about a part of the answers and says nothing of the rest.
  package var missedChecks: [CheckResult] {
    let allowances = thresholds.compactMap(\.selector).filter { $0.metric.name == "checks" }
    return checks.filter { check in
      check.failed > 0
        && !allowances.contains { $0.tags.allSatisfy { $0.name == "check" && $0.value == check.name } }
    }
  }
}

extension RunSummary {
  /// How long the devices drove: less than planned when a person has stopped them.
  package var drives: Nanoseconds {
    switch ending {
    case .stopped: max(.zero, ended - (drained ?? settle))
    case .running: min(ended, duration)
    case .completed, .threshold, .violation, .signal, .aborted: duration
    }
  }
}

/// How far the records that a server has acknowledged were looked for where it keeps them.
package struct Verification: Equatable, Sendable {
  /// How it went.
  package enum Outcome: String, Sendable {
    /// Each of them was looked for.
    case verified
    /// There was no server to ask.
    case notAsked
    /// It was asked for and did not succeed.
    case failed
  }

  package var outcome: Outcome
  /// Positions and times were compared with those that were sent; else only the identities of records.
  package var comparesContents = false
  /// Of `timestamp`, `latitude` and `longitude` those that no entry of the store has shown.
  package var uncompared: [String] = []
  /// Times that were to be compared and that the store shows in no form in which they can be, as without a zone.
  package var unreadTimes = 0
  /// Messages that were there once more, with an id that was there already: their reader is to ignore them.
  package var repetitions = 0
  /// Rows of the run's devices that no phone of the run has sent: of an earlier run, or invented.
  package var unknownRows = 0
  /// Of a shard, rows of the devices of other shards that hold what it has sent: there they are unknown.
  package var rowsElsewhere = 0
  /// Acknowledged records that were not there at once, and came while they were looked for.
  package var lateRecords = 0
  /// Why it did not succeed.
  package var reason: String?

  package init(
    _ outcome: Outcome, comparesContents: Bool = false, uncompared: [String] = [], unreadTimes: Int = 0,
    repetitions: Int = 0,
    unknownRows: Int = 0, rowsElsewhere: Int = 0, lateRecords: Int = 0, reason: String? = nil
  ) {
    (self.outcome, self.comparesContents, self.reason) = (outcome, comparesContents, reason)
    self.uncompared = uncompared
    (self.unreadTimes, self.repetitions) = (unreadTimes, repetitions)
    (self.unknownRows, self.rowsElsewhere, self.lateRecords) = (unknownRows, rowsElsewhere, lateRecords)
  }

  /// Of several shards: no better than that of the worst.
  package func joined(with other: Verification) -> Verification {
    if outcome == .failed { return self }
    if other.outcome == .failed { return other }
    if outcome == .notAsked { return self }
    if other.outcome == .notAsked { return other }
    return Verification(
      .verified, comparesContents: comparesContents && other.comparesContents,
      uncompared: uncompared.filter(other.uncompared.contains),
      unreadTimes: unreadTimes + other.unreadTimes,
      // Each has read the whole stream.
      repetitions: max(repetitions, other.repetitions), unknownRows: unknownRows + other.unknownRows,
      rowsElsewhere: rowsElsewhere + other.rowsElsewhere,
      lateRecords: lateRecords + other.lateRecords)
  }
}
