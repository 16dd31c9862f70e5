extension RandomStream {
  /// 0 ..< 1, a multiple of 2^−53.
  package mutating func uniform() -> Double { RandomStream.uniform(u64()) }

  /// 0 ..< bound, every number exactly as likely as any other.
  ///
  /// The high word of a product is the number, and the few low words that would favour some numbers are tried again:
  /// D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019).
  package mutating func integer(below bound: UInt64) -> UInt64 {
    precondition(bound > 0, "there is no number below zero")
    var product = u64().multipliedFullWidth(by: bound)
    guard product.low < bound else { return product.high }
    let unfair = (0 &- bound) % bound
    var retries = retries
    while product.low < unfair { product = retries.pair().0.multipliedFullWidth(by: bound) }
    return product.high
  }

  /// An index of a collection with `count` elements.
  package mutating func index(below count: Int) -> Int {
    precondition(count > 0, "an empty collection has no index")
    return Int(integer(below: UInt64(count)))
  }

  /// True with a probability of 0 (never) to 1 (always).
  package mutating func chance(_ probability: Double) -> Bool {
    precondition(probability >= 0 && probability <= 1, "a probability is 0 to 1")
    return uniform() < probability
  }

  package mutating func normal(mean: Double = 0, standardDeviation: Double = 1) -> Double {
    precondition(standardDeviation >= 0, "a standard deviation is not negative")
    return mean + standardDeviation * NormalQuantile.value(at: RandomStream.openUniform(u64()))
  }

  package mutating func exponential(mean: Double) -> Double {
    precondition(mean >= 0, "the mean of an exponential distribution is not negative")
    return -mean * PortableMath.log(RandomStream.openUniform(u64()))
  }

  /// e^X · median for a normal X of mean 0 and standard deviation sigma: half of the draws are below the median.
  package mutating func logNormal(median: Double, sigma: Double) -> Double {
    precondition(median >= 0, "the median of a lognormal distribution is not negative")
    return median * PortableMath.exp(normal(standardDeviation: sigma))
  }

  /// The same, parametrised by its mean, which is e^(sigma²/2) times its median.
  package mutating func logNormal(mean: Double, sigma: Double) -> Double {
    logNormal(median: mean * PortableMath.exp(-0.5 * sigma * sigma), sigma: sigma)
  }

  /// 0 ..< 1, a multiple of 2^−53.
  static func uniform(_ bits: UInt64) -> Double { Double(bits >> 11) * 0x1p-53 }

  /// Between 0 and 1 without either, symmetrical about ½: an odd multiple of 2^−53. The quantile of a normal
  /// distribution stays within ±8.3 standard deviations.
  static func openUniform(_ bits: UInt64) -> Double { (Double(bits >> 12) + 0.5) * 0x1p-52 }
}
