/// A probability distribution of a quantity, in the unit of its use.
package enum Distribution: Equatable, Sendable {
  case constant(Double)
  case uniform(min: Double, max: Double)
  /// Truncated at 0.
  case normal(mean: Double, deviation: Double)
  /// Half of the values are below the median, one in twenty is beyond `p95`.
  case lognormal(median: Double, p95: Double)
  case exponential(mean: Double)
  /// A tail that falls with the power `alpha`, from `min`.
  case pareto(min: Double, alpha: Double)
}

extension Distribution {
  /// Limits draws of times from a heavy tail: three years.
  package static let longestSeconds = 1e8

  /// The 95th percentile of the standard normal distribution.
  private static let normalP95 = 1.6448536269514722

  /// The mean, infinite for the heaviest tails.
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

  /// Draws one value, which takes one step of the stream.
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

/// The inverse of the normal distribution function, to about 1 part in 10^16: M. J. Wichura, "Algorithm AS 241: the
/// percentage points of the normal distribution", Applied Statistics 37 (1988), routine PPND16. The coefficients are
/// the paper's, the constant term first.
package enum NormalQuantile {
  /// `probability` must be between 0 and 1, both excluded.
  package static func value(at probability: Double) -> Double {
    let q = probability - 0.5
    if q.magnitude <= 0.425 { return q * central(0.180625 - q * q) }
    let r = (-PortableMath.log(q < 0 ? probability : 1 - probability)).squareRoot()
    let magnitude = r <= 5 ? middle(r - 1.6) : far(r - 5)
    return q < 0 ? -magnitude : magnitude
  }

  private static func central(_ x: Double) -> Double {
    polynomial(
      x, 3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
      4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3)
      / polynomial(
        x, 1, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
        2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3)
  }

  private static func middle(_ x: Double) -> Double {
    polynomial(
      x, 1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
      1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4)
      / polynomial(
        x, 1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
        1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9)
  }

  private static func far(_ x: Double) -> Double {
    polynomial(
      x, 6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
      2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7)
      / polynomial(
        x, 1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
        7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15)
  }

  /// The coefficients are arguments, because after inlining they are constants; with a table this took almost three times as
  /// long.
  @inline(__always)
  private static func polynomial(
    _ x: Double, _ a: Double, _ b: Double, _ c: Double, _ d: Double, _ e: Double, _ f: Double, _ g: Double, _ h: Double
  ) -> Double {
    ((((((h * x + g) * x + f) * x + e) * x + d) * x + c) * x + b) * x + a
  }
}
