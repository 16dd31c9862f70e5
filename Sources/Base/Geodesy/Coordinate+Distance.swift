extension Coordinate {
  /// Metres along the ellipsoid, symmetrical, 0 for equal places.
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
    // Between opposite places the quotient has no limit of its own; it is at most 4.
    let cosineSquared = 1 - sineSquared
    let across = cosineSquared > 1e-15 ? (angle - sineOfAngle) * sum * sum / cosineSquared : 0
    return Ellipsoid.equatorialRadius * (angle - 0.125 * Ellipsoid.flattening * (along + across))
  }

  /// arcsin √x. The series is short because most distances are: the first term left out is below 2^−53 up to 250 km.
  static func arcSine(ofRootOf x: Double) -> Double {
    let root = x.squareRoot()
    guard x > 4e-4 else {
      return root * (1 + x * (1.0 / 6 + x * (3.0 / 40 + x * (5.0 / 112 + x * (35.0 / 1_152)))))
    }
    return PortableMath.arcTangent(y: root, x: (1 - x).squareRoot())
  }
}
