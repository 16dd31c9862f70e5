import Base
import Glibc

/// Vincenty's inverse solution on WGS 84 (Survey Review 23, 1975), to half a millimetre: written from the paper with
/// the C library's functions, to be independent of what it checks.
enum Vincenty {
  /// Nil when the iteration does not settle, between nearly opposite places.
  static func inverse(_ from: Coordinate, _ to: Coordinate) -> (metres: Double, bearing: Double)? {
    let (a, f) = (6_378_137.0, 1 / 298.257223563)
    let b = a * (1 - f)
    let u1 = atan((1 - f) * tan(radians(from.latitude)))
    let u2 = atan((1 - f) * tan(radians(to.latitude)))
    let l = radians(remainder(to.longitude - from.longitude, 360))
    var lambda = l
    for _ in 0..<200 {
      let x = cos(u1) * sin(u2) - sin(u1) * cos(u2) * cos(lambda)
      let sinSigma = hypot(cos(u2) * sin(lambda), x)
      if sinSigma == 0 { return (0, 0) }
      let cosSigma = sin(u1) * sin(u2) + cos(u1) * cos(u2) * cos(lambda)
      let sigma = atan2(sinSigma, cosSigma)
      let sinAlpha = cos(u1) * cos(u2) * sin(lambda) / sinSigma
      let cosSquaredAlpha = 1 - sinAlpha * sinAlpha
      let cos2m = cosSquaredAlpha == 0 ? 0 : cosSigma - 2 * sin(u1) * sin(u2) / cosSquaredAlpha
      let c = f / 16 * cosSquaredAlpha * (4 + f * (4 - 3 * cosSquaredAlpha))
      let next = l + (1 - c) * f * sinAlpha * (sigma + c * sinSigma * (cos2m + c * cosSigma * (2 * cos2m * cos2m - 1)))
      let change = abs(next - lambda)
      lambda = next
      if abs(lambda) > .pi { return nil }
      guard change < 1e-15 else { continue }
      let u = cosSquaredAlpha * (a * a - b * b) / (b * b)
      let bigA = 1 + u / 16_384 * (4_096 + u * (-768 + u * (320 - 175 * u)))
      let bigB = u / 1_024 * (256 + u * (-128 + u * (74 - 47 * u)))
      let tail = bigB / 6 * cos2m * (4 * sinSigma * sinSigma - 3) * (4 * cos2m * cos2m - 3)
      let dSigma = bigB * sinSigma * (cos2m + bigB / 4 * (cosSigma * (2 * cos2m * cos2m - 1) - tail))
      let bearing = atan2(cos(u2) * sin(lambda), x) * 180 / .pi
      return (b * bigA * (sigma - dSigma), bearing < 0 ? bearing + 360 : bearing)
    }
    return nil
  }

  private static func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
}
