/// A span of elapsed time, signed, ±292 years. Swift's `Duration` counts attoseconds in 128 bits: twice the memory in
/// every timer and several times the cost of a conversion, for a precision no clock here has.
@frozen @usableFromInline
package struct Nanoseconds: Hashable, Comparable, Sendable {
  @usableFromInline package let count: Int64

  @inlinable package init(_ count: Int64) { self.count = count }

  @inlinable package static func microseconds(_ count: Int64) -> Nanoseconds { Nanoseconds(count * 1_000) }
  @inlinable package static func milliseconds(_ count: Int64) -> Nanoseconds { Nanoseconds(count * 1_000_000) }
  @inlinable package static func seconds(_ count: Int64) -> Nanoseconds { Nanoseconds(count * 1_000_000_000) }

  package static let zero = Nanoseconds(0)

  /// Whole milliseconds, the fraction cut off.
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
