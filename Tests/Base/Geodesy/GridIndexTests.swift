import Base
import Support
import Testing

@Suite struct GridIndexTests {
  private struct Site {
    let id: Int
    let place: Coordinate
  }

  private func bruteForce(_ sites: [Site], _ center: Coordinate, _ radius: Double, _ limit: Int) -> [Neighbour] {
    let neighbours = sites.map { Neighbour(id: $0.id, distanceMetres: center.distanceMetres(to: $0.place)) }
    let inside = neighbours.filter { $0.distanceMetres <= radius }
    return Array(
      inside.sorted { ($0.distanceMetres, $0.id) < ($1.distanceMetres, $1.id) }.prefix(limit))
  }

  /// Where the sites of a run are: all over the earth, in a town, at the antimeridian, at the poles, all in one place.
  private func site(_ kind: Int, _ generator: inout SeededGenerator) -> Coordinate {
    switch kind {
    case 0: Places.anywhere(&generator)
    case 1: Places.near(Places.at(52.5, 13.4), metres: 20_000, &generator)
    case 2: Places.near(Places.at(-17, 180), metres: 50_000, &generator)
    case 3: Places.near(Places.at(90, 0), metres: 30_000, &generator)
    case 4: Places.near(Places.at(-89.9, -179), metres: 30_000, &generator)
    default: Places.at(7, Double(generator.index(below: 2)) * 360 - 180)
    }
  }

  @Test(arguments: 0..<6, 1...5 as ClosedRange<UInt64>)
  func theIndexAgreesWithASearchThroughAll(kind: Int, seed: UInt64) {
    var generator = SeededGenerator(seed: seed * 31 + UInt64(kind))
    var index = GridIndex(cellMetres: [500, 2_000, 50_000][Int(seed % 3)])
    var sites: [Site] = []
    var results: [Neighbour] = []
    for step in 0..<600 {
      if generator.chance(0.25), !sites.isEmpty {
        let site = sites.remove(at: generator.index(below: sites.count))
        #expect(index.remove(site.id, at: site.place) == true, "seed \(seed) step \(step)")
      } else {
        let place = site(kind, &generator)
        sites.append(Site(id: step, place: place))
        #expect(index.insert(step, at: place) == true, "seed \(seed) step \(step)")
      }
      guard step % 3 == 0 else { continue }
      let center = generator.chance(0.7) ? site(kind, &generator) : Places.anywhere(&generator)
      let radius = [0, 1, 700, 3_000, 40_000, 3_000_000, 30_000_000.0][generator.index(below: 7)]
      let limit = generator.chance(0.5) ? Int.max : generator.index(below: 20)
      index.findNearest(to: center, radiusMetres: radius, limit: limit, into: &results)
      #expect(results == bruteForce(sites, center, radius, limit), "kind \(kind) seed \(seed) step \(step)")
    }
    #expect(index.count == sites.count)
  }

  @Test func theRimOfTheRadiusIsInsideInEveryDirection() {
    var generator = SeededGenerator(seed: 4)
    var results: [Neighbour] = []
    for round in 0..<4_000 {
      let center = Places.anywhere(&generator)
      let reach = [0.01, 10, 2_000, 100_000, 5_000_000][round % 5]
      let place = center.destination(
        bearingDegrees: Double(generator.index(below: 16)) * 22.5, distanceMetres: reach)
      let distance = center.distanceMetres(to: place)
      var index = GridIndex(cellMetres: 1_000)
      index.insert(7, at: place)
      index.findNearest(to: center, radiusMetres: distance, into: &results)
      #expect(results == [Neighbour(id: 7, distanceMetres: distance)], "\(center) \(place)")
      index.findNearest(to: center, radiusMetres: distance.nextDown, into: &results)
      #expect(results.isEmpty, "\(center) \(place)")
    }
  }

  /// At the last bit of a degree the distance is rounded to nothing, and the border may lie in between.
  @Test func aPlaceOneBitBeyondTheBorderOfACellIsFound() {
    var results: [Neighbour] = []
    for row in stride(from: 11, to: 19_980, by: 47) {
      let border = Double(row) / 111 - 90
      var bits = [border]
      for _ in 0..<3 { bits = [bits[0].nextDown] + bits + [bits[bits.count - 1].nextUp] }
      for latitude in bits {
        let place = Places.at(latitude, 20)
        var index = GridIndex(cellMetres: 1_000)
        index.insert(1, at: place)
        for other in bits {
          let center = Places.at(other, 20)
          let distance = center.distanceMetres(to: place)
          index.findNearest(to: center, radiusMetres: distance, into: &results)
          #expect(results.count == 1, "\(center) \(place) \(distance)")
        }
      }
    }
  }

  @Test func theOrderOfInsertionDoesNotShow() {
    var generator = SeededGenerator(seed: 5)
    // Sites in pairs at one place: equal distances come by id.
    let sites = (0..<200).map { Site(id: $0, place: Places.at(Double($0 / 2) / 1_000, 180)) }
    var expected: [Neighbour] = []
    for round in 0..<20 {
      var index = GridIndex(cellMetres: 2_000)
      for site in sites.shuffled(using: &generator) { index.insert(site.id, at: site.place) }
      var results: [Neighbour] = []
      index.findNearest(to: Places.at(0.05, -180), radiusMetres: 4_000, limit: 51, into: &results)
      if round == 0 { expected = bruteForce(sites, Places.at(0.05, -180), 4_000, 51) }
      #expect(results == expected && results.count == 51)
    }
  }

  @Test func whatIsThereAlreadyIsNotInsertedAndWhatIsNotThereIsNotRemoved() {
    var index = GridIndex(cellMetres: 1_000)
    #expect(index.insert(1, at: Places.at(1, 1)) == true)
    #expect(index.insert(1, at: Places.at(1, 1)) == false)
    #expect(index.insert(1, at: Places.at(1, 1.00001)) == true)
    #expect(index.remove(2, at: Places.at(1, 1)) == false)
    #expect(index.remove(1, at: Places.at(1, 1.00002)) == false)
    #expect(index.count == 2)
    #expect(index.remove(1, at: Places.at(1, 1)) == true)
    #expect(index.remove(1, at: Places.at(1, 1)) == false)
    #expect(index.count == 1)
  }
}
