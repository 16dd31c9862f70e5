/// The individual counts, for conversion to other histogram formats.
extension Histogram {
  /// A non-empty slot.
  package struct FilledSlot: Equatable, Sendable {
    /// The index as in HdrHistogram's array of counts.
    package let index: Int
    package let count: UInt64

    /// The values of the slot.
    package var values: ClosedRange<UInt64> {
      Histogram.lowestValue(inSlot: index)...Histogram.highestValue(inSlot: index)
    }
  }

  /// The filled slots in ascending order, without the values above the range.
  package var filledSlots: [FilledSlot] { growth(since: nil) }

  /// Returns the counts since a copy of this histogram was taken, in ascending order, without the values above the range.
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
