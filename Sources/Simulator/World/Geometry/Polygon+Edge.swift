import Base

extension Polygon {
  /// The parts of a straight edge inside the polygon, as fractions of the edge in ascending order: the edge is cut where
  /// it meets the boundary, and the middle of each piece decides.
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
