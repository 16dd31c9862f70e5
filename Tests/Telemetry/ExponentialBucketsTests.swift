import Base
import Testing

@testable import Telemetry

/// The form that OTLP has for histograms, held against its definition.
@Suite struct ExponentialBucketsTests {
  private func random(_ seed: UInt64) -> RandomStream { RandomStream(seed: seed, device: 1, concern: 2) }

  /// `2^n` by multiplication, which is exact.
  private func power(_ n: Int) -> Double { Double(sign: .plus, exponent: n, significand: 1) }

  @Test func aPowerOfTwoIsTheUpperBoundOfItsBucket() {
    for exponent in -40...40 {
      let index = exponent << Int(ExponentialBuckets.finestScale)
      let value = power(exponent)
      #expect(ExponentialBuckets.index(of: value) == index - 1)
      #expect(ExponentialBuckets.index(of: value.nextUp) == index)
      #expect(ExponentialBuckets.index(of: value.nextDown) == index - 1)
    }
  }

  /// The bucket's bounds, by another way than the table's: 128 multiplications by `2^(1/128)` make a doubling.
  @Test func eachValueLiesBetweenTheBoundsOfItsBucket() {
    let count = 1 << Int(ExponentialBuckets.finestScale)
    var root = 2.0
    for _ in 0..<ExponentialBuckets.finestScale { root = root.squareRoot() }
    var bounds = [1.0]
    for _ in 0..<count { bounds.append(bounds[bounds.count - 1] * root) }
    var stream = random(7)
    for _ in 0..<20_000 {
      let value = PortableMath.exp(stream.uniform() * 60 - 30)
      let index = ExponentialBuckets.index(of: value)
      let doubling = index >> Int(ExponentialBuckets.finestScale)
      let place = index - doubling << Int(ExponentialBuckets.finestScale)
      #expect(value > bounds[place] * power(doubling) * (1 - 1e-13))
      #expect(value <= bounds[place + 1] * power(doubling) * (1 + 1e-13))
    }
  }

  @Test func indexesRiseWithTheirValues() {
    var stream = random(8)
    let values = (0..<5_000).map { _ in PortableMath.exp(stream.uniform() * 40 - 20) }.sorted()
    let indexes = values.map(ExponentialBuckets.index)
    #expect(indexes == indexes.sorted())
  }

  @Test(arguments: 0..<40)
  func nothingIsLostAndTheScaleIsTheFinestThatFits(_ seed: UInt64) {
    var stream = random(seed)
    var histogram = Histogram(highestTrackableValue: 3_456_000_000_000)
    let span = 0.01 + stream.uniform() * 28
    let zeros = stream.index(below: 5)
    for _ in 0..<zeros { histogram.record(0) }
    let values = (0..<1 + stream.index(below: 2_000)).map { _ in
      UInt64(1 + PortableMath.exp(stream.uniform() * span))
    }
    for value in values { histogram.record(value) }
    let buckets = ExponentialBuckets(histogram, units: 1_000_000)
    #expect(buckets.zeroCount == UInt64(zeros))
    #expect(buckets.zeroCount + buckets.counts.reduce(0, +) == histogram.count)
    #expect(buckets.counts.count <= ExponentialBuckets.bucketsMax)
    #expect((buckets.counts.first ?? 0) > 0 && (buckets.counts.last ?? 0) > 0)
    // One scale finer, and they would not fit.
    if buckets.scale < ExponentialBuckets.finestScale {
      #expect(buckets.counts.count * 2 >= ExponentialBuckets.bucketsMax)
    }
    // Each value is in its bucket, or in a neighbour when its slot of the histogram crosses the border.
    let shift = Int(ExponentialBuckets.finestScale - buckets.scale)
    for value in values {
      let index = ExponentialBuckets.index(of: Double(value) / 1_000_000) >> shift - Int(buckets.offset)
      #expect([index, index + 1].contains { buckets.counts.indices.contains($0) && buckets.counts[$0] > 0 })
    }
    // A percentile of the buckets is that of the values within the width of a bucket and of a slot.
    let rank = UInt64(Double(values.count) * 0.95)
    let sorted = values.sorted()
    var passed: UInt64 = 0
    let found = buckets.counts.firstIndex { count in
      passed += count
      return passed > min(rank, UInt64(values.count - 1))
    }
    let base = PortableMath.exp(PortableMath.log(2) / power(Int(buckets.scale)))
    let upper = PortableMath.exp(PortableMath.log(base) * Double(Int(buckets.offset) + (found ?? 0) + 1))
    let truth = Double(sorted[Int(min(rank, UInt64(values.count - 1)))]) / 1_000_000
    #expect(upper >= truth * 0.999 && upper <= truth * base * 1.002)
  }

  @Test func valuesAboveTheRangeAreCountedToo() {
    var histogram = Histogram(highestTrackableValue: 1_000)
    for value in [1, 1_000, 5_000, 9_000] as [UInt64] { histogram.record(value) }
    let buckets = ExponentialBuckets(histogram, units: 1)
    #expect(buckets.counts.reduce(0, +) == 4 && buckets.counts.last == 2)
    #expect(ExponentialBuckets(Histogram(highestTrackableValue: 9), units: 1).counts == [])
  }
}
