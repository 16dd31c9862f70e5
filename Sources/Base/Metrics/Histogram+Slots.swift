/// The counts one by one, for other forms of histograms.
extension Histogram {
  /// A slot with something in it.
  package struct FilledSlot: Equatable, Sendable {
    /// Counted as HdrHistogram counts the entries of its array of counts.
    package let index: Int
    package let count: UInt64

    /// The values that fall into it.
    package var values: ClosedRange<UInt64> {
      Histogram.lowestValue(inSlot: index)...Histogram.highestValue(inSlot: index)
    }
  }

  /// In ascending order, without the values above the range.
  package var filledSlots: [FilledSlot] { growth(since: nil) }

  /// What was recorded since a copy of this histogram was taken, in ascending order, without the values above the range.
  package func growth(since earlier: Histogram?) -> [FilledSlot] {
    guard count > 0, smallest <= highestTrackableValue else { return [] }
    var filled: [FilledSlot] = []
    for index in Histogram.slot(of: smallest)...Histogram.slot(of: min(largest, highestTrackableValue)) {
      let count = slots[index] - (earlier?.slots[index] ?? 0)
      if count > 0 { filled.append(FilledSlot(index: index, count: count)) }
    }
    return filled
  }
}
