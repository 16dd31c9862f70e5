extension PortableMath {
  /// ln 2 in two parts; the first has so few digits that its product with an exponent is exact.
  private static let naturalLogarithmOf2 = (high: 0x1.62e42feep-1, low: 0x1.a39ef35793c76p-33)

  /// The natural logarithm of a positive finite number.
  package static func log(_ number: Double) -> Double {
    precondition(number > 0 && number.isFinite, "the logarithm needs a positive finite number")
    var exponent = Double(number.exponent)
    var fraction = number.significand
    if fraction > 1.414213562373095 {
      fraction *= 0.5
      exponent += 1
    }
    // With s = f / (2 + f), ln(1 + f) = 2 artanh s = 2s + s · r, and 2s = f − s · f = f − f²/2 + s · f²/2; written this
    // way the large part, f, has no rounding error.
    let f = fraction - 1
    let s = f / (2 + f)
    let z = s * s
    let w = z * z
    let odd = z * (2.0 / 3 + w * (2.0 / 7 + w * (2.0 / 11 + w * (2.0 / 15 + w * (2.0 / 19)))))
    let even = w * (2.0 / 5 + w * (2.0 / 9 + w * (2.0 / 13 + w * (2.0 / 17 + w * (2.0 / 21)))))
    let half = 0.5 * f * f
    let (high, low) = naturalLogarithmOf2
    return exponent * high - ((half - (s * (half + odd + even) + exponent * low)) - f)
  }

  /// e to the power of a number; infinity above about 709.78, 0 below about −745.
  package static func exp(_ number: Double) -> Double {
    if number > 710 { return .infinity }
    if number < -746 { return 0 }
    let (high, low) = naturalLogarithmOf2
    let exponent = (number * 1.4426950408889634).rounded()
    let r = number - exponent * high - exponent * low
    let w = r * r
    let even =
      1.0 / 2 + w * (1.0 / 24 + w * (1.0 / 720 + w * (1.0 / 40_320 + w * (1.0 / 3_628_800 + w * (1.0 / 479_001_600)))))
    let odd =
      1.0 / 6 + w * (1.0 / 120 + w * (1.0 / 5_040 + w * (1.0 / 362_880 + w * (1.0 / 39_916_800 + w / 6_227_020_800))))
    let series = 1 + (r + w * (even + r * odd))
    // Two steps, because 2^1024 is not a number while a fraction of it is.
    let half = (exponent / 2).rounded(.down)
    return series * power(of2: half) * power(of2: exponent - half)
  }

  private static func power(of2 exponent: Double) -> Double {
    Double(sign: .plus, exponentBitPattern: UInt(exponent + 1_023), significandBitPattern: 0)
  }
}
