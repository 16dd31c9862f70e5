extension Polygon {
  /// How far a place is from the nearest edge, inside or outside; on the plane that touches the earth at the place, so
  /// good for kilometres and not for continents.
  package func metresToBoundary(from place: Coordinate) -> Double {
    let metresPerDegree = Ellipsoid.equatorialRadius * PortableMath.radiansPerDegree
    let east = metresPerDegree * PortableMath.sineAndCosine(degrees: place.latitude).cosine
    func point(_ vertex: Coordinate) -> (x: Double, y: Double) {
      (
        Polygon.difference(vertex.longitude, place.longitude) * east,
        (vertex.latitude - place.latitude) * metresPerDegree
      )
    }
    var nearest = Double.infinity
    var a = point(vertices[vertices.count - 1])
    for vertex in vertices {
      let b = point(vertex)
      let (dx, dy) = (b.x - a.x, b.y - a.y)
      let squared = dx * dx + dy * dy
      let share = squared > 0 ? min(max(-(a.x * dx + a.y * dy) / squared, 0), 1) : 0
      let (x, y) = (a.x + share * dx, a.y + share * dy)
      nearest = min(nearest, x * x + y * y)
      a = b
    }
    return nearest.squareRoot()
  }
}
