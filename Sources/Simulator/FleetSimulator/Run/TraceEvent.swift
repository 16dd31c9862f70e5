package import Base

/// Something that happened in a run, in the order in which it did.
package struct TraceEvent: Equatable, Sendable {
  /// What.
  package enum Kind: UInt64, Sendable {
    case fix, sample, activity, connectivity, region, timers, sent, arrived, answered, failed, killed, launched, healed,
      faultBegan, faultEnded
  }

  package let number: Int
  package let instant: MonotonicInstant
  /// Its place in the run.
  package let device: Int
  package let kind: Kind
  /// Of everything that came with it.
  package let content: UInt64
}
