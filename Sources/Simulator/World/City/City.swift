package import Base

/// A city of any size, made from a seed: a grid of streets around a centre. Everything in it, a speed limit, a light, the
/// home of a device, is a function of the seed and its own number; only tunnels and dead zones are kept, because places
/// are tested against them all the time.
package final class City: Sendable {
  package let seed: UInt64
  package let center: Coordinate
  /// Blocks from west to east, and from south to north.
  package let columns: Int
  package let rows: Int
  package let blockMetres: Double
  let scale: LocalScale
  /// At most one for each district, row by row.
  let zones: [Zone?]

  /// Blocks on the side of a district.
  static let districtBlocks = 8

  /// Both counts of blocks are rounded up to whole districts of 8.
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

  /// A point of the grid, in blocks from its southwestern corner.
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
    var stream = Concern.streets.stream(seed: seed, device: Concern.city, n: number)
    return limits[stream.index(below: limits.count)] / 3.6
  }

  /// The light of a crossing of two streets that are not local; nil elsewhere.
  package func light(at crossing: Crossing) -> TrafficLight? {
    let least = min(StreetClass.ofLine(crossing.column), StreetClass.ofLine(crossing.row))
    guard least > .local else { return nil }
    let number = (UInt64(crossing.column) << 16 + UInt64(crossing.row)) * 4
    var stream = Concern.lights.stream(seed: seed, device: Concern.city, n: number)
    let cycle = 50 + 10 * Double(stream.index(below: 5))
    return TrafficLight(cycleSeconds: cycle, offsetSeconds: cycle * stream.uniform())
  }
}
