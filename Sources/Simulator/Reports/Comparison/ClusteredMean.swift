import Base
import FleetSimulator

/// The mean of a number per sample, such as 1 above a level and 0 below it, with the data for its standard error: the sums of
/// each group of phones, and of each piece of the run.
struct ClusteredMean {
  /// The samples of one group, or of one piece.
  struct Cluster {
    let sum: Double
    let count: Double
  }

  let phones: [Cluster]
  let pieces: [Cluster]
  let mean: Double
  let count: Double
  /// The variance of the mean if all samples were independent.
  let independentVariance: Double

  /// `moments` returns the sum of the numbers of a group, the sum of their squares, and their count. Nil without samples.
  init?(_ groups: SampleGroups, moments: (SampleGroups.Group) -> (sum: Double, squares: Double, count: Double)) {
    let (phones, pieces) = (groups.phones.map(moments), groups.pieces.map(moments))
    count = phones.reduce(0) { $0 + $1.count }
    guard count > 0 else { return nil }
    mean = phones.reduce(0) { $0 + $1.sum } / count
    independentVariance = max(0, phones.reduce(0) { $0 + $1.squares } / count - mean * mean) / count
    self.phones = phones.map { Cluster(sum: $0.sum, count: $0.count) }
    self.pieces = pieces.map { Cluster(sum: $0.sum, count: $0.count) }
  }

  /// Returns the influence of each cluster on the mean; the sum of all is 0.
  func influences(_ clusters: [Cluster]) -> [Double] { clusters.map { ($0.sum - mean * $0.count) / count } }
}

/// Tests whether a mean differs between two runs by more than it varies between phones and between moments. Samples
/// of one phone are correlated, and so are those of one moment, when all phones share a fault, a burst or a busy
/// machine: the variance is therefore clustered by both (Cameron, Gelbach and Miller 2011).
/// docs/decisions/0025-comparing-runs.md explains why.
struct MeanTest {
  /// The difference of the means in standard errors; infinite where nothing varies and the means differ.
  let score: Double
  private let freedom: Int

  /// With fewer groups, or pieces, the standard error itself is unknown.
  private static let clustersMin = 6
  /// The number of pieces over which a moment is correlated (Newey and West 1987).
  private static let memory = 3

  /// `isPaired`: the runs had the same phones. Pieces are always pairs, as the scenario's faults and bursts come at the same
  /// time. `excusesMoments`: what happens to all phones at one time in one run alone is chance. Nil where there are too few
  /// groups. Of the pieces those of one run are enough: that of the other everything comes in a few of them may be what it does
  /// worse.
  init?(_ before: ClusteredMean, _ after: ClusteredMean, isPaired: Bool, excusesMoments: Bool) {
    func filled(_ clusters: [ClusteredMean.Cluster]) -> Int { clusters.count { $0.count > 0 } }
    let pieces = max(filled(before.pieces), filled(after.pieces))
    let fewest = min(filled(before.phones), filled(after.phones), pieces)
    guard fewest >= MeanTest.clustersMin else { return nil }
    let (old, new) = (before.influences(before.phones), after.influences(after.phones))
    let byPhone =
      isPaired
      ? MeanTest.variance(zip(old, new).map { $1 - $0 }) : MeanTest.variance(old) + MeanTest.variance(new)
    let series =
      excusesMoments
      ? zip(before.influences(before.pieces), after.influences(after.pieces)).map { $1 - $0 }
      : after.pieces.map { _ in 0 }
    let shared = MeanTest.sharedVariance(series)
    let byPiece = MeanTest.variance(series) + shared
    // The common part is counted twice. For pairs it is unknown.
    let both = isPaired ? 0 : before.independentVariance + after.independentVariance
    let variance = max(byPhone, byPiece, byPhone + byPiece - both)
    let step = after.mean - before.mean
    score = variance > 0 ? step / variance.squareRoot() : step == 0 ? 0 : step > 0 ? .infinity : -.infinity
    // Correlated pieces count as one.
    let stretches = shared > 0 ? Double(pieces) / Double(MeanTest.memory + 1) : Double(fewest - 1)
    let sum = byPhone + byPiece
    // Degrees of freedom of a sum of variances (Satterthwaite 1946).
    let pooled = sum * sum / (byPhone * byPhone / Double(fewest - 1) + byPiece * byPiece / stretches)
    freedom = pooled.isFinite ? min(fewest - 1, Int(pooled)) : fewest - 1
  }

  /// The probability that the means of equal runs differ by so much, in the same direction.
  var chance: Double { StudentTail.share(beyond: score.magnitude, freedom: freedom) }

  private static func variance(_ influences: [Double]) -> Double {
    let count = Double(influences.count)
    return count / (count - 1) * influences.reduce(0) { $0 + $1 * $1 }
  }

  /// Returns the covariance of neighbouring pieces, as an addition to the variance of a series.
  private static func sharedVariance(_ influences: [Double]) -> Double {
    let shared = (1...memory).reduce(0.0) { sum, lag in
      let products = zip(influences, influences.dropFirst(lag)).reduce(0) { $0 + $1.0 * $1.1 }
      return sum + 2 * (1 - Double(lag) / Double(memory + 1)) * products
    }
    let count = Double(influences.count)
    return max(0, shared) * count / (count - 1)
  }
}

/// Student's distribution.
enum StudentTail {
  /// Returns the probability of more than `score`, which is not negative. For an even number of degrees of freedom it is a
  /// finite sum (Abramowitz and Stegun 26.7.4); an odd one is rounded down, which makes the tail longer.
  static func share(beyond score: Double, freedom: Int) -> Double {
    guard score.isFinite else { return 0 }
    let even = max(2, freedom / 2 * 2)
    let cosineSquared = Double(even) / (Double(even) + score * score)
    var (term, sum) = (1.0, 1.0)
    for step in stride(from: 1, to: even - 2, by: 2) {
      term *= cosineSquared * Double(step) / Double(step + 1)
      sum += term
    }
    return max(0, (1 - (1 - cosineSquared).squareRoot() * sum) / 2)
  }
}
