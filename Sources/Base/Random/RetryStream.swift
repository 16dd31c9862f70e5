/// The endless further numbers of one step of a random stream. The second word of the key keeps them apart from the
/// steps themselves.
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
