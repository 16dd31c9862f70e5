/// Philox4x64-10: a keyed bijection of 256 bits whose outputs, counted through, pass every known statistical test.
/// J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11.
///
/// Chosen because its counter and key take seed, device, concern and n as they are, 64 bits each, without hashing them
/// into one another first, and because published known answers exist.
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
