/// A UUID of RFC 9562 as two words, the first holding the digits that are written first.
package struct UUID128: Hashable, Comparable, Sendable {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// A version 4 UUID from 122 of these 128 random bits (RFC 9562 §5.4).
  package init(randomHigh high: UInt64, randomLow low: UInt64) {
    self.high = high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    self.low = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
  }

  /// The order of the texts.
  package static func < (left: UUID128, right: UUID128) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}
