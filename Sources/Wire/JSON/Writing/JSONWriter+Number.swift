extension JSONWriter {
  package mutating func value(_ number: Int) { value(Int64(number)) }

  package mutating func value(_ number: Int64) {
    beginValue()
    append(number.magnitude, isNegative: number < 0)
  }

  package mutating func value(_ number: UInt64) {
    beginValue()
    append(number, isNegative: false)
  }

  /// The fewest digits that read back as the same bits, so -0.0 keeps its sign: "-0". Integral values have no ".0".
  /// From 1e16 upwards, where the digits would no longer be those of the exact integer, and below 1e-6 there is an
  /// exponent. NaN and the infinities, which JSON lacks, become null as in ECMAScript's JSON.stringify.
  package mutating func value(_ number: Double) {
    beginValue()
    guard number.isFinite else { return append("null") }
    let isNegative = number.sign == .minus
    // A whole number below 2^53 has no shorter form than its digits.
    if number.magnitude < 0x1p53, Double(UInt64(number.magnitude)) == number.magnitude {
      append(UInt64(number.magnitude), isNegative: isNegative)
    } else {
      append(ShortestDecimal(number.magnitude), isNegative: isNegative)
    }
  }

  private mutating func append(_ magnitude: UInt64, isNegative: Bool) {
    let digits = DecimalDigits(magnitude)
    unsafe append(atMost: digits.count + 1) { start in
      unsafe start[0] = UInt8(ascii: "-")
      unsafe digits.write(to: start + (isNegative ? 1 : 0))
      return digits.count + (isNegative ? 1 : 0)
    }
  }

  /// At most a sign, 17 digits, a point and five characters of exponent, or seven characters before the digits.
  private mutating func append(_ decimal: ShortestDecimal, isNegative: Bool) {
    unsafe append(atMost: 32) { start in
      unsafe start[0] = UInt8(ascii: "-")
      let sign = isNegative ? 1 : 0
      return unsafe sign + Self.write(decimal, to: start + sign)
    }
  }

  /// Gives the number of bytes written.
  private static func write(_ decimal: ShortestDecimal, to start: UnsafeMutablePointer<UInt8>) -> Int {
    let digits = DecimalDigits(decimal.digits)
    let integerDigits = digits.count + decimal.exponent
    switch integerDigits {
    case 1...16 where decimal.exponent >= 0:
      unsafe digits.write(to: start)
      for index in digits.count..<integerDigits { unsafe start[index] = UInt8(ascii: "0") }
      return integerDigits
    case 1...16:
      unsafe writeWithPoint(digits, integerDigits, to: start)
      return digits.count + 1
    case -5...0:
      unsafe start[0] = UInt8(ascii: "0")
      unsafe start[1] = UInt8(ascii: ".")
      for index in 0..<(-integerDigits) { unsafe start[2 + index] = UInt8(ascii: "0") }
      unsafe digits.write(to: start + 2 - integerDigits)
      return 2 - integerDigits + digits.count
    default: return unsafe writeScientific(digits, integerDigits - 1, to: start)
    }
  }

  /// The digits are written one place too far, then those before the point move forward.
  private static func writeWithPoint(
    _ digits: DecimalDigits, _ integerDigits: Int, to start: UnsafeMutablePointer<UInt8>
  ) {
    unsafe digits.write(to: start + 1)
    for index in 0..<integerDigits { unsafe start[index] = start[index + 1] }
    unsafe start[integerDigits] = UInt8(ascii: ".")
  }

  private static func writeScientific(
    _ digits: DecimalDigits, _ exponent: Int, to start: UnsafeMutablePointer<UInt8>
  ) -> Int {
    var end = digits.count
    if end > 1 {
      unsafe writeWithPoint(digits, 1, to: start)
      end += 1
    } else {
      unsafe digits.write(to: start)
    }
    unsafe start[end] = UInt8(ascii: "e")
    unsafe start[end + 1] = UInt8(ascii: "-")
    end += exponent < 0 ? 2 : 1
    let exponentDigits = DecimalDigits(UInt64(exponent.magnitude))
    unsafe exponentDigits.write(to: start + end)
    return end + exponentDigits.count
  }
}
