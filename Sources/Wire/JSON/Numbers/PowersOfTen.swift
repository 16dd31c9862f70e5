/// The first 128 bits of every power of ten that matters to a double, from which decimal numbers are read and written.
/// 10^e and 5^e differ by a power of two only, so these are the bits of 5^e. Computed exactly, once, at first use.
enum PowersOfTen {
  /// The highest bit is set; rounded down.
  static func floor(_ exponent: Int) -> UInt128 { significands[exponent - least] }

  /// As the reading algorithm wants it: reciprocals that can take part in a tie are rounded up.
  static func forReading(_ exponent: Int) -> UInt128 {
    floor(exponent) + ((-27..<0).contains(exponent) ? 1 : 0)
  }

  /// As the writing algorithm wants it: rounded up. From 5^0 to 5^55 the power has 128 bits or fewer and is exact.
  static func forWriting(_ exponent: Int) -> UInt128 {
    floor(exponent) + ((0...55).contains(exponent) ? 0 : 1)
  }

  /// Below 10^-342 times 2^64 everything rounds to zero; writing the least subnormal number takes 10^324.
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
