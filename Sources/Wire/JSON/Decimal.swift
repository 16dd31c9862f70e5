/// A decimal number as written: `± significand × 10^exponent`.
struct Decimal: Equatable, Sendable {
  var isNegative = false
  var significand: UInt64 = 0
  var exponent = 0
  /// Whether the number has non-zero digits beyond those that fit into `significand`.
  var isTruncated = false

  /// The value when it is an integer with a magnitude below 2^64. A truncated number never is: as an integer, its digits alone
  /// would exceed 64 bits.
  var integerMagnitude: UInt64? {
    guard !isTruncated else { return nil }
    guard significand != 0 else { return 0 }
    guard (-20...20).contains(exponent) else { return nil }
    var magnitude = significand
    for _ in 0..<max(0, -exponent) {
      let (quotient, remainder) = magnitude.quotientAndRemainder(dividingBy: 10)
      guard remainder == 0 else { return nil }
      magnitude = quotient
    }
    for _ in 0..<max(0, exponent) {
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
      guard !overflow else { return nil }
      magnitude = product
    }
    return magnitude
  }

  /// The nearest double, ties to even, possibly infinite; nil when the omitted digits might decide it.
  var double: Double? {
    let nearest = Self.nearestDouble(significand, exponent)
    if isTruncated {
      // The value lies between this significand and the next: if both give the same double, so does the value.
      guard significand < .max, Self.nearestDouble(significand + 1, exponent) == nearest else { return nil }
    }
    return isNegative ? -nearest : nearest
  }
}

extension Decimal {
  /// The double nearest to `significand × 10^exponent`, ties to even.
  ///
  /// Lemire, "Number Parsing at a Gigabyte per Second" (2021), with the proof of Mushtak and Lemire, "Fast Number Parsing
  /// Without Fallback" (2023), that 128 bits of the power always decide.
  static func nearestDouble(_ significand: UInt64, _ exponent: Int) -> Double {
    guard significand != 0, exponent >= -342 else { return 0 }
    guard exponent <= 308 else { return .infinity }
    // Both operands exact, one rounding (Clinger 1990).
    if significand <= 1 << 53, (-22...22).contains(exponent) {
      let power = exactPowers[abs(exponent)]
      return exponent < 0 ? Double(significand) / power : Double(significand) * power
    }

    let shift = significand.leadingZeroBitCount
    let product = approximateProduct(significand << UInt64(shift), exponent)
    let upperBit = Int(product.high >> 63)
    var bits = product.high >> UInt64(upperBit + 9)
    var binaryExponent = (exponent * 217_706) >> 16 + 63 + upperBit - shift + 1023

    if binaryExponent <= 0 {
      guard binaryExponent > -63 else { return 0 }
      bits >>= UInt64(1 - binaryExponent)
      bits = (bits + bits & 1) >> 1
      // Rounding up to 2^52 gives the smallest normal number, whose exponent field is the carried bit.
      return Double(bitPattern: bits)
    }
    let isTie = product.low <= 1 && (-4...23).contains(exponent) && bits & 3 == 1
    if isTie, bits << UInt64(upperBit + 9) == product.high { bits &= ~1 }
    bits = (bits + bits & 1) >> 1
    if bits == 1 << 53 {
      bits = 1 << 52
      binaryExponent += 1
    }
    guard binaryExponent < 0x7FF else { return .infinity }
    return Double(bitPattern: UInt64(binaryExponent) << 52 | bits & (1 << 52 - 1))
  }

  /// Returns the upper 128 bits of the product with the power of ten; the second half of the power is needed only when the bits
  /// below the 55 that count are all ones.
  private static func approximateProduct(_ significand: UInt64, _ exponent: Int) -> (high: UInt64, low: UInt64) {
    let power = PowersOfTen.forReading(exponent)
    var (high, low) = significand.multipliedFullWidth(by: UInt64(truncatingIfNeeded: power >> 64))
    if high & 0x1FF == 0x1FF {
      let carry = significand.multipliedFullWidth(by: UInt64(truncatingIfNeeded: power)).high
      let overflow: Bool
      (low, overflow) = low.addingReportingOverflow(carry)
      if overflow { high += 1 }
    }
    return (high, low)
  }

  private static let exactPowers: InlineArray<23, Double> = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}
