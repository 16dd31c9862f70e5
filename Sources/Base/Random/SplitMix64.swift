/// The finalizer of SplitMix64: spreads every bit of a word over all bits of the result.
package enum SplitMix64 {
  /// Returns the mixed word; equal words give equal results.
  @inlinable package static func mix(_ word: UInt64) -> UInt64 {
    var mixed = word &+ 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

extension UUID128 {
  /// A hash of eight bytes, the same in each process.
  package var mixed: UInt64 { SplitMix64.mix(high ^ SplitMix64.mix(low)) }
}
