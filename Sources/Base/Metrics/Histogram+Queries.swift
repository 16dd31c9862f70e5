extension Histogram {
  /// Exact; nil when nothing was recorded.
  package var minimum: UInt64? { count == 0 ? nil : smallest }
  /// Exact, also when it is above the range; nil when nothing was recorded.
  package var maximum: UInt64? { count == 0 ? nil : largest }
  /// The exact sum divided once; nil when nothing was recorded.
  package var mean: Double? { count == 0 ? nil : Double(sum) / Double(count) }

  /// The value that at least `quantile` (0 … 1) of the recorded values do not exceed: the highest value in the slot of the
  /// one with rank ⌈quantile × count⌉, as HdrHistogram answers, but never more than the exact maximum. It is not below
  /// the true one, and above it by less than 1/1024. When the rank lies among the values above the range, the answer is
  /// the maximum. Nil when nothing was recorded.
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

  /// The least rank whose share of the count reaches the quantile. Rounding the product up is not that: 0.07 × 100 is above
  /// 7 in binary.
  private func rank(ofQuantile quantile: Double) -> UInt64 {
    let total = Double(count)
    var rank = min(count, max(1, UInt64(quantile * total)))
    while rank < count && Double(rank) / total < quantile { rank += 1 }
    return rank
  }

  /// For each of the ascending bounds, how many values do not exceed it. Those in the slot of a bound count as not
  /// exceeding it, and those above the range as exceeding every bound below the maximum.
  package func counts(atMost bounds: [UInt64]) -> [UInt64] {
    var passed: UInt64 = 0
    var next = 0
    return bounds.map { bound in
      guard bound <= highestTrackableValue else { return bound >= largest ? count : count - overflowCount }
      let end = Histogram.slot(of: bound) + 1
      precondition(end >= next, "the bounds ascend")
      for slot in next..<end { passed += slots[slot] }
      next = end
      return passed
    }
  }

  /// Half of what the counter holds, so that no merge or decoding can bring it near the point where `record` traps.
  static let mergedCountLimit = UInt64(Int64.max)

  /// Adds the other one's counts. The ranges must be the same, as shards of one run have them; a merge that is refused
  /// changes nothing.
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
