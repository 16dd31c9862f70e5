import Base
import Support
import Testing

@Suite struct SmallestCircleTests {
  private static let origins: [Coordinate] = [
    Places.at(48.1, 11.6), Places.at(0, 0), Places.at(-17, 180), Places.at(65, -179.9999), Places.at(89.999, 30),
    Places.at(-90, 0),
  ]

  private func largest(_ center: Coordinate, _ places: [Coordinate]) -> Double {
    places.reduce(0) { max($0, center.distanceMetres(to: $1)) }
  }

  /// The smallest circle of a plane through two or three of the points that holds all: every pair and every triple.
  private func bruteForceRadius(_ points: [(x: Double, y: Double)]) -> Double {
    var best = Double.infinity
    func consider(_ x: Double, _ y: Double, _ radius: Double) {
      guard radius < best else { return }
      let isHolding = points.allSatisfy {
        (($0.x - x) * ($0.x - x) + ($0.y - y) * ($0.y - y)).squareRoot() <= radius * (1 + 1e-9) + 1e-9
      }
      if isHolding { best = radius }
    }
    for i in points.indices {
      for j in 0..<i {
        let (a, b) = (points[i], points[j])
        let half = (((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)).squareRoot()) / 2
        consider((a.x + b.x) / 2, (a.y + b.y) / 2, half)
        for k in 0..<j {
          let c = points[k]
          let d = 2 * (a.x * (b.y - c.y) + b.x * (c.y - a.y) + c.x * (a.y - b.y))
          guard d.magnitude > 1e-9 else { continue }
          let (a2, b2, c2) = (a.x * a.x + a.y * a.y, b.x * b.x + b.y * b.y, c.x * c.x + c.y * c.y)
          let x = (a2 * (b.y - c.y) + b2 * (c.y - a.y) + c2 * (a.y - b.y)) / d
          let y = (a2 * (c.x - b.x) + b2 * (a.x - c.x) + c2 * (b.x - a.x)) / d
          consider(x, y, ((a.x - x) * (a.x - x) + (a.y - y) * (a.y - y)).squareRoot())
        }
      }
    }
    return best
  }

  @Test(arguments: 1...120 as ClosedRange<UInt64>)
  func theCircleIsTheOneOfAllPairsAndTriples(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let origin = SmallestCircleTests.origins[Int(seed) % SmallestCircleTests.origins.count]
    let size = [30, 500, 5_000.0][Int(seed / 6) % 3]
    // The plane of distances and bearings from the origin: within 5 km true to 2 parts in 10 million.
    let points = (0..<(3 + generator.index(below: 9))).map { _ in
      (x: Double.random(in: -size...size, using: &generator), y: Double.random(in: -size...size, using: &generator))
    }
    let places = points.map { point in
      let bearing = PortableMath.arcTangent(y: point.x, x: point.y) * PortableMath.degreesPerRadian
      let distance = (point.x * point.x + point.y * point.y).squareRoot()
      return origin.destination(bearingDegrees: bearing, distanceMetres: distance)
    }
    let circle = Circle(enclosing: places)
    #expect(places.allSatisfy { circle.contains($0) }, "seed \(seed)")
    let expected = bruteForceRadius(points)
    #expect(abs(circle.radiusMetres / expected - 1) < 3e-6, "seed \(seed) \(circle.radiusMetres) \(expected)")
  }

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func noOtherCentreIsBetter(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let origin = SmallestCircleTests.origins[Int(seed) % SmallestCircleTests.origins.count]
    let size = [10, 1_000, 100_000, 500_000.0][Int(seed / 6) % 4]
    let places = (0..<(1 + generator.index(below: 60))).map { _ in Places.near(origin, metres: size, &generator) }
    let circle = Circle(enclosing: places)
    #expect(places.allSatisfy { circle.contains($0) }, "seed \(seed)")
    for direction in 0..<24 {
      for share in [0.5, 0.05, 0.005] {
        let moved = circle.center.destination(
          bearingDegrees: Double(direction) * 15, distanceMetres: circle.radiusMetres * share)
        let other = largest(moved, places)
        // To a millionth and a micrometre, as the circle promises; farther off the loss is certain.
        #expect(other >= circle.radiusMetres * (1 - 1e-6) - 1e-6, "seed \(seed) \(direction) \(share)")
      }
    }
  }

  @Test func aCrowdAtOneSideDoesNotPullTheCentre() {
    // The middle of these places is the crowd's, hundreds of kilometres from the centre of their circle.
    for origin in SmallestCircleTests.origins {
      let crowd = Array(repeating: origin, count: 50)
      let places = crowd + [20, 100, 75].map { origin.destination(bearingDegrees: $0, distanceMetres: 600_000) }
      let circle = Circle(enclosing: places)
      for direction in 0..<72 {
        for metres in [30, 300, 3_000, 30_000.0] {
          let moved = circle.center.destination(bearingDegrees: Double(direction) * 5, distanceMetres: metres)
          #expect(largest(moved, places) >= circle.radiusMetres * (1 - 1e-6), "\(origin) \(direction) \(metres)")
        }
      }
    }
  }

  @Test func placesOnALineAndEqualPlacesHaveACircle() {
    let single = Circle(enclosing: [Places.at(10, 20)])
    #expect(single.radiusMetres < 1e-6 && single.center.distanceMetres(to: Places.at(10, 20)) < 1e-6)
    let same = Circle(enclosing: Array(repeating: Places.at(10, 20), count: 7))
    #expect(same.radiusMetres < 1e-6)
    // A tenth of a degree of the equator across the antimeridian: 11,131.949 m, published as the whole degree.
    let line = (0...10).map { Places.at(0, $0 < 5 ? 179.95 + Double($0) * 0.01 : Double($0) * 0.01 - 180.05) }
    #expect(abs(Circle(enclosing: line).radiusMetres - 11_131.9490793 / 2) < 0.02)
  }

  @Test func thousandsOfPlacesOnOneCircleAreNoTrap() {
    let center = Places.at(52, 13)
    let places = (0..<4_000).map { center.destination(bearingDegrees: Double($0) * 0.09, distanceMetres: 700) }
    let circle = Circle(enclosing: places)
    #expect(abs(circle.radiusMetres - 700) < 0.003)
    #expect(circle.center.distanceMetres(to: center) < 0.003)
  }

  @Test func aPolygonsCircleHoldsItsVertices() {
    let vertices = [Places.at(-1, 179.99), Places.at(-1, -179.99), Places.at(-0.99, 180)]
    let circle = Polygon(vertices)?.smallestEnclosingCircle
    #expect(circle.map { circle in vertices.allSatisfy { circle.contains($0) } } == true)
    // The two outer vertices are a fiftieth of a degree of longitude apart, 2,226.0 m, and the third is nearer.
    #expect(abs((circle?.radiusMetres ?? 0) - 1_113.03) < 0.05)
  }
}
