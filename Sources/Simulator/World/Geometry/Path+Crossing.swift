import Base

extension Path {
  /// The first point from `start` on at which the way passes from one side of a circle to the other; nil when it stays
  /// where it is. `isInside` says on which side it is at `start`.
  ///
  /// On a straight edge the square of the distance is quadratic, so each edge costs one square root at most.
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
        // Rounding may put the exit a hair before a start that counts as inside.
        if isInside { return start }
      }
      here = there
      edge += 1
    }
    return nil
  }

  /// The fraction of an edge at which it enters the circle around the origin, or leaves it.
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
