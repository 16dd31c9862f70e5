/// Random numbers that are a pure function of (seed, device, concern, n): n counts the draws of one concern of one device, and
/// there is no other state. So a device, a concern or a shard can be left out without changing any other draw.
///
/// Every draw, of whatever distribution, is exactly one step of n. A bounded integer, which rejects and retries, takes its further
/// numbers from a side stream of that step.
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

  /// Returns a number in 0 ..< 1, a multiple of 2^−53.
  static func uniform(_ bits: UInt64) -> Double { Double(bits >> 11) * 0x1p-53 }

  /// Returns a number between 0 and 1, both excluded, symmetrical about ½: an odd multiple of 2^−53. The quantile of a normal
  /// distribution stays within ±8.3 standard deviations.
  static func openUniform(_ bits: UInt64) -> Double { (Double(bits >> 12) + 0.5) * 0x1p-52 }
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
