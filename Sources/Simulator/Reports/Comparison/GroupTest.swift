import FleetSimulator

/// Whether a figure of two runs differs by more than its groups of phones and its pieces of time differ among themselves: a
/// test of Student's on the figures of the groups. Groups are pairs where both runs had the same ones.
struct GroupTest {
  /// What the test needs of each group, nil where it has too few samples.
  private let pairs: [(before: Double?, after: Double?)]
  private let isPaired: Bool

  /// With fewer groups the test finds nothing.
  private static let groupsMin = 6

  /// The level of 0.0015 on one side, by degrees of freedom from 3 on: six comparisons of two equal runs then give an alarm less
  /// than once in a hundred times (Student 1908; the quantiles are calculated).
  private static let quantiles = [
    8.89, 6.43, 5.38, 4.80, 4.44, 4.20, 4.02, 3.89, 3.79, 3.71, 3.64, 3.58, 3.54, 3.49, 3.46, 3.43, 3.40, 3.38, 3.35,
    3.34, 3.32, 3.30, 3.29, 3.27, 3.26, 3.25, 3.24, 3.23,
  ]

  init(_ before: [Double?], _ after: [Double?], isPaired: Bool) {
    pairs = zip(before, after).map { ($0, $1) }
    self.isPaired = isPaired
  }

  /// Whether the figure rose; nil where too few groups have one.
  var hasRisen: Bool? { score.map { $0.t > GroupTest.quantile($0.freedom) } }
  var hasFallen: Bool? { score.map { $0.t < -GroupTest.quantile($0.freedom) } }

  private static func quantile(_ freedom: Double) -> Double {
    let index = Int(freedom.rounded(.down)) - 3
    return index < 0 ? .infinity : quantiles[min(index, quantiles.count - 1)]
  }

  private var score: (t: Double, freedom: Double)? { isPaired ? pairedScore : unpairedScore }

  private var pairedScore: (t: Double, freedom: Double)? {
    let steps = pairs.compactMap { pair in
      if let before = pair.before, let after = pair.after { after - before } else { nil as Double? }
    }
    guard steps.count >= GroupTest.groupsMin else { return nil }
    let sample = Sample(steps)
    return (GroupTest.ratio(sample.mean, sample.variance / Double(steps.count)), Double(steps.count - 1))
  }

  /// Of unequal variances (Welch 1947).
  private var unpairedScore: (t: Double, freedom: Double)? {
    let (before, after) = (pairs.compactMap(\.before), pairs.compactMap(\.after))
    guard min(before.count, after.count) >= GroupTest.groupsMin else { return nil }
    let (first, second) = (Sample(before), Sample(after))
    let (a, b) = (first.variance / Double(before.count), second.variance / Double(after.count))
    let weight = a * a / Double(before.count - 1) + b * b / Double(after.count - 1)
    let freedom = weight > 0 ? (a + b) * (a + b) / weight : Double(before.count + after.count - 2)
    return (GroupTest.ratio(second.mean - first.mean, a + b), freedom)
  }

  private static func ratio(_ step: Double, _ variance: Double) -> Double {
    guard variance > 0 else { return step == 0 ? 0 : step > 0 ? .infinity : -.infinity }
    return step / variance.squareRoot()
  }
}

/// Mean and variance of a few numbers.
struct Sample {
  let mean: Double
  let variance: Double

  init(_ values: [Double]) {
    let mean = values.reduce(0, +) / Double(values.count)
    self.mean = mean
    variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count - 1)
  }
}
