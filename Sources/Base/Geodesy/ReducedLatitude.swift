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

  /// sin²(σ/2) for the angle σ between two places, 0 to 1. It comes from the chord between them: differences of sines
  /// and cosines lose less than a nanometre where the cosine of the angle would lose everything.
  static func sineSquaredOfHalfAngle(
    _ here: ReducedLatitude, _ there: ReducedLatitude, sineOfHalfLongitude: Double
  ) -> Double {
    let (dSine, dCosine) = (here.sine - there.sine, here.cosine - there.cosine)
    let products = here.cosine * there.cosine * sineOfHalfLongitude * sineOfHalfLongitude
    return min(0.25 * (dSine * dSine + dCosine * dCosine) + products, 1)
  }
}
