import Base
import Testing

@testable import World

struct CityTests {
  /// Dijkstra's algorithm without a queue over all crossings of a small city, in blocks.
  private func shortest(from start: Address, to end: Address, in city: City) -> Double {
    let size = city.columns + 1
    var metres = [Double](repeating: .infinity, count: size * (city.rows + 1))
    func index(_ crossing: Crossing) -> Int { crossing.row * size + crossing.column }
    metres[index(start.ends.0)] = start.metres
    metres[index(start.ends.1)] = city.blockMetres - start.metres
    var isDone = metres.map { _ in false }
    for _ in metres {
      guard let next = metres.indices.filter({ !isDone[$0] }).min(by: { metres[$0] < metres[$1] }) else { break }
      isDone[next] = true
      let (column, row) = (next % size, next / size)
      for (c, r) in [(column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)]
      where c >= 0 && c <= city.columns && r >= 0 && r <= city.rows {
        metres[r * size + c] = min(metres[r * size + c], metres[next] + city.blockMetres)
      }
    }
    let byCrossings = min(
      metres[index(end.ends.0)] + end.metres, metres[index(end.ends.1)] + city.blockMetres - end.metres)
    guard start.street == end.street, start.block == end.block else { return byCrossings }
    return min(byCrossings, (start.metres - end.metres).magnitude)
  }

  @Test func noWayIsShorterThanTheOneFound() {
    let city = Worlds.city(seed: 5, blocks: 16)
    for device in 0..<40 as Range<UInt64> {
      let (start, end) = (city.home(of: device, seed: 5), city.work(of: device, seed: 5))
      let way = city.way(from: start, to: end)
      #expect((way.lengthMetres - shortest(from: start, to: end, in: city)).magnitude < 1e-6, "device \(device)")
    }
  }

  @Test func waysFollowStreetsAndAreAsLongAsTheySay() {
    let city = Worlds.city(seed: 6, blocks: 24)
    for device in 0..<200 as Range<UInt64> {
      let way = city.way(from: city.home(of: device, seed: 6), to: city.work(of: device, seed: 6))
      for (first, last) in zip(way.crossings, way.crossings.dropFirst()) {
        #expect((first.column == last.column) != (first.row == last.row), "device \(device)")
      }
      if let first = way.crossings.first, let last = way.crossings.last {
        #expect(way.start.ends.0 == first || way.start.ends.1 == first, "device \(device)")
        #expect(way.end.ends.0 == last || way.end.ends.1 == last, "device \(device)")
      }
      // A degree of longitude is worth more in the south of a city than in the north.
      let driven = city.course(along: way).path.lengthMetres
      #expect((driven - way.lengthMetres).magnitude <= 0.002 * way.lengthMetres, "device \(device)")
    }
  }

  @Test func everySizeOfCityHasItsPlaces() {
    for blocks in [1, 8, 9, 64, 400] {
      let city = Worlds.city(blocks: blocks)
      for device in 0..<100 as Range<UInt64> {
        for address in [city.home(of: device, seed: 1), city.work(of: device, seed: 1), city.depot(0)] {
          let across = address.street.isNorthSouth ? city.columns : city.rows
          let along = address.street.isNorthSouth ? city.rows : city.columns
          #expect((0...across).contains(address.street.line) && (0..<along).contains(address.block), "\(blocks) blocks")
          #expect(address.metres > 0 && address.metres < city.blockMetres, "\(blocks) blocks")
        }
        #expect(city.home(of: device, seed: 1).street.streetClass == .local, "\(blocks) blocks")
        #expect(city.work(of: device, seed: 1).street.streetClass > .local, "\(blocks) blocks")
      }
    }
  }

  @Test func zonesLieWithinTheirDistricts() {
    let city = Worlds.city(seed: 2, blocks: 400)
    for zone in city.allZones {
      for vertex in zone.area.vertices {
        let middle = vertex.between(zone.area.smallestEnclosingCircle.center, fraction: 0.01)
        #expect(city.zone(at: middle)?.kind == zone.kind)
      }
    }
    #expect(city.allZones.contains { $0.kind == .tunnel } && city.allZones.contains { $0.kind == .deadZone })
  }

  @Test func anotherSeedIsAnotherCity() {
    let (one, other) = (Worlds.city(seed: 1, blocks: 160), Worlds.city(seed: 2, blocks: 160))
    func limits(_ city: City) -> [Double] {
      (0...city.columns).map { city.speedLimit(of: Street(isNorthSouth: true, line: $0)) }
    }
    #expect(limits(one) != limits(other))
    #expect(one.allZones.map(\.area) != other.allZones.map(\.area))
    #expect(one.home(of: 1, seed: 1) != one.home(of: 1, seed: 2))
  }
}
