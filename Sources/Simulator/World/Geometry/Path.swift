package import Base

/// A way along straight edges, measured in metres from its beginning.
package struct Path: Sendable {
  /// At least one; none equals its neighbour.
  package let vertices: [Coordinate]
  /// The metres from the beginning to each vertex.
  package let metres: [Double]

  package var lengthMetres: Double { metres[metres.count - 1] }

  /// At least one vertex; those that repeat the one before are left out.
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

  /// The edge on which a point lies, by the index of its first vertex; for the end of the path the last edge.
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

  /// The direction of the edge, 0 ..< 360 degrees; nil for a path without length.
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
