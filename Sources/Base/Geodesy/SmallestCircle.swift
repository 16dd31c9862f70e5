/// The smallest circle around points of a plane: E. Welzl, "Smallest enclosing disks (balls and ellipsoids)", LNCS 555
/// (1991), in the form with three loops. Points in a random order make it linear on average; the order is shuffled with
/// a fixed stream, so that equal points give equal circles.
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

  /// The circle through three points, or through the two that are farthest apart when they lie on a line.
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

  /// With a tenth of a micrometre to spare, or a point on the circle could count as outside for ever.
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
