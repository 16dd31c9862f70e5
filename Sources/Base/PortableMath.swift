/// Elementary functions whose results are identical on every machine.
///
/// The functions of a C library may differ in the last bit between versions and even between processors (glibc selects variants
/// with and without fused multiply-add at run time), and one bit is enough to make a geofence fire in another step and a trace
/// hash differ. These use only addition, subtraction, multiplication, division and square root, which IEEE 754 defines to the
/// bit, and Swift neither fuses nor reorders them.
///
/// All are Taylor series on an argument reduced far enough that the first omitted term is below half a unit in the last place.
/// Tests compare them with the C library: within one unit in the last place.
package enum PortableMath {}

extension PortableMath {
  /// ln 2 in two parts; the first has so few digits that its product with an exponent is exact.
  private static let naturalLogarithmOf2 = (high: 0x1.62e42feep-1, low: 0x1.a39ef35793c76p-33)

  /// Returns the natural logarithm of a positive finite number.
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

  /// Returns e to the power of a number; infinity above about 709.78, 0 below about −745.
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

extension PortableMath {
  package static let degreesPerRadian = 57.29577951308232
  package static let radiansPerDegree = 0.017453292519943295

  /// Returns sine and cosine of an angle in degrees, at most a million turns. In degrees the reduction to the first eighth of
  /// the circle is exact, and so are the results at the poles and on the axes.
  package static func sineAndCosine(degrees: Double) -> (sine: Double, cosine: Double) {
    precondition(degrees.magnitude <= 360e6, "an angle is at most a million turns")
    // Adding and subtracting 1.5 · 2^52 rounds to the nearest integer.
    let quarters = (degrees * (1.0 / 90) + 0x1.8p52) - 0x1.8p52
    let x = (degrees - quarters * 90) * radiansPerDegree
    let z = x * x
    let (sine, cosine) = (x + x * z * sineSeries(z), 1 - (0.5 * z - z * z * cosineSeries(z)))
    switch Int(quarters) & 3 {
    case 0: return (sine, cosine)
    case 1: return (cosine, -sine)
    case 2: return (-sine, -cosine)
    default: return (-cosine, sine)
    }
  }

  /// (sin x − x) / x³ for x² = z.
  private static func sineSeries(_ z: Double) -> Double {
    let w = z * z
    let even = -1.0 / 6 + w * (-1.0 / 5_040 + w * (-1.0 / 39_916_800 + w * (-1.0 / 1_307_674_368_000)))
    let odd = 1.0 / 120 + w * (1.0 / 362_880 + w * (1.0 / 6_227_020_800 + w * (1.0 / 355_687_428_096_000)))
    return even + z * odd
  }

  /// (cos x − 1 + x²/2) / x⁴ for x² = z.
  private static func cosineSeries(_ z: Double) -> Double {
    let w = z * z
    let even = 1.0 / 24 + w * (1.0 / 40_320 + w * (1.0 / 479_001_600 + w * (1.0 / 20_922_789_888_000)))
    let odd = -1.0 / 720 + w * (-1.0 / 3_628_800 + w * (-1.0 / 87_178_291_200))
    return even + z * odd
  }

  /// Returns the angle of the vector (x, y) in radians, −π to π; 0 for the vector of length 0.
  package static func arcTangent(y: Double, x: Double) -> Double {
    let (large, small) = (max(x.magnitude, y.magnitude), min(x.magnitude, y.magnitude))
    guard large > 0 else { return 0 }
    var angle = arcTangent(ofFraction: small, large)
    if y.magnitude > x.magnitude { angle = 0.5 * Double.pi - angle }
    if x < 0 { angle = Double.pi - angle }
    return y < 0 ? -angle : angle
  }

  /// arctan(k/8), for the nearest k.
  private static let arcTangentsOfEighths: InlineArray<9, Double> = [
    0, 0.12435499454676144, 0.24497866312686414, 0.35877067027057225, 0.4636476090008061,
    0.5585993153435624, 0.6435011087932844, 0.7188299996216245, 0.7853981633974483,
  ]

  private static func arcTangent(ofFraction small: Double, _ large: Double) -> Double {
    let index = Int(small / large * 8 + 0.5)
    let eighths = Double(index) * 0.125
    // arctan a − arctan c = arctan((a − c) / (1 + a c)); the difference is at most 1/16.
    let x = (small - eighths * large) / (large + eighths * small)
    let z = x * x
    let series = -1.0 / 3 + z * (1.0 / 5 + z * (-1.0 / 7 + z * (1.0 / 9 + z * (-1.0 / 11 + z / 13))))
    return arcTangentsOfEighths[index] + (x + x * z * series)
  }
}
