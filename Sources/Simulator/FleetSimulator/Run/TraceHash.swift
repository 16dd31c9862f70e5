import Base

/// Two words that depend on everything folded in and on its order (the finalizer of SplitMix64 as the mixer).
package struct TraceHash: Hashable, Sendable {
  package private(set) var high: UInt64 = 0x9E37_79B9_7F4A_7C15
  package private(set) var low: UInt64 = 0xD1B5_4A32_D192_ED03

  package init() {}

  package mutating func fold(_ word: UInt64) {
    high = TraceHash.mix(high ^ word)
    low = TraceHash.mix(low &+ word &+ high)
  }

  /// Eight bytes at a time, the length last.
  package mutating func fold(_ bytes: Span<UInt8>) {
    var index = 0
    while index + 8 <= bytes.count {
      fold(bytes.bigWord(at: index))
      index += 8
    }
    var word: UInt64 = 0
    while index < bytes.count {
      word = word << 8 | UInt64(bytes[index])
      index += 1
    }
    fold(word)
    fold(UInt64(bytes.count))
  }

  package mutating func fold(_ other: TraceHash) {
    fold(other.high)
    fold(other.low)
  }

  /// Nothing yet, for `add`.
  package static let zero: TraceHash = {
    var hash = TraceHash()
    (hash.high, hash.low) = (0, 0)
    return hash
  }()

  /// Takes in the hash of the member with this key. The order of members does not show, so that the sums of parts add up
  /// to the sum of the whole.
  package mutating func add(_ member: TraceHash, key: UInt64) {
    var keyed = member
    keyed.fold(key)
    add(keyed)
  }

  /// Takes in a sum of other members.
  package mutating func add(_ sum: TraceHash) {
    high &+= sum.high
    low &+= sum.low
  }

  static func mix(_ word: UInt64) -> UInt64 {
    var mixed = word &+ 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  /// 32 hexadecimal digits.
  package var text: String { TraceHash.digits(high) + TraceHash.digits(low) }

  /// Nil for what `text` never gives.
  package init?(text: String) {
    guard text.utf8.count == 32, text.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2D }),
      let high = UInt64(text.prefix(16), radix: 16), let low = UInt64(text.suffix(16), radix: 16)
    else { return nil }
    (self.high, self.low) = (high, low)
  }

  private static func digits(_ word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
