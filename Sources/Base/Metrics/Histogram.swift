/// Counts of whole numbers with three significant digits, in the layout of HdrHistogram: 2,048 slots of width 1, then 1,024
/// slots for each doubling. A value shares its slot only with values that differ from it by less than 1/1024.
///
/// The memory is fixed by the range: 8 bytes × 1,024 for each doubling above 1,024. That is 267 KB for 1 … 3.6e12 (an hour in
/// nanoseconds), 186 KB for 1 … 3.6e9, 104 KB for 1 … 3.6e6: suitable for one per station and thread, too much for one per
/// device. Values above the range are counted in `overflowCount`.
///
/// Merging adds counts, so the merged histogram equals, bit for bit, the histogram of all values in any order.
package struct Histogram: Equatable, Sendable {
  /// The highest value with a slot; the caller defines the unit.
  package let highestTrackableValue: UInt64
  /// The number of values above `highestTrackableValue`. They are included in `count`, `minimum`, `maximum` and `sum`.
  package internal(set) var overflowCount: UInt64 = 0
  /// The number of recorded values.
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

  /// Counts `value`, `times` times. Never allocates (except that the first record after a copy pays for the copy).
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

extension Histogram {
  /// 2,048 is the first power of two that distinguishes 3 digits with unit steps: 2 × 10³ values.
  private static let unitSlotsLog2 = 11

  /// Half of the unit slots: the slots of each further doubling.
  private static let slotsPerDoublingLog2 = unitSlotsLog2 - 1

  static func slot(of value: UInt64) -> Int {
    let doubling = UInt64.bitWidth - unitSlotsLog2 - (value | (1 << unitSlotsLog2 - 1)).leadingZeroBitCount
    return doubling << slotsPerDoublingLog2 + Int(value >> UInt64(doubling))
  }

  static func lowestValue(inSlot slot: Int) -> UInt64 {
    let doubling = doubling(ofSlot: slot)
    return UInt64(slot - doubling << slotsPerDoublingLog2) << UInt64(doubling)
  }

  static func highestValue(inSlot slot: Int) -> UInt64 {
    lowestValue(inSlot: slot) + (1 << UInt64(doubling(ofSlot: slot)) - 1)
  }

  private static func doubling(ofSlot slot: Int) -> Int { max(0, slot >> slotsPerDoublingLog2 - 1) }
}

extension Histogram {
  /// Exact; nil when nothing was recorded.
  package var minimum: UInt64? { count == 0 ? nil : smallest }
  /// Exact, even above the range; nil when nothing was recorded.
  package var maximum: UInt64? { count == 0 ? nil : largest }
  /// The exact sum divided once; nil when nothing was recorded.
  package var mean: Double? { count == 0 ? nil : Double(sum) / Double(count) }

  /// Returns the value that at least `quantile` (0 … 1) of the recorded values do not exceed: the highest value in the slot of
  /// rank ⌈quantile × count⌉, as in HdrHistogram, but never more than the exact maximum. It is not below the true value, and
  /// above it by less than 1/1024. If the rank is among the values above the range, it is the maximum. Nil when nothing was
  /// recorded.
  package func value(atQuantile quantile: Double) -> UInt64? {
    precondition(quantile >= 0 && quantile <= 1, "a quantile lies in 0 … 1")
    guard count > 0 else { return nil }
    let rank = rank(ofQuantile: quantile)
    var passed: UInt64 = 0
    for slot in slots.indices {
      passed += slots[slot]
      if passed >= rank { return min(Histogram.highestValue(inSlot: slot), largest) }
    }
    return largest
  }

  /// Returns the least rank whose share of the count reaches the quantile. Rounding up the product would differ: 0.07 × 100 is
  /// above 7 in binary.
  private func rank(ofQuantile quantile: Double) -> UInt64 {
    let total = Double(count)
    var rank = min(count, max(1, UInt64(quantile * total)))
    while rank < count && Double(rank) / total < quantile { rank += 1 }
    return rank
  }

  /// Half of the counter's range, so that no merge or decoding comes near the point where `record` traps.
  static let mergedCountLimit = UInt64(Int64.max)

  /// Adds the counts of the other histogram. The ranges must be equal, as in the shards of one run; a refused merge changes
  /// nothing.
  package mutating func merge(_ other: Histogram) throws(HistogramError) {
    guard highestTrackableValue == other.highestTrackableValue else { throw .differentRange }
    let (total, overflow) = count.addingReportingOverflow(other.count)
    guard !overflow && total <= Histogram.mergedCountLimit else { throw .tooManyValues }
    for slot in slots.indices { slots[slot] += other.slots[slot] }
    count = total
    overflowCount += other.overflowCount
    sum += other.sum
    smallest = min(smallest, other.smallest)
    largest = max(largest, other.largest)
  }
}

/// Why bytes are not a histogram, or two histograms cannot be merged. Offsets count bytes of the input.
package enum HistogramError: Error, Equatable {
  /// The input ended inside the field that begins at `offset`.
  case truncated(offset: Int)
  /// The first byte names a format that this code does not know.
  case unknownFormat(UInt8)
  /// The field that begins at `offset` has an invalid value.
  case invalidField(offset: Int)
  /// The fields contradict each other: minimum, maximum or sum are impossible for these counts.
  case contradiction
  /// Extra bytes follow the end, which is at `offset`.
  case trailingBytes(offset: Int)
  /// The two histograms track different ranges.
  case differentRange
  /// More than 2⁶³ − 1 values together.
  case tooManyValues
}
