import Support
import Testing

@testable import Base

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
