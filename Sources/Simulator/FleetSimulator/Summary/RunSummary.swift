package import Base

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
  package var ledger = LedgerSums()
  package var metrics: [MetricFigure] = []
  package var checks: [CheckResult] = []
  package var thresholds: [ThresholdVerdict] = []
  package var invariants: [InvariantVerdict] = []
  package var violations: [ViolationStory] = []
  /// The command that shows the first violation again.
  package var replay: String?
  /// What breaks no invariant and is to be told all the same.
  package var remarks: [ViolationStory] = []
  package var coverage: [CoverageCount] = []
  package var timeline: Timeline

  package var devices: Int { fleets.reduce(0) { $0 + $1.devices } }
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
  }
}
