import Base
import Glibc
import Testing

@Suite struct DistributionTests {
  private static let count = 20_000

  private func samples(seed: UInt64, _ draw: (inout RandomStream) -> Double) -> [Double] {
    var stream = RandomStream(seed: seed, device: 3, concern: 4)
    return (0..<DistributionTests.count).map { _ in draw(&stream) }
  }

  private func expectFit(_ samples: [Double], _ distribution: (Double) -> Double, _ comment: Comment) {
    let distance = Statistics.kolmogorovSmirnov(samples, distribution: distribution)
    #expect(distance < Statistics.kolmogorovSmirnovLimit, comment)
  }

  /// Within 3.3 standard errors of the mean, which a perfect generator misses once in a thousand times.
  private func expectMean(_ samples: [Double], _ mean: Double, standardDeviation: Double, _ comment: Comment) {
    let error = (Statistics.mean(samples) - mean) / standardDeviation * Double(samples.count).squareRoot()
    #expect(abs(error) < 3.29, comment)
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func uniformNumbersFillTheUnitInterval(seed: UInt64) {
    let samples = samples(seed: seed) { $0.uniform() }
    #expect(samples.allSatisfy { $0 >= 0 && $0 < 1 && $0 * 0x1p53 == ($0 * 0x1p53).rounded() })
    expectFit(samples, { $0 }, "seed \(seed)")
    expectMean(samples, 0.5, standardDeviation: (1 / 12.0).squareRoot(), "seed \(seed)")
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func normalNumbersFollowTheNormalDistribution(seed: UInt64) {
    let samples = samples(seed: seed) { $0.normal(mean: -3, standardDeviation: 2) }
    expectFit(samples, { Statistics.normalDistribution(($0 + 3) / 2) }, "seed \(seed)")
    expectMean(samples, -3, standardDeviation: 2, "seed \(seed)")
    expectMean(samples.map { ($0 + 3) * ($0 + 3) }, 4, standardDeviation: 4 * 2.0.squareRoot(), "seed \(seed)")
  }

  @Test func theNormalQuantileInvertsTheDistributionFarIntoTheTail() {
    var probability = 0x1p-53
    while probability < 0.5 {
      let quantile = NormalQuantile.value(at: probability)
      // Near −8 an error of one unit in the last place of the quantile is one of 1.5e-14 of the probability.
      let error = abs(Statistics.normalDistribution(quantile) / probability - 1)
      #expect(error < 5e-14, "\(probability)")
      let mirrored = NormalQuantile.value(at: 1 - probability)
      #expect(probability < 1e-3 || abs(mirrored + quantile) < 1e-13, "\(probability)")
      probability *= 1.37
    }
    #expect(NormalQuantile.value(at: 0.5) == 0)
    // The percentage point that every table of the normal distribution has.
    #expect(abs(NormalQuantile.value(at: 0.975) - 1.959963984540054) < 1e-15)
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func exponentialNumbersFollowTheExponentialDistribution(seed: UInt64) {
    let samples = samples(seed: seed) { $0.exponential(mean: 30) }
    #expect(samples.allSatisfy { $0 > 0 })
    expectFit(samples, { -expm1(-$0 / 30) }, "seed \(seed)")
    expectMean(samples, 30, standardDeviation: 30, "seed \(seed)")
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func lognormalNumbersFollowTheLognormalDistribution(seed: UInt64) {
    let (median, sigma) = (80.0, 0.5)
    let samples = samples(seed: seed) { $0.logNormal(median: median, sigma: sigma) }
    expectFit(samples, { Statistics.normalDistribution(Glibc.log($0 / median) / sigma) }, "seed \(seed)")
  }

  @Test func theEndsOfTheParametersAreReached() {
    var stream = RandomStream(seed: 0, device: 0, concern: 0)
    for _ in 0..<200 {
      #expect(stream.integer(below: 1) == 0)
      #expect(stream.normal(mean: 7, standardDeviation: 0) == 7)
      #expect(stream.exponential(mean: 0) == 0)
      #expect(stream.logNormal(median: 5, sigma: 0) == 5)
      let (always, never) = (stream.chance(1), stream.chance(0))
      #expect(always && !never)
    }
  }

  @Test func boundedIntegersAreEquallyLikely() {
    var stream = RandomStream(seed: 64, device: 0, concern: 0)
    var counts = Array(repeating: 0, count: 7)
    for _ in 0..<DistributionTests.count { counts[stream.index(below: 7)] += 1 }
    let expected = Array(repeating: Double(DistributionTests.count) / 7, count: 7)
    #expect(Statistics.chiSquare(counts, expected: expected) < Statistics.chiSquareLimit(degreesOfFreedom: 6))

    // Without trying again, half of the numbers below 3 · 2^62 would be multiples of three.
    var remainders = Array(repeating: 0, count: 3)
    for _ in 0..<DistributionTests.count { remainders[Int(stream.integer(below: 3 << 62) % 3)] += 1 }
    let thirds = Array(repeating: Double(DistributionTests.count) / 3, count: 3)
    #expect(Statistics.chiSquare(remainders, expected: thirds) < Statistics.chiSquareLimit(degreesOfFreedom: 2))
  }

  @Test(arguments: [0.001, 0.3, 0.5, 0.97])
  func chanceIsTrueAsOftenAsItsProbabilitySays(probability: Double) {
    let samples = samples(seed: 5) { $0.chance(probability) ? 1 : 0 }
    let deviation = (probability * (1 - probability)).squareRoot()
    expectMean(samples, probability, standardDeviation: deviation, "probability \(probability)")
  }
}

/// What the tests of random numbers measure. All limits are those of a test that a perfect generator fails once in a
/// thousand times; the seeds are fixed, so it either always passes or never.
enum Statistics {
  /// Pearson's chi-square of counted against expected frequencies.
  static func chiSquare(_ counts: [Int], expected: [Double]) -> Double {
    zip(counts, expected).reduce(0) { sum, pair in
      let difference = Double(pair.0) - pair.1
      return sum + difference * difference / pair.1
    }
  }

  /// The limit of a chi-square (Wilson and Hilferty, 1931).
  static func chiSquareLimit(degreesOfFreedom: Int) -> Double {
    let degrees = Double(degreesOfFreedom)
    let spread = 2 / (9 * degrees)
    let root = 1 - spread + 3.0902 * spread.squareRoot()
    return degrees * root * root * root
  }

  /// The largest distance between the distribution of the samples and the given one, times √n (Kolmogorov and Smirnov).
  static func kolmogorovSmirnov(_ samples: [Double], distribution: (Double) -> Double) -> Double {
    let count = Double(samples.count)
    var largest = 0.0
    for (index, sample) in samples.sorted().enumerated() {
      let probability = distribution(sample)
      largest = max(largest, probability - Double(index) / count, Double(index + 1) / count - probability)
    }
    return largest * count.squareRoot()
  }

  static let kolmogorovSmirnovLimit = 1.9495

  static func mean(_ samples: [Double]) -> Double { samples.reduce(0, +) / Double(samples.count) }

  static func variance(_ samples: [Double]) -> Double {
    let mean = mean(samples)
    return samples.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(samples.count - 1)
  }

  static func correlation(_ left: [Double], _ right: [Double]) -> Double {
    let (leftMean, rightMean) = (mean(left), mean(right))
    let products = zip(left, right).reduce(0) { $0 + ($1.0 - leftMean) * ($1.1 - rightMean) }
    return products / Double(left.count - 1) / (variance(left) * variance(right)).squareRoot()
  }

  static func normalDistribution(_ x: Double) -> Double { 0.5 * erfc(-x / 2.0.squareRoot()) }
}
