import Base

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
