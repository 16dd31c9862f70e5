package import Base

extension City {
  /// The tunnel or dead zone at a place; nil under the open sky.
  package func zone(at place: Coordinate) -> Zone? {
    let offset = scale.offset(from: center, to: place)
    let side = blockMetres * Double(City.districtBlocks)
    let x = (offset.east / side + 0.5 * Double(districtColumns)).rounded(.down)
    let y = (offset.north / side + 0.5 * Double(districtRows)).rounded(.down)
    guard x >= 0, y >= 0, x < Double(districtColumns), y < Double(districtRows) else { return nil }
    guard let zone = zones[Int(y) * districtColumns + Int(x)], zone.area.contains(place) else { return nil }
    return zone
  }

  package var allZones: [Zone] { zones.compactMap(\.self) }

  private var districtColumns: Int { columns / City.districtBlocks }
  private var districtRows: Int { rows / City.districtBlocks }

  /// What a zone is tested for along a way between two places: those of all districts that the edge touches.
  func zones(from start: Coordinate, to end: Coordinate) -> [Zone] {
    let (a, b) = (scale.offset(from: center, to: start), scale.offset(from: center, to: end))
    let side = blockMetres * Double(City.districtBlocks)
    func range(_ low: Double, _ high: Double, _ count: Int) -> Range<Int> {
      let first = Int(min(max((low / side + 0.5 * Double(count)).rounded(.down), 0), Double(count)))
      let last = Int(min(max((high / side + 0.5 * Double(count)).rounded(.down), -1), Double(count - 1)))
      return first..<max(last + 1, first)
    }
    var found: [Zone] = []
    for y in range(min(a.north, b.north), max(a.north, b.north), districtRows) {
      for x in range(min(a.east, b.east), max(a.east, b.east), districtColumns) {
        if let zone = zones[y * districtColumns + x] { found.append(zone) }
      }
    }
    return found
  }

  /// Every eighth district has a tunnel, a piece of its arterial street; every twelfth a dead zone. Both lie wholly within
  /// their district, so that one look is enough to find what is at a place.
  static func zones(
    seed: UInt64, center: Coordinate, scale: LocalScale, columns: Int, rows: Int, blockMetres: Double
  ) -> [Zone?] {
    let (across, up) = (columns / districtBlocks, rows / districtBlocks)
    return (0..<across * up).map { district in
      var stream = Concern.zones.stream(seed: seed, device: Concern.city, n: UInt64(district) * 8)
      let middle = (
        x: Double(district % across * districtBlocks) + 4, y: Double(district / across * districtBlocks) + 4
      )
      func place(_ x: Double, _ y: Double) -> Coordinate {
        coordinate(
          column: middle.x + x, row: middle.y + y, center: center, scale: scale, columns: columns, rows: rows,
          blockMetres: blockMetres)
      }
      let kind = stream.uniform()
      let extent = stream.uniform()
      if kind < 1.0 / 8 {
        let (half, width) = (1 + 1.5 * extent, 15 / blockMetres)
        let isNorthSouth = stream.chance(0.5)
        let corners = [(-half, -width), (half, -width), (half, width), (-half, width)]
        return Polygon(corners.map { isNorthSouth ? place($0.1, $0.0) : place($0.0, $0.1) })
          .map { Zone(kind: .tunnel, area: $0) }
      }
      guard kind < 1.0 / 8 + 1.0 / 12 else { return nil }
      let radius = 1.5 + 2 * extent
      let corners = (0..<8).map { PortableMath.sineAndCosine(degrees: Double($0) * 45) }
      return Polygon(corners.map { place(radius * $0.cosine, radius * $0.sine) }).map {
        Zone(kind: .deadZone, area: $0)
      }
    }
  }
}
