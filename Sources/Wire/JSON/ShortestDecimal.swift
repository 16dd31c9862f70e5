/// The shortest decimal number that reads back as a given double, and among those the nearest to it:
/// `digits × 10^exponent`, without trailing zeros.
///
/// Giulietti, "The Schubfach way to render doubles" (2021).
struct ShortestDecimal: Equatable {
  private(set) var digits: UInt64
  private(set) var exponent: Int

  /// `value` must be positive and finite.
  init(_ value: Double) {
    let fraction = value.bitPattern & (1 << 52 - 1)
    let exponentField = Int(value.bitPattern >> 52)
    let significand = exponentField == 0 ? fraction : fraction | 1 << 52
    let binaryExponent = max(exponentField, 1) - 1075
    if (-52...0).contains(binaryExponent), significand.trailingZeroBitCount >= -binaryExponent {
      digits = significand >> UInt64(-binaryExponent)
      exponent = 0
    } else {
      let isLowerNeighbourCloser = fraction == 0 && exponentField > 1
      (digits, exponent) = Self.search(significand, binaryExponent, isLowerNeighbourCloser)
    }
    // At most seventeen digits, so at most sixteen trailing zeros.
    stripZeros(100_000_000, 8)
    stripZeros(100_000_000, 8)
    stripZeros(10_000, 4)
    stripZeros(100, 2)
    stripZeros(10, 1)
  }

  @inline(__always)
  private mutating func stripZeros(_ power: UInt64, _ count: Int) {
    let (quotient, remainder) = digits.quotientAndRemainder(dividingBy: power)
    guard remainder == 0 else { return }
    digits = quotient
    exponent += count
  }

  private static func search(
    _ significand: UInt64, _ binaryExponent: Int, _ isLowerNeighbourCloser: Bool
  ) -> (digits: UInt64, exponent: Int) {
    // The interval of numbers that round to the value, in quarters of its last binary place, then in quarters of 10^k.
    // Its ends round to the value when the significand is even.
    let k = (binaryExponent * 1_262_611 - (isLowerNeighbourCloser ? 524_031 : 0)) >> 22
    let shift = UInt64(binaryExponent + (-k * 1_741_647) >> 19 + 1)
    let power = PowersOfTen.forWriting(-k)
    let excluded: UInt64 = significand & 1
    let quarters = significand << 2
    let lower = roundToOdd(power, (quarters - (isLowerNeighbourCloser ? 1 : 2)) << shift) + excluded
    let value = roundToOdd(power, quarters << shift)
    let upper = roundToOdd(power, (quarters + 2) << shift) - excluded

    let whole = value / 4
    if whole >= 10 {
      let tens = whole / 10
      let isBelowInside = lower <= tens * 40
      let isAboveInside = tens * 40 + 40 <= upper
      if isBelowInside != isAboveInside { return (tens + (isAboveInside ? 1 : 0), k + 1) }
    }
    let isBelowInside = lower <= whole * 4
    let isAboveInside = whole * 4 + 4 <= upper
    if isBelowInside != isAboveInside { return (whole + (isAboveInside ? 1 : 0), k) }
    let middle = whole * 4 + 2
    let roundsUp = value > middle || (value == middle && whole & 1 == 1)
    return (whole + (roundsUp ? 1 : 0), k)
  }

  /// Returns the upper 64 of the 192 bits of the product, with the last bit set if any bit below them is.
  private static func roundToOdd(_ power: UInt128, _ factor: UInt64) -> UInt64 {
    let carry = factor.multipliedFullWidth(by: UInt64(truncatingIfNeeded: power)).high
    let product = factor.multipliedFullWidth(by: UInt64(truncatingIfNeeded: power >> 64))
    let (low, overflow) = product.low.addingReportingOverflow(carry)
    return (product.high + (overflow ? 1 : 0)) | (low > 1 ? 1 : 0)
  }
}

/// The decimal digits of an unsigned integer in ASCII.
struct DecimalDigits {
  private let number: UInt64
  let count: Int

  init(_ number: UInt64) {
    self.number = number
    var count = 1
    var power: UInt64 = 10
    while count < 20, number >= power {
      count += 1
      power = power &* 10
    }
    self.count = count
  }

  /// Writes all digits, the first one to `start`.
  @unsafe func write(to start: UnsafeMutablePointer<UInt8>) {
    var rest = number
    var position = count
    // Two at a time, because each division depends on the previous one.
    while rest >= 10 {
      let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
      let tens = UInt8(truncatingIfNeeded: pair) / 10
      unsafe start[position - 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: pair) - tens * 10
      unsafe start[position - 2] = UInt8(ascii: "0") + tens
      position -= 2
      rest = quotient
    }
    if position > 0 { unsafe start[0] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest) }
  }
}
