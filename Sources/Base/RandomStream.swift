/// Random numbers that are a pure function of (seed, device, concern, n): n counts the draws of one concern of one device, and
/// there is no other state. So a device, a concern or a shard can be left out without changing any other draw.
///
/// Every draw, of whatever distribution, is exactly one step of n. The few distributions that reject and retry take their
/// further numbers from a side stream of that step.
///
/// The results are identical on every machine, in debug and release: only integers, IEEE 754 arithmetic and `PortableMath` are
/// used.
package struct RandomStream: Sendable {
  package let seed: UInt64
  package let device: UInt64
  package let concern: UInt64
  /// The step of the next draw.
  package private(set) var n: UInt64
  /// The block of four numbers that contains the next step; not computed yet while `n` is a multiple of four.
  private var block: Philox.Block

  package init(seed: UInt64, device: UInt64, concern: UInt64, n: UInt64 = 0) {
    self.seed = seed
    self.device = device
    self.concern = concern
    self.n = n
    block = n & 3 == 0 ? (0, 0, 0, 0) : RandomStream.block(seed, device, concern, n)
  }

  /// Returns the number of a stream at step n.
  package static func u64(seed: UInt64, device: UInt64, concern: UInt64, n: UInt64) -> UInt64 {
    word(of: block(seed, device, concern, n), at: n)
  }

  package mutating func u64() -> UInt64 {
    if n & 3 == 0 { block = RandomStream.block(seed, device, concern, n) }
    let word = RandomStream.word(of: block, at: n)
    n &+= 1
    return word
  }

  /// The side stream of the last step.
  var retries: RetryStream { RetryStream(seed: seed, device: device, concern: concern, n: n &- 1) }

  private static func block(_ seed: UInt64, _ device: UInt64, _ concern: UInt64, _ n: UInt64) -> Philox.Block {
    Philox.block(counter: (n >> 2, concern, device, 0), key: (seed, 0))
  }

  private static func word(of block: Philox.Block, at n: UInt64) -> UInt64 {
    switch n & 3 {
    case 0: block.0
    case 1: block.1
    case 2: block.2
    default: block.3
    }
  }
}

extension RandomStream {
  /// Returns a number in 0 ..< 1, a multiple of 2^−53.
  package mutating func uniform() -> Double { RandomStream.uniform(u64()) }

  /// Returns a number in 0 ..< bound, all equally likely.
  ///
  /// The high word of a product is the number, and the few low words that would favour some numbers are rejected: D. Lemire,
  /// "Fast random integer generation in an interval", ACM TOMACS 29 (2019).
  package mutating func integer(below bound: UInt64) -> UInt64 {
    precondition(bound > 0, "there is no number below zero")
    var product = u64().multipliedFullWidth(by: bound)
    guard product.low < bound else { return product.high }
    let unfair = (0 &- bound) % bound
    var retries = retries
    while product.low < unfair { product = retries.pair().0.multipliedFullWidth(by: bound) }
    return product.high
  }

  /// Returns an index of a collection with `count` elements.
  package mutating func index(below count: Int) -> Int {
    precondition(count > 0, "an empty collection has no index")
    return Int(integer(below: UInt64(count)))
  }

  /// Returns true with a probability of 0 (never) to 1 (always).
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

  /// Returns e^X · median for a normal X of mean 0 and standard deviation sigma: half of the draws are below the median.
  package mutating func logNormal(median: Double, sigma: Double) -> Double {
    precondition(median >= 0, "the median of a lognormal distribution is not negative")
    return median * PortableMath.exp(normal(standardDeviation: sigma))
  }

  /// Like the above, parametrised by the mean, which is e^(sigma²/2) times the median.
  package mutating func logNormal(mean: Double, sigma: Double) -> Double {
    logNormal(median: mean * PortableMath.exp(-0.5 * sigma * sigma), sigma: sigma)
  }

  /// Returns a number in 0 ..< 1, a multiple of 2^−53.
  static func uniform(_ bits: UInt64) -> Double { Double(bits >> 11) * 0x1p-53 }

  /// Returns a number between 0 and 1, both excluded, symmetrical about ½: an odd multiple of 2^−53. The quantile of a normal
  /// distribution stays within ±8.3 standard deviations.
  static func openUniform(_ bits: UInt64) -> Double { (Double(bits >> 12) + 0.5) * 0x1p-52 }
}

extension RandomStream {
  /// Returns the number of events when `mean` of them are expected: exact for means from 0 to 10^9.
  package mutating func poisson(mean: Double) -> Int {
    precondition(mean >= 0 && mean <= 1e9, "the mean of a Poisson distribution is 0 to 10^9 here")
    let bits = u64()
    if mean < 10 { return RandomStream.smallPoisson(mean: mean, uniform: RandomStream.uniform(bits)) }
    var retries = retries
    return RandomStream.largePoisson(mean: mean, from: &retries)
  }

  /// Inversion: adds probabilities until they exceed the uniform number.
  private static func smallPoisson(mean: Double, uniform: Double) -> Int {
    var count = 0
    var probability = PortableMath.exp(-mean)
    var sum = probability
    while uniform >= sum {
      count += 1
      probability *= mean / Double(count)
      let next = sum + probability
      // When adding a probability no longer changes the sum, only rounding is left.
      if next == sum && Double(count) > mean { break }
      sum = next
    }
    return count
  }

  /// PTRS, transformed rejection with squeeze, for means of 10 and more: W. Hörmann, "The transformed rejection method
  /// for generating Poisson random variables", Insurance: Mathematics and Economics 12 (1993).
  private static func largePoisson(mean: Double, from retries: inout RetryStream) -> Int {
    let logMean = PortableMath.log(mean)
    let b = 0.931 + 2.53 * mean.squareRoot()
    let a = -0.059 + 0.02483 * b
    let inverseAlpha = 1.1239 + 1.1328 / (b - 3.4)
    let squeeze = 0.9277 - 3.6224 / (b - 2)
    while true {
      let pair = retries.pair()
      let u = openUniform(pair.0) - 0.5
      let v = openUniform(pair.1)
      let us = 0.5 - u.magnitude
      let k = ((2 * a / us + b) * u + mean + 0.43).rounded(.down)
      if us >= 0.07 && v <= squeeze { return Int(k) }
      if k < 0 || (us < 0.013 && v > us) { continue }
      let acceptance = PortableMath.log(v * inverseAlpha / (a / (us * us) + b))
      if acceptance <= k * logMean - mean - logFactorial(k) { return Int(k) }
    }
  }

  /// Returns ln k! for an integer k: directly while k! is exact, then by Stirling's series.
  private static func logFactorial(_ k: Double) -> Double {
    if k < 16 {
      var factorial = 1.0
      var factor = 2.0
      while factor <= k {
        factorial *= factor
        factor += 1
      }
      return PortableMath.log(factorial)
    }
    let halfLogOfTwoPi = 0.9189385332046727
    let z = 1 / (k * k)
    let series = (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1_260 - z / 1_680))) / k
    return (k + 0.5) * PortableMath.log(k) - k + halfLogOfTwoPi + series
  }
}

/// Philox4x64-10: a keyed bijection of 256 bits whose outputs, with a counter as input, pass every known statistical test.
/// J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11.
///
/// Chosen because its counter and key take seed, device, concern and n directly, 64 bits each, without hashing them together
/// first, and because published test vectors exist.
package enum Philox {
  package typealias Block = (UInt64, UInt64, UInt64, UInt64)

  package static func block(counter: Block, key: (UInt64, UInt64)) -> Block {
    var (word0, word1, word2, word3) = counter
    var (key0, key1) = key
    for _ in 0..<10 {
      let left = word0.multipliedFullWidth(by: 0xD2E7_470E_E14C_6C93)
      let right = word2.multipliedFullWidth(by: 0xCA5A_8263_9512_1157)
      (word0, word1, word2, word3) = (right.high ^ word1 ^ key0, right.low, left.high ^ word3 ^ key1, left.low)
      key0 &+= 0x9E37_79B9_7F4A_7C15
      key1 &+= 0xBB67_AE85_84CA_A73B
    }
    return (word0, word1, word2, word3)
  }
}

/// The unlimited further numbers of one step of a random stream. The second word of the key distinguishes them from the steps
/// themselves.
struct RetryStream {
  private let seed: UInt64
  private var counter: Philox.Block

  init(seed: UInt64, device: UInt64, concern: UInt64, n: UInt64) {
    self.seed = seed
    counter = (0, concern, device, n)
  }

  mutating func pair() -> (UInt64, UInt64) {
    let block = Philox.block(counter: counter, key: (seed, 1))
    counter.0 += 1
    return (block.0, block.1)
  }
}
