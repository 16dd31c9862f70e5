extension Polygon {
  /// How far a place is from the nearest edge, inside or outside, in the plane around it.
  package func metresToBoundary(from place: Coordinate) -> Double {
    let scale = LocalScale(latitude: place.latitude)
    var nearest = Double.infinity
    var a = scale.offset(from: place, to: vertices[vertices.count - 1])
    for vertex in vertices {
      let b = scale.offset(from: place, to: vertex)
      let edge = Offset(east: b.east - a.east, north: b.north - a.north)
      let squared = edge.lengthSquared
      let share = squared > 0 ? min(max(-(a.east * edge.east + a.north * edge.north) / squared, 0), 1) : 0
      let point = Offset(east: a.east + share * edge.east, north: a.north + share * edge.north)
      nearest = min(nearest, point.lengthSquared)
      a = b
    }
    return nearest.squareRoot()
  }
}
