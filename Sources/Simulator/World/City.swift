package import Base

/// A generated city of any size: a grid of streets around a centre. Every property, such as a speed limit, a light or the
/// home of a device, is a function of the seed and of its own number; only tunnels and dead zones are stored, because places
/// are often tested against them.
package final class City: Sendable {
  package let seed: UInt64
  package let center: Coordinate
  /// The number of blocks from west to east, and from south to north.
  package let columns: Int
  package let rows: Int
  package let blockMetres: Double
  let scale: LocalScale
  /// At most one per district, row by row.
  let zones: [Zone?]

  /// The blocks on a side of a district.
  static let districtBlocks = 8

  /// Both numbers of blocks are rounded up to whole districts of 8.
  package init(seed: UInt64, center: Coordinate, columns: Int, rows: Int, blockMetres: Double = 120) {
    precondition(columns > 0 && rows > 0 && columns <= 4_096 && rows <= 4_096, "a city has 1 to 4,096 blocks a side")
    precondition(blockMetres >= 50 && blockMetres <= 500, "a block is 50 to 500 metres long")
    precondition(center.latitude.magnitude <= 80, "no city lies so near to a pole")
    self.seed = seed
    self.center = center
    self.columns = City.wholeDistricts(columns)
    self.rows = City.wholeDistricts(rows)
    self.blockMetres = blockMetres
    scale = LocalScale(latitude: center.latitude)
    zones = City.zones(
      seed: seed, center: center, scale: scale, columns: self.columns, rows: self.rows, blockMetres: blockMetres)
  }

  private static func wholeDistricts(_ blocks: Int) -> Int {
    (blocks + districtBlocks - 1) / districtBlocks * districtBlocks
  }

  /// Returns the place of a grid point, in blocks from the southwestern corner.
  func coordinate(column: Double, row: Double) -> Coordinate {
    City.coordinate(
      column: column, row: row, center: center, scale: scale, columns: columns, rows: rows, blockMetres: blockMetres)
  }

  static func coordinate(
    column: Double, row: Double, center: Coordinate, scale: LocalScale, columns: Int, rows: Int, blockMetres: Double
  ) -> Coordinate {
    let offset = Offset(
      east: (column - 0.5 * Double(columns)) * blockMetres, north: (row - 0.5 * Double(rows)) * blockMetres)
    return scale.place(at: offset, from: center)
  }

  package func coordinate(of crossing: Crossing) -> Coordinate {
    coordinate(column: Double(crossing.column), row: Double(crossing.row))
  }

  package func coordinate(of address: Address) -> Coordinate {
    let along = Double(address.block) + address.metres / blockMetres
    return address.street.isNorthSouth
      ? coordinate(column: Double(address.street.line), row: along)
      : coordinate(column: along, row: Double(address.street.line))
  }

  /// Metres per second.
  package func speedLimit(of street: Street) -> Double {
    let limits = street.streetClass.speedLimits
    let number = UInt64(street.line) * 2 + (street.isNorthSouth ? 1 : 0)
    var stream = RandomStreamID.streets.stream(seed: seed, device: RandomStreamID.city, n: number)
    return limits[stream.index(below: limits.count)] / 3.6
  }

  /// Returns the light of a crossing of two major streets; nil elsewhere.
  package func light(at crossing: Crossing) -> TrafficLight? {
    let least = min(StreetClass.ofLine(crossing.column), StreetClass.ofLine(crossing.row))
    guard least > .local else { return nil }
    let number = (UInt64(crossing.column) << 16 + UInt64(crossing.row)) * 4
    var stream = RandomStreamID.lights.stream(seed: seed, device: RandomStreamID.city, n: number)
    let cycle = 50 + 10 * Double(stream.index(below: 5))
    return TrafficLight(cycleSeconds: cycle, offsetSeconds: cycle * stream.uniform())
  }
}

/// A place in the city, by its position along a street.
package struct Address: Hashable, Sendable {
  package let street: Street
  /// The block of the street, from its southern or western end.
  package let block: Int
  /// The position in the block, strictly between its ends.
  package let metres: Double

  package init(street: Street, block: Int, metres: Double) {
    self.street = street
    self.block = block
    self.metres = metres
  }

  /// The crossings at both ends of the block, the southern or western one first.
  var ends: (Crossing, Crossing) { (crossing(at: block), crossing(at: block + 1)) }

  private func crossing(at position: Int) -> Crossing {
    street.isNorthSouth
      ? Crossing(column: street.line, row: position) : Crossing(column: position, row: street.line)
  }
}

/// The crossing of two streets, by their lines.
package struct Crossing: Hashable, Sendable {
  /// The line of the north–south street.
  package let column: Int
  /// The line of the east–west street.
  package let row: Int

  package init(column: Int, row: Int) {
    self.column = column
    self.row = row
  }
}

/// A line of the grid, from one side of the city to the other.
package struct Street: Hashable, Sendable {
  package let isNorthSouth: Bool
  /// Counted from the west for north–south streets, from the south for others.
  package let line: Int

  package var streetClass: StreetClass { StreetClass.ofLine(line) }

  package init(isNorthSouth: Bool, line: Int) {
    self.isNorthSouth = isNorthSouth
    self.line = line
  }
}

/// The class of a street.
package enum StreetClass: Int, Comparable, Sendable {
  case local, collector, arterial

  package static func < (left: StreetClass, right: StreetClass) -> Bool { left.rawValue < right.rawValue }

  /// Returns the class of a line: every fourth is a collector; every eighth, in the middle of each district, is an arterial.
  static func ofLine(_ line: Int) -> StreetClass {
    switch line & 7 {
    case 4: .arterial
    case 0: .collector
    default: .local
    }
  }

  /// The possible limits in kilometres per hour.
  var speedLimits: [Double] {
    switch self {
    case .local: [20, 30, 30]
    case .collector: [40, 50, 50]
    case .arterial: [50, 60, 70, 80]
    }
  }
}

/// An area of the city without signal.
package struct Zone: Sendable {
  package let kind: Cover.Kind
  package let area: Polygon

  package init(kind: Cover.Kind, area: Polygon) {
    self.kind = kind
    self.area = area
  }
}

extension City {
  /// Returns the tunnel or dead zone at a place; nil under the open sky.
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

  /// Returns the zones near an edge: those of all districts that it touches.
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

  /// Returns the zones: every eighth district has a tunnel, a section of its arterial street; every twelfth a dead zone. Both
  /// are completely within their district, so that one look-up suffices.
  static func zones(
    seed: UInt64, center: Coordinate, scale: LocalScale, columns: Int, rows: Int, blockMetres: Double
  ) -> [Zone?] {
    let (across, up) = (columns / districtBlocks, rows / districtBlocks)
    return (0..<across * up).map { district in
      var stream = RandomStreamID.zones.stream(seed: seed, device: RandomStreamID.city, n: UInt64(district) * 8)
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
