/// A decimal number as written: `± significand × 10^exponent`.
struct Decimal: Equatable, Sendable {
  var isNegative = false
  var significand: UInt64 = 0
  var exponent = 0
  /// Whether the number has digits, not all of them zero, behind those which `significand` has room for.
  var isTruncated = false

  /// The value when it is an integer below 2^64 in size. A truncated number never is one: were it an integer, its digits
  /// alone would be beyond 64 bits.
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

  /// The nearest double, ties to even, possibly infinite; nil when the digits that were left out might decide it.
  var double: Double? {
    let nearest = Self.nearestDouble(significand, exponent)
    if isTruncated {
      // The value lies between this significand and the next: when both give the same double, so does the value.
      guard significand < .max, Self.nearestDouble(significand + 1, exponent) == nearest else { return nil }
    }
    return isNegative ? -nearest : nearest
  }
}
