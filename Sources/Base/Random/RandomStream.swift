/// Random numbers that are a pure function of (seed, device, concern, n): n counts the draws of one concern of one
/// device, and there is no other state. So a device, a concern or a shard can be left out and every other draw stays.
///
/// Every draw, of whatever distribution, is exactly one step of n. The few distributions that reject and try again take
/// their further numbers from a side stream that belongs to the step alone.
///
/// The results are the same on every machine, in debug and release: only integers, IEEE 754 arithmetic and
/// `PortableMath` are used.
package struct RandomStream: Sendable {
  package let seed: UInt64
  package let device: UInt64
  package let concern: UInt64
  /// The step that the next draw will use.
  package private(set) var n: UInt64
  /// The block of four numbers with the next step in it; not yet made while `n` is a multiple of four.
  private var block: Philox.Block

  package init(seed: UInt64, device: UInt64, concern: UInt64, n: UInt64 = 0) {
    self.seed = seed
    self.device = device
    self.concern = concern
    self.n = n
    block = n & 3 == 0 ? (0, 0, 0, 0) : RandomStream.block(seed, device, concern, n)
  }

  /// The number that a stream gives at step n.
  package static func u64(seed: UInt64, device: UInt64, concern: UInt64, n: UInt64) -> UInt64 {
    word(of: block(seed, device, concern, n), at: n)
  }

  package mutating func u64() -> UInt64 {
    if n & 3 == 0 { block = RandomStream.block(seed, device, concern, n) }
    let word = RandomStream.word(of: block, at: n)
    n &+= 1
    return word
  }

  /// The side stream of the step last taken.
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
