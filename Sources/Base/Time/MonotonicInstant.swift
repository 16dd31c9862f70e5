/// A point on a clock that never steps back and whose zero has no meaning: for timeouts, latencies and timers. In virtual time
/// the zero is the start of the run.
@frozen @usableFromInline
package struct MonotonicInstant: Hashable, Comparable, Sendable {
  @usableFromInline package let nanoseconds: Int64

  @inlinable package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Later than every event: the end of what has no end yet.
  @inlinable package static var never: MonotonicInstant { MonotonicInstant(nanoseconds: .max) }

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

/// A span of elapsed time, signed, ±292 years. Swift's `Duration` counts attoseconds in 128 bits: twice the memory in every
/// timer and several times the cost of a conversion, for a precision that no clock here has.
@frozen @usableFromInline
package struct Nanoseconds: Hashable, Comparable, Sendable {
  @usableFromInline package let count: Int64

  @inlinable package init(_ count: Int64) { self.count = count }

  @inlinable package static func microseconds(_ count: Int64) -> Nanoseconds { Nanoseconds(count * 1_000) }
  @inlinable package static func milliseconds(_ count: Int64) -> Nanoseconds { Nanoseconds(count * 1_000_000) }
  @inlinable package static func seconds(_ count: Int64) -> Nanoseconds { Nanoseconds(count * 1_000_000_000) }

  package static let zero = Nanoseconds(0)

  /// Limits the lengths of runs and of configured times: sums of a few of them are in range.
  package static let centurySeconds = 3.2e9

  /// Whole milliseconds, truncated.
  @inlinable package var wholeMilliseconds: Int64 { count / 1_000_000 }
  @inlinable package var seconds: Double { Double(count) / 1e9 }

  @inlinable package static func < (left: Nanoseconds, right: Nanoseconds) -> Bool { left.count < right.count }

  @inlinable package static func + (left: Nanoseconds, right: Nanoseconds) -> Nanoseconds {
    Nanoseconds(left.count + right.count)
  }

  @inlinable package static func - (left: Nanoseconds, right: Nanoseconds) -> Nanoseconds {
    Nanoseconds(left.count - right.count)
  }

  @inlinable package static func * (left: Nanoseconds, factor: Int64) -> Nanoseconds {
    Nanoseconds(left.count * factor)
  }
}

extension Nanoseconds {
  private static let units: KeyValuePairs = [
    "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3_600e9, "d": 86_400e9, "": 1e9,
  ]

  /// Reads `250ms`, `90s`, `10m`, `2h`, `7d`; a number alone means seconds. Nil for anything else, and for values beyond 64
  /// bits.
  package init?(text: String) {
    guard let nanoseconds = Quantity.read(text, units: Nanoseconds.units), nanoseconds < 9e18 else { return nil }
    self.init(Int64(nanoseconds))
  }
}

/// Returns the earlier of two instants, either of which may be nil.
@inlinable package func earlier(_ left: MonotonicInstant?, _ right: MonotonicInstant?) -> MonotonicInstant? {
  guard let left, let right else { return left ?? right }
  return min(left, right)
}
