extension Coordinate {
  /// The place reached after so many metres straight on, when the way begins in this direction (degrees clockwise from
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

  /// The angle on the auxiliary sphere; each round gains two to three digits, so the rounds are few.
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
      // The sines are those of the angle before, so only a change of some nanometres may be the last.
      if change.magnitude <= 1e-15 * max(1, next) { break }
    }
    return arc
  }
}
