import Base
import Contract

extension Geofence {
  /// The smallest circle around the corners; nothing but zeroes when one of them is no place.
  static func circle(around vertices: [[Double]]) -> (latitude: Double, longitude: Double, radius: Double) {
    let corners = vertices.compactMap { pair in
      pair.count == 2 ? Coordinate(latitude: pair[0], longitude: pair[1]) : nil
    }
    guard !corners.isEmpty, corners.count == vertices.count else { return (0, 0, 0) }
    let circle = Circle(enclosing: corners)
    return (circle.center.latitude, circle.center.longitude, circle.radiusMetres)
  }
}

extension Contract.Geofence {
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
