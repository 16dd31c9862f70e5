/// An area bounded by three or more vertices, each joined to the next by the shorter way round and the last to the first. Edges
/// are straight on a map with square degrees, as in GeoJSON (RFC 7946 §3.1.1), and span less than 180 degrees of longitude.
///
/// The area may cross the antimeridian. When the edges go once round the earth, the area is the side with the pole that
/// is nearer to the mean latitude of the vertices. Edges that cross one another leave the doubly covered part outside.
package struct Polygon: Hashable, Sendable {
  package let vertices: [Coordinate]
  private let south: Double
  private let north: Double
  private let holdsNorthPole: Bool
  private let holdsSouthPole: Bool

  /// Returns nil with fewer than three vertices; the last vertex may repeat the first.
  package init?(_ vertices: [Coordinate]) {
    guard vertices.count >= 3 else { return nil }
    self.vertices = vertices
    let latitudes = vertices.map(\.latitude)
    let sum = latitudes.reduce(0, +)
    let goesRound = Polygon.goesRoundTheEarth(vertices)
    holdsNorthPole = goesRound && sum >= 0
    holdsSouthPole = goesRound && sum < 0
    south = holdsSouthPole ? -90 : latitudes.reduce(90, min)
    north = holdsNorthPole ? 90 : latitudes.reduce(-90, max)
  }

  /// Counts the edges between the place and the north pole along its meridian. A place on an edge is inside if the area is to
  /// its north, or to its west if the edge is part of a meridian: of two areas with a common edge, exactly one contains it.
  package func contains(_ place: Coordinate) -> Bool {
    guard place.latitude >= south, place.latitude <= north else { return false }
    var isInside = holdsNorthPole
    guard var previous = vertices.last else { return false }
    var previousX = Longitude.difference(previous.longitude, place.longitude)
    for vertex in vertices {
      let x = Longitude.difference(vertex.longitude, place.longitude)
      // The shorter way from one side to the other passes the place, or goes round the back of the earth.
      if (x < 0) != (previousX < 0) && (x - previousX).magnitude < 180 {
        // Always computed from the west, so that a neighbour with the same edge gets the same result.
        let isNorth =
          x < 0
          ? Polygon.isNorth(of: place.latitude, from: vertex.latitude, x, to: previous.latitude, previousX)
          : Polygon.isNorth(of: place.latitude, from: previous.latitude, previousX, to: vertex.latitude, x)
        if isNorth { isInside.toggle() }
      }
      previous = vertex
      previousX = x
    }
    return isInside
  }

  /// Returns whether an edge passes north of a latitude at x = 0; `west` is negative and `east` is not.
  private static func isNorth(
    of latitude: Double, from left: Double, _ west: Double, to right: Double, _ east: Double
  ) -> Bool {
    (left - latitude) * east - (right - latitude) * west > 0
  }

  private static func goesRoundTheEarth(_ vertices: [Coordinate]) -> Bool {
    guard var previous = vertices.last else { return false }
    var turned = 0.0
    for vertex in vertices {
      turned += Longitude.difference(vertex.longitude, previous.longitude)
      previous = vertex
    }
    return turned.magnitude > 180
  }
}

extension Polygon {
  /// Returns the distance of a place to the nearest edge, inside or outside, in the plane around it.
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
