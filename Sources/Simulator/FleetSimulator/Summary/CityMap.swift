import Base
import Contract
import JSON
import World

/// The cities of a run as GeoJSON, for the live page of the target server.
struct CityMap {
  private let cities: [City]

  /// The number of streets of a city above which only major ones are drawn; more could not be distinguished.
  private static let streetsMax = 1_000
  /// The same limit for its tunnels and dead zones.
  private static let zonesMax = 1_000

  /// Nil when no body moves in a city. A city that several fleets share is included once.
  init?(_ setup: RunSetup) {
    var cities: [City] = []
    for city in setup.fleets.compactMap(\.movement.city) where !cities.contains(where: { $0.isSame(as: city) }) {
      cities.append(city)
    }
    guard !cities.isEmpty else { return nil }
    self.cities = cities
  }

  var geoJSON: [UInt8] {
    var writer = JSONWriter(capacity: 65_536)
    writer.beginObject()
    writer.key("type")
    writer.value("FeatureCollection")
    writer.key("features")
    writer.beginArray()
    for city in cities { CityMap.append(city, to: &writer) }
    writer.endArray()
    writer.endObject()
    return writer.bytes
  }

  private static func append(_ city: City, to writer: inout JSONWriter) {
    let streets = city.streets
    let arteries = streets.filter { $0.street.streetClass > .local }
    append(arteries.map(\.places), as: "MultiLineString", "artery", to: &writer)
    if streets.count <= streetsMax {
      let others = streets.filter { $0.street.streetClass == .local }
      append(others.map(\.places), as: "MultiLineString", "street", to: &writer)
    }
    let zones = city.allZones
    guard zones.count <= zonesMax else { return }
    for zone in zones {
      let ring = zone.area.vertices + zone.area.vertices.prefix(1)
      append([ring], as: "Polygon", zone.kind == .tunnel ? "tunnel" : "dead-zone", to: &writer)
    }
  }

  private static func append(
    _ lines: [[Coordinate]], as geometry: String, _ kind: String, to writer: inout JSONWriter
  ) {
    writer.beginObject()
    writer.key("type")
    writer.value("Feature")
    writer.key("properties")
    writer.beginObject()
    writer.key("kind")
    writer.value(kind)
    writer.endObject()
    writer.key("geometry")
    writer.beginObject()
    writer.key("type")
    writer.value(geometry)
    writer.key("coordinates")
    writer.beginArray()
    for line in lines {
      writer.beginArray()
      for place in line { append(place, to: &writer) }
      writer.endArray()
    }
    writer.endArray()
    writer.endObject()
    writer.endObject()
  }

  private static func append(_ place: Coordinate, to writer: inout JSONWriter) {
    writer.beginArray()
    for degrees in [place.longitude, place.latitude] { writer.value((degrees * 1e7).rounded() / 1e7) }
    writer.endArray()
  }
}

extension City {
  fileprivate func isSame(as other: City) -> Bool {
    seed == other.seed && center == other.center && columns == other.columns && rows == other.rows
      && blockMetres == other.blockMetres
  }
}

extension City {
  /// All streets, each from one side of the city to the other.
  var streets: [(street: Street, places: [Coordinate])] {
    let upright = (0...columns).map { line in
      (Street(isNorthSouth: true, line: line), Crossing(column: line, row: 0), Crossing(column: line, row: rows))
    }
    let level = (0...rows).map { line in
      (Street(isNorthSouth: false, line: line), Crossing(column: 0, row: line), Crossing(column: columns, row: line))
    }
    return (upright + level).map { street, start, end in
      (street: street, places: [coordinate(of: start), coordinate(of: end)])
    }
  }
}

extension Movement {
  /// Nil for movement on open ground or along given routes.
  var city: City? {
    switch self {
    case .plan(_, let city, _), .roam(_, let city, _), .scheduled(.city(let city, _), trips: _): city
    case .ride, .walk, .scheduled: nil
    }
  }
}

extension RunSetup {
  /// The streets of its cities as GeoJSON; nil when no body moves in a city.
  package var streets: [UInt8]? { CityMap(self)?.geoJSON }
}
