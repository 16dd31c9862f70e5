/// A point on a clock that never steps back and whose zero means nothing: for timeouts, latencies and timers. In
/// virtual time the zero is the start of the run.
@frozen @usableFromInline
package struct MonotonicInstant: Hashable, Comparable, Sendable {
  @usableFromInline package let nanoseconds: Int64

  @inlinable package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  @inlinable package static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  @inlinable package static func + (left: MonotonicInstant, right: Nanoseconds) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: left.nanoseconds + right.count)
  }

  @inlinable package static func - (left: MonotonicInstant, right: Nanoseconds) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: left.nanoseconds - right.count)
  }

  @inlinable package static func - (left: MonotonicInstant, right: MonotonicInstant) -> Nanoseconds {
    Nanoseconds(left.nanoseconds - right.nanoseconds)
  }
}
