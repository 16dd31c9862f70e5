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
    if number.magnitude < 0x1p53, number.magnitude.rounded(.towardZero) == number.magnitude {
      append(UInt64(number.magnitude), isNegative: number.sign == .minus)
    } else {
      append(ShortestDecimal(number.magnitude), isNegative: number.sign == .minus)
    }
  }

  private mutating func append(_ magnitude: UInt64, isNegative: Bool) {
    let digits = DigitBuffer(magnitude)
    bytes.append(addingCapacity: digits.count + 1) { output in
      if isNegative { output.append(UInt8(ascii: "-")) }
      digits.append(0..<digits.count, to: &output)
    }
  }

  /// At most a sign, 17 digits, a point and five characters of exponent, or 7 characters before the digits.
  private mutating func append(_ decimal: ShortestDecimal, isNegative: Bool) {
    let digits = DigitBuffer(decimal.digits)
    bytes.append(addingCapacity: 26) { output in
      if isNegative { output.append(UInt8(ascii: "-")) }
      let integerDigits = digits.count + decimal.exponent
      switch integerDigits {
      case 1...16: Self.appendPlain(digits, integerDigits, to: &output)
      case -5...0:
        output.append(UInt8(ascii: "0"))
        output.append(UInt8(ascii: "."))
        output.append(repeating: UInt8(ascii: "0"), count: -integerDigits)
        digits.append(0..<digits.count, to: &output)
      default: Self.appendScientific(digits, integerDigits - 1, to: &output)
      }
    }
  }

  private static func appendPlain(_ digits: DigitBuffer, _ integerDigits: Int, to output: inout OutputSpan<UInt8>) {
    digits.append(0..<min(integerDigits, digits.count), to: &output)
    if digits.count > integerDigits {
      output.append(UInt8(ascii: "."))
      digits.append(integerDigits..<digits.count, to: &output)
    } else {
      output.append(repeating: UInt8(ascii: "0"), count: integerDigits - digits.count)
    }
  }

  private static func appendScientific(_ digits: DigitBuffer, _ exponent: Int, to output: inout OutputSpan<UInt8>) {
    digits.append(0..<1, to: &output)
    if digits.count > 1 {
      output.append(UInt8(ascii: "."))
      digits.append(1..<digits.count, to: &output)
    }
    output.append(UInt8(ascii: "e"))
    if exponent < 0 { output.append(UInt8(ascii: "-")) }
    let exponentDigits = DigitBuffer(UInt64(exponent.magnitude))
    exponentDigits.append(0..<exponentDigits.count, to: &output)
  }
}
