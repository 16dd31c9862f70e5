/// A place on the WGS 84 ellipsoid in degrees; always finite and in range.
@frozen @usableFromInline
package struct Coordinate: Hashable, Sendable {
  /// −90 to 90.
  @usableFromInline package let latitude: Double
  /// −180 to 180; both ends are the same meridian.
  @usableFromInline package let longitude: Double

  /// Returns nil when a number is not finite or not in range.
  @inlinable package init?(latitude: Double, longitude: Double) {
    // A comparison with NaN is false.
    guard latitude.magnitude <= 90, longitude.magnitude <= 180 else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }

  /// For computed places: whole turns are removed from the longitude, rounding beyond a pole from the latitude.
  package init(calculatedLatitude latitude: Double, longitude: Double) {
    precondition(latitude.isFinite && longitude.isFinite, "a calculated place is finite")
    self.latitude = min(max(latitude, -90), 90)
    self.longitude = longitude.magnitude <= 180 ? longitude : longitude.remainder(dividingBy: 360)
  }
}

/// Arithmetic of longitudes, which wrap around.
package enum Longitude {
  /// Returns how far one longitude is east of another by the shorter way, −180 ..< 180.
  package static func difference(_ longitude: Double, _ reference: Double) -> Double {
    let difference = longitude - reference
    return difference >= 180 ? difference - 360 : difference < -180 ? difference + 360 : difference
  }
}

/// WGS 84, the earth model of GPS and of all distances and bearings here. A sphere would be wrong by up to 0.56 percent (north
/// and south on the equator), more than the permitted half percent.
package enum Ellipsoid {
  /// Metres.
  package static let equatorialRadius = 6_378_137.0
  package static let flattening = 1 / 298.257223563
  /// Metres.
  package static let polarRadius = equatorialRadius * (1 - flattening)
}

/// The latitude β with tan β = (1 − f) tan φ, as sine and cosine: on the sphere of these latitudes geodesics of the
/// ellipsoid are nearly great circles.
struct ReducedLatitude {
  let sine: Double
  let cosine: Double

  init(degrees latitude: Double) {
    let angle = PortableMath.sineAndCosine(degrees: latitude)
    let sine = (1 - Ellipsoid.flattening) * angle.sine
    let scale = 1 / (sine * sine + angle.cosine * angle.cosine).squareRoot()
    self.sine = sine * scale
    cosine = angle.cosine * scale
  }

  /// Returns sin²(σ/2) for the angle σ between two places, 0 to 1. It is computed from the chord between them: differences of
  /// sines and cosines lose less than a nanometre where the cosine of the angle would lose everything.
  static func sineSquaredOfHalfAngle(
    _ here: ReducedLatitude, _ there: ReducedLatitude, sineOfHalfLongitude: Double
  ) -> Double {
    let (dSine, dCosine) = (here.sine - there.sine, here.cosine - there.cosine)
    let products = here.cosine * there.cosine * sineOfHalfLongitude * sineOfHalfLongitude
    return min(0.25 * (dSine * dSine + dCosine * dCosine) + products, 1)
  }
}

extension Coordinate {
  /// Returns the distance in metres along the ellipsoid, symmetrical, 0 for equal places.
  ///
  /// Andoyer and Lambert's formula: the great circle of the reduced latitudes with the first correction for the
  /// flattening. Without iteration; within 1.5 parts in a million up to 10,000 kilometres, a millimetre in 600 metres,
  /// and 3 in 100,000 up to 19,000. Only between nearly opposite places, where a sphere has no single shortest way, up
  /// to 0.2 percent too long.
  package func distanceMetres(to other: Coordinate) -> Double {
    let (here, there) = (ReducedLatitude(degrees: latitude), ReducedLatitude(degrees: other.latitude))
    let halfLongitude = PortableMath.sineAndCosine(degrees: 0.5 * (other.longitude - longitude)).sine
    let sineSquared = ReducedLatitude.sineSquaredOfHalfAngle(here, there, sineOfHalfLongitude: halfLongitude)
    guard sineSquared > 0 else { return 0 }
    let angle = 2 * Coordinate.arcSine(ofRootOf: sineSquared)
    let sineOfAngle = 2 * (sineSquared * (1 - sineSquared)).squareRoot()

    let (dSine, sum) = (here.sine - there.sine, here.sine + there.sine)
    let along = (angle + sineOfAngle) * dSine * dSine / sineSquared
    // Between opposite places the quotient has no limit; it is at most 4.
    let cosineSquared = 1 - sineSquared
    let across = cosineSquared > 1e-15 ? (angle - sineOfAngle) * sum * sum / cosineSquared : 0
    return Ellipsoid.equatorialRadius * (angle - 0.125 * Ellipsoid.flattening * (along + across))
  }

  /// Computes arcsin √x. The series is short because most distances are: the first omitted term is below 2^−53 up to 250 km.
  static func arcSine(ofRootOf x: Double) -> Double {
    let root = x.squareRoot()
    guard x > 4e-4 else {
      return root * (1 + x * (1.0 / 6 + x * (3.0 / 40 + x * (5.0 / 112 + x * (35.0 / 1_152)))))
    }
    return PortableMath.arcTangent(y: root, x: (1 - x).squareRoot())
  }
}

extension Coordinate {
  /// Returns the direction in which the shortest way to the other place begins: 0 ..< 360 degrees, clockwise from north. 0 for
  /// equal places. From a pole it is the angle to the meridian of this coordinate's longitude, as in the limit.
  ///
  /// The azimuth on the sphere of the reduced latitudes with the first step of Vincenty's iteration for its longitude
  /// (T. Vincenty, Survey Review 23, 1975): within 0.002 degrees up to 15,000 kilometres, rough beyond, and between
  /// opposite places any.
  package func initialBearingDegrees(to other: Coordinate) -> Double {
    let (here, there) = (ReducedLatitude(degrees: latitude), ReducedLatitude(degrees: other.latitude))
    let longitude = other.longitude - longitude
    let half = PortableMath.sineAndCosine(degrees: 0.5 * longitude)
    let sineSquared = ReducedLatitude.sineSquaredOfHalfAngle(here, there, sineOfHalfLongitude: half.sine)
    guard sineSquared > 0 else { return 0 }

    // λ − L = f σ sin α₀, with α₀ the azimuth at the equator: sin α₀ = cos β₁ cos β₂ sin L / sin σ.
    let sineOfAngle = 2 * (sineSquared * (1 - sineSquared)).squareRoot()
    let products = here.cosine * there.cosine * 2 * half.sine * half.cosine
    let correction =
      1 - sineSquared > 1e-14
      ? Ellipsoid.flattening * 2 * Coordinate.arcSine(ofRootOf: sineSquared) * products / sineOfAngle : 0
    let shifted = PortableMath.sineAndCosine(degrees: 0.5 * (longitude + correction * PortableMath.degreesPerRadian))

    let y = there.cosine * 2 * shifted.sine * shifted.cosine
    let sineOfDifference = there.sine * here.cosine - there.cosine * here.sine
    let x = sineOfDifference + 2 * here.sine * there.cosine * shifted.sine * shifted.sine
    let degrees = PortableMath.arcTangent(y: y, x: x) * PortableMath.degreesPerRadian
    // A tiny negative angle plus 360 rounds to 360.
    return degrees < 0 ? (degrees + 360 < 360 ? degrees + 360 : 0) : degrees
  }
}

extension Coordinate {
  /// Returns the place reached after this distance along a geodesic that begins in this direction (degrees clockwise from
  /// north, any number of turns).
  ///
  /// Vincenty's direct solution ("Direct and inverse solutions of geodesics on the ellipsoid with application of nested
  /// equations", Survey Review 23, 1975), to the millimetre over any distance. The names are the paper's.
  package func destination(bearingDegrees: Double, distanceMetres: Double) -> Coordinate {
    precondition(distanceMetres >= 0 && distanceMetres <= 1e9, "a distance is 0 to a million kilometres")
    let start = ReducedLatitude(degrees: latitude)
    let azimuth = PortableMath.sineAndCosine(degrees: bearingDegrees)
    let sineOfAlpha = start.cosine * azimuth.sine
    let cosineSquaredOfAlpha = 1 - sineOfAlpha * sineOfAlpha
    let sigma1 = PortableMath.arcTangent(y: start.sine, x: start.cosine * azimuth.cosine)
    let arc = Coordinate.arc(
      ofMetres: distanceMetres, sigma1: sigma1, cosineSquaredOfAlpha: cosineSquaredOfAlpha)
    let (sigma, sine, cosine) = (arc.sigma, arc.sine, arc.cosine)

    let toPole = start.sine * sine - start.cosine * cosine * azimuth.cosine
    let latitude = PortableMath.arcTangent(
      y: start.sine * cosine + start.cosine * sine * azimuth.cosine,
      x: (1 - Ellipsoid.flattening) * (sineOfAlpha * sineOfAlpha + toPole * toPole).squareRoot())
    let lambda = PortableMath.arcTangent(
      y: sine * azimuth.sine, x: start.cosine * cosine - start.sine * sine * azimuth.cosine)
    let f = Ellipsoid.flattening
    let c = f / 16 * cosineSquaredOfAlpha * (4 + f * (4 - 3 * cosineSquaredOfAlpha))
    let middle = arc.cosineOfTwiceMiddle
    let correction =
      (1 - c) * f * sineOfAlpha * (sigma + c * sine * (middle + c * cosine * (2 * middle * middle - 1)))
    return Coordinate(
      calculatedLatitude: latitude * PortableMath.degreesPerRadian,
      longitude: longitude + (lambda - correction) * PortableMath.degreesPerRadian)
  }

  private struct Arc {
    var sigma: Double
    var sine: Double
    var cosine: Double
    var cosineOfTwiceMiddle: Double
  }

  /// Computes the angle on the auxiliary sphere; each round gains two to three digits, so few rounds are needed.
  private static func arc(ofMetres metres: Double, sigma1: Double, cosineSquaredOfAlpha: Double) -> Arc {
    let (a, b) = (Ellipsoid.equatorialRadius, Ellipsoid.polarRadius)
    let uSquared = cosineSquaredOfAlpha * (a * a - b * b) / (b * b)
    let upperA = 1 + uSquared / 16_384 * (4_096 + uSquared * (-768 + uSquared * (320 - 175 * uSquared)))
    let upperB = uSquared / 1_024 * (256 + uSquared * (-128 + uSquared * (74 - 47 * uSquared)))
    let firstSigma = metres / (b * upperA)
    var arc = Arc(sigma: firstSigma, sine: 0, cosine: 0, cosineOfTwiceMiddle: 0)
    for _ in 0..<10 {
      let angle = PortableMath.sineAndCosine(degrees: arc.sigma * PortableMath.degreesPerRadian)
      let twiceMiddle = (2 * sigma1 + arc.sigma) * PortableMath.degreesPerRadian
      let m = PortableMath.sineAndCosine(degrees: twiceMiddle).cosine
      (arc.sine, arc.cosine, arc.cosineOfTwiceMiddle) = (angle.sine, angle.cosine, m)
      let inner =
        angle.cosine * (2 * m * m - 1)
        - upperB / 6 * m * (4 * angle.sine * angle.sine - 3) * (4 * m * m - 3)
      let next = firstSigma + upperB * angle.sine * (m + upperB / 4 * inner)
      let change = next - arc.sigma
      arc.sigma = next
      // The sines belong to the previous angle, so only a change of some nanometres may be the last.
      if change.magnitude <= 1e-15 * max(1, next) { break }
    }
    return arc
  }
}
