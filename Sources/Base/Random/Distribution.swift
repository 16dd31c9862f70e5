/// How a quantity is spread; in the unit in which its measure calculates.
package enum Distribution: Equatable, Sendable {
  case constant(Double)
  case uniform(min: Double, max: Double)
  /// Cut at 0.
  case normal(mean: Double, deviation: Double)
  /// Half of the values are below the median, one in twenty is beyond `p95`.
  case lognormal(median: Double, p95: Double)
  case exponential(mean: Double)
  /// A tail that falls with the power `alpha`, from `min` on.
  case pareto(min: Double, alpha: Double)
}

extension Distribution {
  /// The 95th percentile of the standard normal distribution.
  private static let normalP95 = 1.6448536269514722

  /// Infinite for the heaviest tails.
  package var mean: Double {
    switch self {
    case .constant(let value): value
    case .uniform(let min, let max): (min + max) / 2
    case .normal(let mean, _), .exponential(let mean): mean
    case .lognormal(let median, let p95):
      median * PortableMath.exp(0.5 * Self.sigma(median, p95) * Self.sigma(median, p95))
    case .pareto(let min, let alpha): alpha > 1 ? min * alpha / (alpha - 1) : .infinity
    }
  }

  /// One value, which takes one step of the stream.
  package func draw(from stream: inout RandomStream) -> Double {
    switch self {
    case .constant(let value):
      _ = stream.u64()
      return value
    case .uniform(let min, let max): return min + (max - min) * stream.uniform()
    case .normal(let mean, let deviation): return max(0, stream.normal(mean: mean, standardDeviation: deviation))
    case .lognormal(let median, let p95): return stream.logNormal(median: median, sigma: Self.sigma(median, p95))
    case .exponential(let mean): return stream.exponential(mean: mean)
    // An exponential variable of mean 1/alpha is the logarithm of a Pareto variable.
    case .pareto(let min, let alpha): return min * PortableMath.exp(stream.exponential(mean: 1 / alpha))
    }
  }

  private static func sigma(_ median: Double, _ p95: Double) -> Double {
    p95 > median ? PortableMath.log(p95 / median) / normalP95 : 0
  }
}
