/// All places within a distance of a center.
package struct Circle: Hashable, Sendable {
  package let center: Coordinate
  package let radiusMetres: Double

  package init(center: Coordinate, radiusMetres: Double) {
    precondition(radiusMetres >= 0, "a radius is not negative")
    self.center = center
    self.radiusMetres = radiusMetres
  }

  package func contains(_ place: Coordinate) -> Bool { center.distanceMetres(to: place) <= radiusMetres }
}

extension Circle {
  /// Creates the smallest circle around at least one place; all of them are inside, the outermost to the last bit of
  /// `distanceMetres`. For places within some hundred kilometres the radius is minimal to a millionth; for places all over the
  /// earth the circle merely contains them.
  ///
  /// Computed in the plane of distances and bearings from a point between the places, and once more from the center found: then
  /// only distances from the center matter, which the plane preserves.
  package init(enclosing places: [Coordinate]) {
    precondition(!places.isEmpty, "no places have no circle")
    var center = Circle.middle(of: places)
    for _ in 0..<2 {
      let points = places.map { place in
        let distance = center.distanceMetres(to: place)
        let angle = PortableMath.sineAndCosine(degrees: center.initialBearingDegrees(to: place))
        return SmallestCircle.Point(x: distance * angle.sine, y: distance * angle.cosine)
      }
      let found = SmallestCircle(around: points).center
      let bearing = PortableMath.arcTangent(y: found.x, x: found.y) * PortableMath.degreesPerRadian
      let distance = (found.x * found.x + found.y * found.y).squareRoot()
      center = center.destination(bearingDegrees: bearing, distanceMetres: distance)
    }
    let radius = places.reduce(0) { max($0, center.distanceMetres(to: $1)) }
    self.init(center: center, radiusMetres: radius)
  }

  /// Returns the direction of the sum of the vectors from the center of the earth: neither antimeridian nor pole is special.
  private static func middle(of places: [Coordinate]) -> Coordinate {
    var (x, y, z) = (0.0, 0.0, 0.0)
    for place in places {
      let latitude = PortableMath.sineAndCosine(degrees: place.latitude)
      let longitude = PortableMath.sineAndCosine(degrees: place.longitude)
      x += latitude.cosine * longitude.cosine
      y += latitude.cosine * longitude.sine
      z += latitude.sine
    }
    return Coordinate(
      calculatedLatitude: PortableMath.arcTangent(y: z, x: (x * x + y * y).squareRoot())
        * PortableMath.degreesPerRadian,
      longitude: PortableMath.arcTangent(y: y, x: x) * PortableMath.degreesPerRadian)
  }
}

extension Polygon {
  /// The circle registered with the operating system in place of a polygon (SDK §15.5).
  package var smallestEnclosingCircle: Circle { Circle(enclosing: vertices) }
}

/// The smallest circle around points of a plane: E. Welzl, "Smallest enclosing disks (balls and ellipsoids)", LNCS 555 (1991),
/// in the form with three loops. A random order of points makes it linear on average; the order is shuffled with a fixed
/// stream, so that equal points give equal circles.
struct SmallestCircle {
  struct Point {
    var x: Double
    var y: Double

    func distance(to other: Point) -> Double {
      ((x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)).squareRoot()
    }
  }

  private(set) var center: Point
  private(set) var radius: Double

  init(around points: [Point]) {
    precondition(!points.isEmpty, "no points have no circle")
    let points = SmallestCircle.shuffled(points)
    self.init(points[0])
    for i in points.indices where !holds(points[i]) {
      self = SmallestCircle(points[i])
      for j in 0..<i where !holds(points[j]) {
        self = SmallestCircle(points[i], points[j])
        for k in 0..<j where !holds(points[k]) {
          self = SmallestCircle(points[i], points[j], points[k])
        }
      }
    }
  }

  private init(_ point: Point) {
    center = point
    radius = 0
  }

  private init(_ a: Point, _ b: Point) {
    center = Point(x: 0.5 * (a.x + b.x), y: 0.5 * (a.y + b.y))
    radius = 0.5 * a.distance(to: b)
  }

  /// Creates the circle through three points, or through the two that are farthest apart when all are on a line.
  private init(_ a: Point, _ b: Point, _ c: Point) {
    let (bx, by, cx, cy) = (b.x - a.x, b.y - a.y, c.x - a.x, c.y - a.y)
    let (b2, c2) = (bx * bx + by * by, cx * cx + cy * cy)
    let area = 2 * (bx * cy - by * cx)
    guard area.magnitude > 1e-12 * max(b2, c2) else {
      let pairs = [SmallestCircle(a, b), SmallestCircle(a, c), SmallestCircle(b, c)]
      self = pairs.reduce(pairs[0]) { $1.radius > $0.radius ? $1 : $0 }
      return
    }
    center = Point(x: a.x + (cy * b2 - by * c2) / area, y: a.y + (bx * c2 - cx * b2) / area)
    radius = center.distance(to: a)
  }

  /// With a tolerance of a tenth of a micrometre, or a point on the circle could count as outside forever.
  private func holds(_ point: Point) -> Bool { center.distance(to: point) <= radius * (1 + 1e-12) + 1e-7 }

  private static func shuffled(_ points: [Point]) -> [Point] {
    var points = points
    var stream = RandomStream(seed: 0, device: 0, concern: 0)
    for last in stride(from: points.count - 1, to: 0, by: -1) {
      points.swapAt(last, stream.index(below: last + 1))
    }
    return points
  }
}
