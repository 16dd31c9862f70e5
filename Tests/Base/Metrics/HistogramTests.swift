import Base
import Support
import Testing

@testable import Base

@Suite struct HistogramTests {
  @Test func slotsTileTheRangeWithoutGapOrOverlap() throws {
    var next: UInt64 = 0
    let slots = Histogram.slot(of: .max) + 1
    for slot in 0..<slots {
      let lowest = Histogram.lowestValue(inSlot: slot)
      let highest = Histogram.highestValue(inSlot: slot)
      let isConsistent = Histogram.slot(of: lowest) == slot && Histogram.slot(of: highest) == slot
      let isNarrow = highest - lowest < max(lowest, 1_024) / 1_024
      try #require(lowest == next && isConsistent && isNarrow, "slot \(slot): \(lowest) … \(highest)")
      next = highest &+ 1
    }
    #expect(next == 0, "the last slot ends at 2⁶⁴ − 1")
  }

  @Test(arguments: [(UInt64(3_600_000), 104), (3_600_000_000, 186), (3_600_000_000_000, 267)])
  func takesTheMemoryThatItsDocumentationNames(highest: UInt64, kilobytes: Int) {
    let bytes = Histogram(highestTrackableValue: highest).slots.count * MemoryLayout<UInt64>.stride
    #expect((Double(bytes) / 1_000).rounded() == Double(kilobytes))
  }

  @Test(arguments: 1...25 as ClosedRange<UInt64>) func agreesWithTheSortedValuesAtEveryQuantile(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let values = HistogramInputs.values(using: &generator)
    let sorted = values.sorted()
    let histogram = HistogramInputs.histogram(of: values)
    #expect(histogram.count == UInt64(values.count))
    #expect(histogram.minimum == sorted.first && histogram.maximum == sorted.last)
    #expect(histogram.sum == values.reduce(0) { $0 + UInt128($1) })
    for step in 0...100 {
      let quantile = Double(step) / 100
      // The definition, without any arithmetic on ranks: the first value whose share reaches the quantile.
      let index = try #require(sorted.indices.first { Double($0 + 1) / Double(sorted.count) >= quantile })
      let answer = try #require(histogram.value(atQuantile: quantile))
      guard sorted[index] <= HistogramInputs.highest else {
        #expect(answer == sorted.last, "seed \(seed), quantile \(quantile)")
        continue
      }
      #expect(answer >= sorted[index], "seed \(seed), quantile \(quantile)")
      #expect(Double(answer - sorted[index]) <= Double(sorted[index]) * 1e-3, "seed \(seed), quantile \(quantile)")
    }
  }

  @Test func hasNoExtremesAndNoQuantilesWhenEmpty() {
    let histogram = Histogram(highestTrackableValue: 1_000)
    #expect(histogram.minimum == nil && histogram.maximum == nil && histogram.mean == nil)
    #expect(histogram.value(atQuantile: 0.5) == nil)
  }

  @Test func showsValuesAboveTheRangeAsOverflowAndLosesNone() {
    var histogram = Histogram(highestTrackableValue: 1_000)
    histogram.record(1_000)
    histogram.record(1_001)
    histogram.record(.max, times: 2)
    #expect(histogram.overflowCount == 3 && histogram.count == 4)
    #expect(histogram.maximum == .max)
    #expect(histogram.sum == 2_001 + 2 * UInt128(UInt64.max))
    #expect(histogram.value(atQuantile: 0.25) == 1_000)
    #expect(histogram.value(atQuantile: 0.5) == .max)
  }

  @Test func recordsManyAtOnceAsOneByOne() {
    var together = Histogram(highestTrackableValue: 100_000)
    var oneByOne = together
    for (value, times) in [(7 as UInt64, 3 as UInt64), (99_999, 5), (500_000, 2), (3, 0)] {
      together.record(value, times: times)
      for _ in 0..<times { oneByOne.record(value) }
    }
    #expect(together == oneByOne)
  }

  @Test func refusesAQuantileOutsideItsRange() async {
    await #expect(processExitsWith: .failure) { _ = Histogram(highestTrackableValue: 1).value(atQuantile: 1.01) }
  }
}

@Suite struct HistogramMergeTests {
  @Test(arguments: 1...30 as ClosedRange<UInt64>) func mergingEqualsRecordingEverythingInOne(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let parts = (0..<4).map { _ in HistogramInputs.values(using: &generator) }
    let whole = HistogramInputs.histogram(of: parts.joined())

    var fromTheLeft = HistogramInputs.histogram(of: [])
    for part in parts { try fromTheLeft.merge(HistogramInputs.histogram(of: part)) }
    #expect(fromTheLeft == whole, "seed \(seed)")

    var fromTheRight = HistogramInputs.histogram(of: [])
    for part in parts.reversed() {
      var sum = HistogramInputs.histogram(of: part)
      try sum.merge(fromTheRight)
      fromTheRight = sum
    }
    #expect(fromTheRight == whole, "seed \(seed)")
  }

  @Test func refusesToMergeAnotherRange() {
    var histogram = Histogram(highestTrackableValue: 1_000)
    let before = histogram
    #expect(throws: HistogramError.differentRange) { try histogram.merge(Histogram(highestTrackableValue: 1_001)) }
    #expect(histogram == before)
  }

  @Test func refusesAMergeThatCouldNotBeCounted() {
    var histogram = Histogram(highestTrackableValue: 1_000)
    histogram.record(1, times: 1 << 62)
    let before = histogram
    #expect(throws: HistogramError.tooManyValues) { try histogram.merge(before) }
    #expect(histogram == before)
  }
}

/// Values as latencies come: some distribution or other, over all magnitudes, now and then above the range.
enum HistogramInputs {
  static let highest: UInt64 = 3_600_000_000

  static func values(using generator: inout SeededGenerator) -> [UInt64] {
    let count = 1 + generator.index(below: 700)
    let bits = 1 + generator.index(below: 34)
    let shape = generator.index(below: 3)
    return (0..<count).map { _ in
      switch shape {
      case 0: UInt64.random(in: 0..<(1 << UInt64(bits)), using: &generator)
      case 1: UInt64.random(in: 0..<(1 << UInt64(generator.index(below: bits + 1))), using: &generator)
      default: UInt64(generator.index(below: 3)) << UInt64(bits)
      }
    }
  }

  static func histogram(of values: some Sequence<UInt64>) -> Histogram {
    var histogram = Histogram(highestTrackableValue: highest)
    for value in values { histogram.record(value) }
    return histogram
  }
}
