package import Base

/// A path of straight edges, measured in metres from its beginning.
package struct Path: Sendable {
  /// At least one; adjacent ones differ.
  package let vertices: [Coordinate]
  /// The distance of each vertex from the beginning.
  package let metres: [Double]

  package var lengthMetres: Double { metres[metres.count - 1] }

  /// Requires at least one vertex; vertices that repeat the last one are left out.
  package init(_ vertices: [Coordinate]) {
    precondition(!vertices.isEmpty, "a path has at least one vertex")
    var kept = [vertices[0]]
    var metres = [0.0]
    kept.reserveCapacity(vertices.count)
    metres.reserveCapacity(vertices.count)
    for vertex in vertices.dropFirst() {
      let length = kept[kept.count - 1].distanceMetres(to: vertex)
      guard length > 0 else { continue }
      metres.append(metres[metres.count - 1] + length)
      kept.append(vertex)
    }
    self.vertices = kept
    self.metres = metres
  }

  /// Returns the edge of a point, as the index of its first vertex; the last edge for the end of the path.
  func edge(atMetres distance: Double) -> Int {
    var (low, high) = (0, max(metres.count - 2, 0))
    while low < high {
      let middle = (low + high + 1) / 2
      if metres[middle] <= distance { low = middle } else { high = middle - 1 }
    }
    return low
  }

  package func place(atMetres distance: Double) -> Coordinate {
    guard vertices.count > 1 else { return vertices[0] }
    let edge = edge(atMetres: distance)
    let length = metres[edge + 1] - metres[edge]
    let fraction = min(max((distance - metres[edge]) / length, 0), 1)
    return vertices[edge].between(vertices[edge + 1], fraction: fraction)
  }

  /// Returns the direction of the edge, 0 ..< 360 degrees; nil for a path without length.
  package func headingDegrees(atMetres distance: Double) -> Double? {
    guard vertices.count > 1 else { return nil }
    let edge = edge(atMetres: distance)
    let scale = LocalScale(latitude: vertices[edge].latitude)
    let offset = scale.offset(from: vertices[edge], to: vertices[edge + 1])
    return Path.headingDegrees(of: offset)
  }

  static func headingDegrees(of offset: Offset) -> Double {
    let degrees = PortableMath.arcTangent(y: offset.east, x: offset.north) * PortableMath.degreesPerRadian
    return degrees < 0 ? (degrees + 360 < 360 ? degrees + 360 : 0) : degrees
  }
}

extension Path {
  /// Returns the first point from `start` on at which the path crosses a circle; nil without one. `isInside` is
  /// the side at `start`.
  ///
  /// On a straight edge the squared distance is quadratic, so each edge costs at most one square root.
  func crossing(of circle: Circle, isInside: Bool, fromMetres start: Double) -> Double? {
    guard vertices.count > 1, start < lengthMetres else { return nil }
    let scale = LocalScale(latitude: circle.center.latitude)
    var edge = edge(atMetres: start)
    var here = scale.offset(from: circle.center, to: vertices[edge])
    while edge + 1 < vertices.count {
      let there = scale.offset(from: circle.center, to: vertices[edge + 1])
      let fraction = Path.crossing(from: here, to: there, radius: circle.radiusMetres, isInside: isInside)
      if let fraction {
        let metre = metres[edge] + fraction * (metres[edge + 1] - metres[edge])
        if metre >= start { return metre }
        // Rounding may place the exit slightly before a start that counts as inside.
        if isInside { return start }
      }
      here = there
      edge += 1
    }
    return nil
  }

  /// Returns the fraction of an edge at which it enters or leaves the circle around the origin.
  private static func crossing(from here: Offset, to there: Offset, radius: Double, isInside: Bool) -> Double? {
    let (dx, dy) = (there.east - here.east, there.north - here.north)
    // |here + u d|² = r²: a u² + 2 b u + c = 0.
    let a = dx * dx + dy * dy
    let b = here.east * dx + here.north * dy
    let c = here.lengthSquared - radius * radius
    if isInside {
      guard there.lengthSquared >= radius * radius else { return nil }
      let root = max(b * b - a * c, 0).squareRoot()
      return min(max((root - b) / a, 0), 1)
    }
    let discriminant = b * b - a * c
    guard b < 0, discriminant > 0 else { return nil }
    let fraction = (-b - discriminant.squareRoot()) / a
    return fraction >= 0 && fraction <= 1 ? fraction : nil
  }
}

extension Polygon {
  /// Returns the parts of a straight edge inside the polygon, as fractions in ascending order: the edge is cut at the
  /// boundary, and the middle of each piece decides.
  func parts(ofEdgeFrom start: Coordinate, to end: Coordinate) -> [ClosedRange<Double>] {
    let (dx, dy) = (Longitude.difference(end.longitude, start.longitude), end.latitude - start.latitude)
    var cuts = [0.0, 1.0]
    var previous = vertices[vertices.count - 1]
    for vertex in vertices {
      let (px, py) = (
        Longitude.difference(previous.longitude, start.longitude), previous.latitude - start.latitude
      )
      let (ex, ey) = (Longitude.difference(vertex.longitude, previous.longitude), vertex.latitude - previous.latitude)
      let cross = dx * ey - dy * ex
      if cross != 0 {
        let (along, across) = ((px * ey - py * ex) / cross, (px * dy - py * dx) / cross)
        if along > 0 && along < 1 && across >= 0 && across <= 1 { cuts.append(along) }
      }
      previous = vertex
    }
    cuts.sort()
    return zip(cuts, cuts.dropFirst()).compactMap { low, high in
      contains(start.between(end, fraction: 0.5 * (low + high))) && low < high ? low...high : nil
    }
  }
}

extension Coordinate {
  /// Returns the place at a fraction (0 to 1) of the straight line to another, in a plate carrée projection.
  func between(_ other: Coordinate, fraction: Double) -> Coordinate {
    Coordinate(
      calculatedLatitude: latitude + (other.latitude - latitude) * fraction,
      longitude: longitude + Longitude.difference(other.longitude, longitude) * fraction)
  }
}
