/// The metres per degree around one latitude of the ellipsoid. Within a kilometre of it distances in this plane are accurate to
/// a ten-thousandth, so that circles and straight paths can be intersected in closed form.
package struct LocalScale: Equatable, Sendable {
  package let metresPerDegreeOfLatitude: Double
  /// Never 0: at the poles a micrometre.
  package let metresPerDegreeOfLongitude: Double

  package init(latitude: Double) {
    let angle = PortableMath.sineAndCosine(degrees: latitude)
    let eccentricitySquared = Ellipsoid.flattening * (2 - Ellipsoid.flattening)
    let inverse = 1 / (1 - eccentricitySquared * angle.sine * angle.sine)
    let normal = Ellipsoid.equatorialRadius * inverse.squareRoot()
    metresPerDegreeOfLatitude = normal * (1 - eccentricitySquared) * inverse * PortableMath.radiansPerDegree
    metresPerDegreeOfLongitude = max(normal * angle.cosine * PortableMath.radiansPerDegree, 1e-6)
  }

  /// Returns the metres east and north of `origin`.
  package func offset(from origin: Coordinate, to place: Coordinate) -> Offset {
    Offset(
      east: Longitude.difference(place.longitude, origin.longitude) * metresPerDegreeOfLongitude,
      north: (place.latitude - origin.latitude) * metresPerDegreeOfLatitude)
  }

  package func place(at offset: Offset, from origin: Coordinate) -> Coordinate {
    Coordinate(
      calculatedLatitude: origin.latitude + offset.north / metresPerDegreeOfLatitude,
      longitude: origin.longitude + offset.east / metresPerDegreeOfLongitude)
  }
}

/// Metres in a local plane.
package struct Offset: Hashable, Sendable {
  package var east: Double
  package var north: Double

  package init(east: Double, north: Double) {
    self.east = east
    self.north = north
  }

  package var lengthSquared: Double { east * east + north * north }
  package var length: Double { lengthSquared.squareRoot() }
}
