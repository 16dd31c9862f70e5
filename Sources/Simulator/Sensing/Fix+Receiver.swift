package import Base
import Contract
package import Vocabulary
package import World

extension Fix {
  /// Converts a position of the world's receiver to the platform's form.
  package init(_ position: GPSFix, at wall: WallInstant) {
    var coords = Coordinates(latitude: position.place.latitude, longitude: position.place.longitude)
    coords.accuracy = position.accuracyMetres
    coords.altitude = position.altitudeMetres
    coords.ellipsoidalAltitude = position.ellipsoidalAltitudeMetres
    coords.altitudeAccuracy = position.altitudeAccuracyMetres
    coords.speed = position.speed
    coords.speedAccuracy = position.speedAccuracy
    coords.heading = position.headingDegrees
    coords.headingAccuracy = position.headingDegrees.map { _ in position.headingAccuracyDegrees }
    self.init(coords: coords, timestamp: wall)
  }
}

/// Positions from cells and known wireless networks, which a platform has without its receiver.
package enum NetworkPosition {
  /// The radius that contains the true place in 68 % of cases.
  package static let accuracyMetres = 20.0
}

extension Fix {
  package init(network place: Coordinate, at wall: WallInstant) {
    var coords = Coordinates(latitude: place.latitude, longitude: place.longitude)
    coords.accuracy = NetworkPosition.accuracyMetres
    self.init(coords: coords, timestamp: wall)
  }
}
