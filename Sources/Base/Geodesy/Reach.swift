/// The latitudes and longitudes that a circle touches, and a little more.
struct Reach {
  typealias Longitudes = (west: Double, east: Double)

  let south: Double
  let north: Double
  let longitudes: Longitudes
  /// What is left east of `longitudes` when the circle crosses the antimeridian.
  let furtherEast: Longitudes?

  /// Metres. The radius of curvature is nowhere smaller than that of the meridian at the equator, 6,335,439, and no
  /// angle is larger than with it; the rest is for the tolerance of distances.
  private static let smallestRadius = 6_334_800.0

  init(center: Coordinate, radiusMetres: Double) {
    // The millimetre is for the rounding of degrees, which matters when the radius is nothing.
    let degrees = (radiusMetres + 0.001) / Reach.smallestRadius * PortableMath.degreesPerRadian
    south = max(center.latitude - degrees, -90)
    north = min(center.latitude + degrees, 90)
    guard center.latitude.magnitude + degrees < 89.999 else {
      longitudes = (-180, 180)
      furtherEast = nil
      return
    }
    let half = Reach.halfLongitude(latitude: center.latitude, degrees: degrees)
    let (west, east) = (center.longitude - half, center.longitude + half)
    if west < -180 {
      longitudes = (-180, east)
      furtherEast = (west + 360, 180)
    } else if east >= 180 {
      longitudes = (-180, east - 360)
      furtherEast = (west, 180)
    } else {
      longitudes = (west, east)
      furtherEast = nil
    }
  }

  /// To the meridian that touches a circle on a sphere: sin Δλ = sin r / cos φ.
  private static func halfLongitude(latitude: Double, degrees: Double) -> Double {
    let sine = PortableMath.sineAndCosine(degrees: degrees).sine
    let cosine = PortableMath.sineAndCosine(degrees: latitude).cosine
    let root = max(cosine * cosine - sine * sine, 0).squareRoot()
    return PortableMath.arcTangent(y: sine, x: root) * PortableMath.degreesPerRadian
  }
}
