package import Base

/// What a session may use during a call: the time, and where its output goes.
package struct SessionOutput: Sendable {
  package internal(set) var now: MonotonicInstant
  /// Bytes of earlier calls that the kernel has not taken yet.
  package internal(set) var unsentBefore = 0
  /// To be appended to.
  package var bytes: [UInt8] = []
  /// Set by a `receive` that has worked long enough and leaves the rest of its input for the next turn.
  package var hasHadItsShare = false

  private let unsentMax: Int

  package init(now: MonotonicInstant, unsentMax: Int) {
    self.now = now
    self.unsentMax = unsentMax
  }

  /// What this client has not been able to take; a session that can drop or wait (a live stream) looks at it first.
  package var unsent: Int { unsentBefore + bytes.count }

  /// Enough for now: `receive` takes no further message, whose answer would have to be kept in memory. What it leaves is
  /// shown again when the client has read.
  package var isFull: Bool { unsent > unsentMax }
}
