import Base
import Contract
import Vocabulary

/// Fixes of tests: so many metres east of a place, so many seconds after an instant.
enum TestFix {
  static let start = WallInstant(millisecondsSince1970: 1_785_000_000_000)

  static func place(metresEast: Double) -> Coordinate {
    let origin = Coordinate(latitude: 45.5, longitude: -116.3)
    precondition(origin != nil, "the origin is a coordinate")
    let bearing = metresEast < 0 ? 270.0 : 90
    return origin?.destination(bearingDegrees: bearing, distanceMetres: metresEast.magnitude) ?? place(metresEast: 0)
  }

  static func at(
    _ metresEast: Double, seconds: Double, accuracy: Double? = 5, speed: Double? = nil
  ) -> Fix {
    let place = place(metresEast: metresEast)
    var coords = Coordinates(latitude: place.latitude, longitude: place.longitude)
    coords.accuracy = accuracy
    coords.speed = speed
    return Fix(coords: coords, timestamp: start.advanced(byMilliseconds: Int64(seconds * 1_000)))
  }
}
