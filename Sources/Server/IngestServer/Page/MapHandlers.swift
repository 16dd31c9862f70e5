import Base
import Contract
import JSON
import Synchronization

/// Handles the maps of the live page.
struct MapHandlers: Sendable {
  let board: MapBoard
  let shared: SharedBoards

  /// `GET /admin/v1/map`: the map as it was put, byte for byte; an empty collection when there is none.
  func get(_ exchange: Exchange) -> Reply {
    let bytes = board.map(of: exchange.run)?.bytes ?? Array(#"{"type":"FeatureCollection","features":[]}"#.utf8)
    return .answer(Response(200, "application/geo+json", bytes))
  }

  /// `PUT /admin/v1/map`: replaces the map of the run.
  func put(_ exchange: Exchange) -> Reply {
    do throws(MapError) {
      let map = try MapBoard.Map(geoJSON: exchange.body)
      let run = exchange.run
      return shared.put(exchange.body, .map, of: run) {
        board.put(map, of: run)
        return .count("features", map.features)
      }
    } catch {
      return .answer(.error(400, "bad_map", error.reason))
    }
  }

  /// `DELETE /admin/v1/map`; `deleted` is 0 when there was none.
  func delete(_ exchange: Exchange) -> Reply {
    let run = exchange.run
    return shared.put(nil, .map, of: run) { .count("deleted", board.clear(run: run)) }
  }
}

/// The map under the devices of each run on the live page, kept until the server stops: a simulated city puts its streets here.
/// Stored as received, because only a browser reads it.
final class MapBoard: Sendable {
  /// The map of a run, and its number of features.
  struct Map: Sendable {
    let bytes: [UInt8]
    let features: Int
  }

  /// Many times the size of a city of a thousand streets; a browser draws it smoothly.
  static let bytesMax = 1 << 20
  /// When more runs have maps, the least recently put map is dropped.
  static let runsMax = 64

  private let maps = Mutex<[(run: String, map: Map)]>([])
  private let changes = Atomic(0)

  /// Changes with each change of any map, so that a viewer detects when to fetch its map again.
  var revision: Int { changes.load(ordering: .acquiring) }

  func map(of run: String) -> Map? {
    maps.withLock { maps in maps.first { $0.run.isExactly(run) }?.map }
  }

  func put(_ map: Map, of run: String) {
    maps.withLock { maps in
      maps.removeAll { $0.run.isExactly(run) }
      if maps.count >= Self.runsMax { maps.removeFirst() }
      maps.append((run, map))
    }
    changes.add(1, ordering: .releasing)
  }

  /// Deletes the map of one run, or all maps; returns the number of deleted maps.
  func clear(run: String?) -> Int {
    let count = maps.withLock { maps in
      let before = maps.count
      maps.removeAll { run == nil || $0.run.isExactly(run) }
      return before - maps.count
    }
    if count > 0 { changes.add(1, ordering: .releasing) }
    return count
  }
}

extension MapBoard.Map {
  /// A FeatureCollection (RFC 7946 §3.3) with the geometries that the page draws: points, lines and areas, each with any
  /// properties. Others are refused, with their place.
  init(geoJSON bytes: [UInt8]) throws(MapError) {
    guard bytes.count <= MapBoard.bytesMax else {
      throw MapError("the map has \(bytes.count) bytes; the limit is \(MapBoard.bytesMax)")
    }
    let document: JSONValue
    do throws(JSONError) { document = try JSONValue(parsing: bytes.span, reading: .lenient) } catch {
      throw MapError("\(error)")
    }
    guard case .string("FeatureCollection")? = document["type"], case .array(let features)? = document["features"]
    else {
      throw MapError("the map must be a GeoJSON FeatureCollection")
    }
    for (index, feature) in features.enumerated() { try Self.check(feature, at: "features[\(index)]") }
    self.bytes = bytes
    self.features = features.count
  }

  /// The list depth of the positions in each kind of geometry.
  private static let depths: KeyValuePairs = [
    "Point": 0, "MultiPoint": 1, "LineString": 1, "MultiLineString": 2, "Polygon": 2, "MultiPolygon": 3,
  ]

  private static func check(_ feature: JSONValue, at path: String) throws(MapError) {
    guard case .string("Feature")? = feature["type"] else { throw MapError("\(path) must be a Feature") }
    switch feature["properties"] {
    case .object?, .null?, nil: break
    default: throw MapError("\(path).properties must be an object or null")
    }
    guard let geometry = feature["geometry"] else { throw MapError("\(path).geometry is missing") }
    // A feature without a geometry (RFC 7946 §3.2) is not drawn.
    if geometry == .null { return }
    guard case .string(let kind)? = geometry["type"], let depth = depths.first(where: { $0.key == kind })?.value else {
      throw MapError("\(path).geometry.type must be one of \(depths.map(\.key).joined(separator: ", "))")
    }
    try check(geometry["coordinates"] ?? .null, depth: depth, at: "\(path).geometry.coordinates")
  }

  private static func check(_ value: JSONValue, depth: Int, at path: String) throws(MapError) {
    guard case .array(let elements) = value else { throw MapError("\(path) must be a list") }
    guard depth == 0 else {
      for (index, element) in elements.enumerated() {
        try check(element, depth: depth - 1, at: "\(path)[\(index)]")
      }
      return
    }
    guard elements.count >= 2, isDegrees(elements[0], upTo: 180), isDegrees(elements[1], upTo: 90) else {
      throw MapError("\(path) must begin with a longitude and a latitude in degrees")
    }
  }

  private static func isDegrees(_ value: JSONValue, upTo limit: Double) -> Bool {
    switch value {
    case .integer(let number): number.magnitude <= UInt64(limit)
    case .double(let number): number.magnitude <= limit
    default: false
    }
  }
}

/// Why a text is not a map.
struct MapError: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
