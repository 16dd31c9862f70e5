extension Coordinate {
  /// The direction in which the shortest way to the other place begins: 0 ..< 360 degrees, clockwise from north. 0 for
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
