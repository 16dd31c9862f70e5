import Base
import Support

/// Coordinates of tests, where a wrong one is a mistake in the test.
enum Places {
  static func at(_ latitude: Double, _ longitude: Double) -> Coordinate {
    guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
      preconditionFailure("\(latitude) \(longitude) is no coordinate")
    }
    return place
  }

  /// Evenly on the earth, with the poles, the equator and the antimeridian more often than chance would.
  static func anywhere(_ generator: inout SeededGenerator) -> Coordinate {
    let latitudes = [-90, -89.9999, 0, 89.9999, 90]
    let longitudes = [-180, -179.9999, 0, 179.9999, 180]
    let latitude =
      generator.chance(0.1) ? latitudes[generator.index(below: 5)] : Double.random(in: -90...90, using: &generator)
    let longitude =
      generator.chance(0.1) ? longitudes[generator.index(below: 5)] : Double.random(in: -180...180, using: &generator)
    return at(latitude, longitude)
  }

  /// Within a distance of another place, but for the distortion of a test's plane: degrees are laid out flat.
  static func near(_ place: Coordinate, metres: Double, _ generator: inout SeededGenerator) -> Coordinate {
    let bearing = Double.random(in: 0..<360, using: &generator)
    return place.destination(
      bearingDegrees: bearing, distanceMetres: Double.random(in: 0...metres, using: &generator))
  }
}
