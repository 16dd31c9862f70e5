package import Base
package import Oracle

/// The result of a run.
package struct RunReport: Equatable, Sendable {
  package let seed: UInt64
  package let devices: Int
  /// The number of devices of each fleet, in order.
  package let fleetDevices: [Int]
  package let duration: Nanoseconds
  package var sums: LedgerSums
  /// The hash of each fleet, in order: sums, so that those of shards add up.
  package let fleetHashes: [TraceHash]
  package let events: Int
  package let requests: Int
  /// When the last queue became empty, counted from the end of the drives; nil when one never did.
  package let drained: Nanoseconds?
  package var violations: [Violation]
  /// Observations that break no invariant and are reported all the same.
  package var remarks: [Violation]
  package let invariants: [InvariantOutcome]
  /// The coverage of all goals, in order.
  package let coverage: [CoverageSeen]
  /// The lag of turns, in microseconds of the machine's clock; empty in virtual time.
  package let generatorLag: Histogram
  /// The verification of what the server has stored.
  package let verification: Verification
  /// The counts from an external server; nil for the in-process one that takes all that phones have, and before the end.
  package let serverCounts: ServerCounts?
  /// The findings about the server.
  package var findings: [ServerFinding] { serverCounts?.findings(sums) ?? [] }
  /// The common properties of the lost records, as a sentence.
  package let lossSentence: String?
  package let lost: [LostRecord]
  /// The answers that the simulator's network gave in the server's place, as a sentence.
  package let playedSentence: String?
  /// Why the external server did not inject a fault; nil when it injected all.
  package let faultRefusal: String?
  /// The ending, without thresholds, which belong to `Measures`.
  package let ending: RunSummary.Ending

  /// The sum of the fleets' hashes.
  package var hash: TraceHash {
    var hash = TraceHash.zero
    for fleet in fleetHashes { hash.add(fleet) }
    return hash
  }

  /// Why it is unknown what the server has stored; nil when it was read, or was not to be read.
  package var proofRefusal: String? { verification.reason }

  package var isRight: Bool { violations.isEmpty }

  /// No record has a history to report.
  package var isWithoutStories: Bool { violations.isEmpty && remarks.isEmpty }
}
