/// Counts of whole numbers with three significant digits, in the layout of HdrHistogram: 2,048 slots of width 1, then 1,024
/// slots for each doubling. A value shares its slot only with values that differ from it by less than 1/1024.
///
/// The memory is fixed by the range: 8 bytes × 1,024 for each doubling above 1,024. That is 267 KB for 1 … 3.6e12 (an hour in
/// nanoseconds), 186 KB for 1 … 3.6e9, 104 KB for 1 … 3.6e6: right for one per station and thread, too much for one per
/// device. A value above the range is counted too, visibly, in `overflowCount`.
///
/// Merging adds counts, so the merged histogram equals, bit for bit, the histogram of all values in any order.
package struct Histogram: Equatable, Sendable {
  /// Values up to here have a slot; the unit is the caller's.
  package let highestTrackableValue: UInt64
  /// How many values were above `highestTrackableValue`. They take part in `count`, `minimum`, `maximum` and `sum`.
  package internal(set) var overflowCount: UInt64 = 0
  /// How many values were recorded.
  package internal(set) var count: UInt64 = 0
  /// Exact: counts and values of 64 bits cannot overflow it.
  package internal(set) var sum: UInt128 = 0

  var slots: [UInt64]
  var smallest = UInt64.max
  var largest: UInt64 = 0

  package init(highestTrackableValue: UInt64) {
    precondition(highestTrackableValue > 0, "a histogram of zeros only")
    self.highestTrackableValue = highestTrackableValue
    slots = Array(repeating: 0, count: Histogram.slot(of: highestTrackableValue) + 1)
  }

  /// Counts `value`, `times` times. Never allocates (but the first record after a copy pays for the copy).
  package mutating func record(_ value: UInt64, times: UInt64 = 1) {
    guard times > 0 else { return }
    if value <= highestTrackableValue {
      slots[Histogram.slot(of: value)] += times
    } else {
      overflowCount += times
    }
    count += times
    sum += UInt128(value) &* UInt128(times)
    if value < smallest { smallest = value }
    if value > largest { largest = value }
  }
}
