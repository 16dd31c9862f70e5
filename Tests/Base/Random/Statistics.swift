import Glibc

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
