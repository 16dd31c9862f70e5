import Base
import Contract

extension Geofence {
  /// The circle that a platform watches; nil when the fence is nowhere on the earth.
  var circle: Circle? {
    switch shape {
    case .circle(let center, let radius):
      Coordinate(latitude: center.latitude, longitude: center.longitude).map {
        Circle(center: $0, radiusMetres: radius)
      }
    case .polygon(let corners):
      Circle(
        enclosing: corners.compactMap { Coordinate(latitude: $0.latitude, longitude: $0.longitude) })
    }
  }
}
