package import Base

/// Measures the commits of groups alone: the writing of the log and its sync. A store in virtual time has none.
package struct CommitTimer: Sendable {
  private let time: SharedHistogram
  let now: @Sendable () -> MonotonicInstant

  package init(_ time: SharedHistogram, now: @escaping @Sendable () -> MonotonicInstant) {
    self.time = time
    self.now = now
  }

  func record(since start: MonotonicInstant) { time.record(UInt64(max(0, (now() - start).count))) }
}
