/// The first 128 bits of every power of ten that a double needs, for reading and writing decimal numbers. 10^e and 5^e differ
/// only by a power of two, so these are the bits of 5^e. Computed exactly, once, at first use.
enum PowersOfTen {
  /// Rounded down; the highest bit is set.
  static func floor(_ exponent: Int) -> UInt128 { significands[exponent - least] }

  /// Rounded as the reading algorithm requires: reciprocals that can take part in a tie are rounded up.
  static func forReading(_ exponent: Int) -> UInt128 {
    floor(exponent) + ((-27..<0).contains(exponent) ? 1 : 0)
  }

  /// Rounded as the writing algorithm requires: up. From 5^0 to 5^55 the power has 128 bits or fewer and is exact.
  static func forWriting(_ exponent: Int) -> UInt128 {
    floor(exponent) + ((0...55).contains(exponent) ? 0 : 1)
  }

  /// Below 10^-342 times 2^64 everything rounds to zero; writing the least subnormal number requires 10^324.
  private static let least = -342
  private static let greatest = 324

  private static let significands: [UInt128] = {
    let reciprocals = leadingBits(count: -least) { $0.divideByFive() }
    let powers = leadingBits(count: greatest) { $0.multiplyByFive() }
    return reciprocals.reversed() + [1 << 127] + powers
  }()

  private static func leadingBits(count: Int, step: (inout WideInteger) -> Void) -> [UInt128] {
    var number = WideInteger()
    return (0..<count).map { _ in
      step(&number)
      return number.leading128Bits
    }
  }
}

/// An integer wide enough for the exact powers of five that doubles need, starting at 2^1024: 5^-342 times that keeps 229 exact
/// leading bits (dividing repeatedly and rounding down each time equals dividing once and rounding down), and 5^324 times that
/// has 1,777 bits.
struct WideInteger {
  private static let wordCount = 28
  /// The least significant word first.
  private var words = [UInt64](repeating: 0, count: wordCount)

  init() { words[16] = 1 }

  mutating func multiplyByFive() {
    var carry: UInt64 = 0
    for index in words.indices {
      let product = words[index].multipliedFullWidth(by: 5)
      let (sum, overflow) = product.low.addingReportingOverflow(carry)
      words[index] = sum
      carry = product.high + (overflow ? 1 : 0)
    }
    precondition(carry == 0, "the number is wider than 1,792 bits")
  }

  mutating func divideByFive() {
    var remainder: UInt64 = 0
    for index in words.indices.reversed() {
      (words[index], remainder) = UInt64(5).dividingFullWidth((high: remainder, low: words[index]))
    }
  }

  /// The number truncated after its first 128 bits, of which the highest is set.
  var leading128Bits: UInt128 {
    guard let top = words.lastIndex(where: { $0 != 0 }), top >= 2 else { preconditionFailure("too small a number") }
    let shift = words[top].leadingZeroBitCount
    let bits = UInt128(words[top]) << 64 | UInt128(words[top - 1])
    return bits << shift | UInt128(words[top - 2] >> (64 - shift))
  }
}
