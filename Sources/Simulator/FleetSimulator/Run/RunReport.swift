package import Base

/// What a run has come to.
package struct RunReport: Equatable, Sendable {
  package let seed: UInt64
  package let devices: Int
  package let duration: Nanoseconds
  package let sums: LedgerSums
  /// Of each fleet, in order: sums, so that those of shards add up.
  package let fleetHashes: [TraceHash]
  package let events: Int
  package let requests: Int
  /// When the last queue was empty, counted from the end of the drives; nil when one never was.
  package let drained: Nanoseconds?
  package var victims: [Victim]
  /// What breaks no invariant and is to be told all the same.
  package var remarks: [Victim]
  package let invariants: [InvariantOutcome]
  /// Of all goals, in their order.
  package let coverage: [CoverageSeen]
  /// How late devices were served, in microseconds of the machine's clock; empty in virtual time.
  package let generatorLag: Histogram
  /// Of what the server has stored.
  package let verification: Verification
  /// What is to be known of a server outside.
  package let findings: [ServerFinding]
  /// What the lost records have in common, as a sentence.
  package let lossSentence: String?
  /// What the server outside did not do badly, though a fault says so; nil when it did.
  package let faultRefusal: String?
  /// It was ended early.
  package let isInterrupted: Bool
  /// A violation has ended the drives.
  package let isEndedByViolation: Bool

  /// The sum of the fleets' hashes.
  package var hash: TraceHash {
    var hash = TraceHash.zero
    for fleet in fleetHashes { hash.add(fleet) }
    return hash
  }

  /// Why it is not known what the server has stored; nil when it was asked, or was not to be asked.
  package var proofRefusal: String? { verification.reason }

  package var isRight: Bool { victims.isEmpty }
}
