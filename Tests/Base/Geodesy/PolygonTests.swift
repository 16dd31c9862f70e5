import Base
import Support
import Testing

@Suite struct PolygonTests {
  private func polygon(_ vertices: [(Double, Double)]) -> Polygon {
    guard let polygon = Polygon(vertices.map { Places.at($0.0, $0.1) }) else { preconditionFailure("too few") }
    return polygon
  }

  private func shifted(_ vertices: [(Double, Double)], by degrees: Double) -> Polygon {
    polygon(vertices.map { ($0.0, PolygonTests.wrapped($0.1 + degrees)) })
  }

  private static func wrapped(_ longitude: Double) -> Double {
    longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude
  }

  /// The textbook: turns of the direction from the place to the outline, in whole turns. Flat degrees, no antimeridian.
  private func windingNumber(_ vertices: [(Double, Double)], _ latitude: Double, _ longitude: Double) -> Int {
    var turns = 0
    for (index, from) in vertices.enumerated() {
      let to = vertices[(index + 1) % vertices.count]
      let side = (to.1 - from.1) * (latitude - from.0) - (longitude - from.1) * (to.0 - from.0)
      if from.0 <= latitude && to.0 > latitude && side > 0 { turns += 1 }
      if from.0 > latitude && to.0 <= latitude && side < 0 { turns -= 1 }
    }
    return turns
  }

  @Test func fewerThanThreeVerticesAreNoPolygon() {
    #expect(Polygon([]) == nil)
    #expect(Polygon([Places.at(0, 0), Places.at(1, 1)]) == nil)
    #expect(Polygon([Places.at(0, 0), Places.at(1, 1), Places.at(0, 1)]) != nil)
  }

  @Test func aHollowIsOutsideAndARepeatedVertexChangesNothing() {
    let vertices = [(0.0, 0.0), (0, 4), (4, 4), (4, 3), (1, 3), (1, 1), (4, 1), (4, 0)]
    for outline in [polygon(vertices), polygon(vertices + [vertices[0]]), polygon(vertices.reversed())] {
      #expect(outline.contains(Places.at(0.5, 2)))
      #expect(outline.contains(Places.at(3, 0.5)))
      #expect(outline.contains(Places.at(3, 3.5)))
      #expect(!outline.contains(Places.at(3, 2)))
      #expect(!outline.contains(Places.at(-0.1, 2)))
      #expect(!outline.contains(Places.at(0.5, 2 - 180)))
      #expect(!outline.contains(Places.at(-0.5, 2)))
    }
  }

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func randomPolygonsAgreeWithTheWindingNumberWhereverTheyLie(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let count = 3 + generator.index(below: 12)
    // Round a point in growing direction, so that no edges cross: near and far, pointed and hollow.
    let size = [0.001, 0.1, 20][Int(seed % 3)]
    let vertices = (0..<count).map { index in
      let radius = Double.random(in: 0.2...1, using: &generator) * size
      let angle = (Double(index) + Double.random(in: 0..<0.9, using: &generator)) / Double(count) * 360
      let direction = PortableMath.sineAndCosine(degrees: angle)
      return (30 + radius * direction.sine, radius * direction.cosine)
    }
    // 180 puts the antimeridian through the middle; the places move along.
    for shift in [0, 100, 180, -180, 179.99, -170] {
      let outline = shifted(vertices, by: shift)
      for _ in 0..<200 {
        let latitude = 30 + Double.random(in: -1.2 * size...1.2 * size, using: &generator)
        let longitude = Double.random(in: -1.2 * size...1.2 * size, using: &generator)
        let place = Places.at(latitude, PolygonTests.wrapped(longitude + shift))
        let expected = windingNumber(vertices, latitude, longitude) != 0
        #expect(outline.contains(place) == expected, "seed \(seed) shift \(shift) \(latitude) \(longitude)")
      }
    }
  }

  @Test func everyPlaceOnACommonEdgeBelongsToExactlyOneNeighbour() {
    // Nine squares and, inside each, two triangles; the corners, the edges and the diagonals are all shared.
    for west in [-1.5, 178.5] {
      var parts: [Polygon] = []
      for row in 0..<3 {
        for column in 0..<3 {
          let (y, x) = (Double(row), Double(column) + west)
          let corners = [(y, x), (y, x + 1), (y + 1, x + 1), (y + 1, x)].map { ($0.0, PolygonTests.wrapped($0.1)) }
          parts.append(polygon([corners[0], corners[1], corners[2]]))
          parts.append(polygon([corners[0], corners[2], corners[3]]))
        }
      }
      for row in 1..<24 {
        for column in 1..<24 {
          let place = Places.at(Double(row) / 8, PolygonTests.wrapped(Double(column) / 8 + west))
          #expect(parts.count { $0.contains(place) } == 1, "\(place)")
        }
      }
    }
  }

  @Test func theEdgesOfAreasSouthAndWestOfThemAreOutside() {
    let square = polygon([(0, 0), (0, 1), (1, 1), (1, 0)])
    #expect(square.contains(Places.at(0, 0.5)))
    #expect(square.contains(Places.at(0.5, 1)))
    #expect(!square.contains(Places.at(1, 0.5)))
    #expect(!square.contains(Places.at(0.5, 0)))
  }

  @Test func outlinesRoundAPoleHoldIt() {
    let arctic = polygon([(70, -180), (75, -90), (70, 0), (75, 90)])
    let antarctic = polygon([(-70, 170), (-75, 80), (-70, -10), (-75, -100)])
    for longitude in stride(from: -180.0, through: 180, by: 7.5) {
      #expect(arctic.contains(Places.at(90, longitude)))
      #expect(arctic.contains(Places.at(80, longitude)))
      #expect(!arctic.contains(Places.at(69, longitude)))
      #expect(!arctic.contains(Places.at(-80, longitude)))
      #expect(antarctic.contains(Places.at(-90, longitude)))
      #expect(antarctic.contains(Places.at(-80, longitude)))
      #expect(!antarctic.contains(Places.at(-69, longitude)))
      #expect(!antarctic.contains(Places.at(80, longitude)))
    }
    // Half way from (70, 0) to (75, 90) the edge is at 72.5 degrees.
    #expect(arctic.contains(Places.at(72.6, 45)))
    #expect(!arctic.contains(Places.at(72.4, 45)))
  }

  @Test func anOutlineBesideAPoleDoesNotHoldIt() {
    let beside = polygon([(88, 10), (88, 80), (89.5, 80), (89.5, 10)])
    #expect(beside.contains(Places.at(89, 45)))
    #expect(!beside.contains(Places.at(90, 45)))
    #expect(!beside.contains(Places.at(89, -135)))
  }
}
