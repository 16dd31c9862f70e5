import Contract
import JSON

extension MapBoard.Map {
  /// A FeatureCollection (RFC 7946 §3.3) as far as the page draws it: points, lines and areas, each with any properties.
  /// Refused is what would not be drawn, with its place, so that nobody looks for it in vain.
  init(geoJSON bytes: [UInt8]) throws(MapRefusal) {
    guard bytes.count <= MapBoard.bytesMax else {
      throw MapRefusal("the map has \(bytes.count) bytes and may have \(MapBoard.bytesMax)")
    }
    let document: JSONValue
    do throws(JSONError) { document = try JSONValue(parsing: bytes.span, duplicateKeys: .lastWins) } catch {
      throw MapRefusal("\(error)")
    }
    guard case .string("FeatureCollection")? = document["type"], case .array(let features)? = document["features"]
    else {
      throw MapRefusal("a map is a FeatureCollection of GeoJSON, with a list of features")
    }
    for (index, feature) in features.enumerated() { try Self.check(feature, at: "features[\(index)]") }
    self.bytes = bytes
    self.features = features.count
  }

  /// How deep in lists the positions of each kind of geometry stand.
  private static let depths: KeyValuePairs = [
    "Point": 0, "MultiPoint": 1, "LineString": 1, "MultiLineString": 2, "Polygon": 2, "MultiPolygon": 3,
  ]

  private static func check(_ feature: JSONValue, at path: String) throws(MapRefusal) {
    guard case .string("Feature")? = feature["type"] else { throw MapRefusal("\(path) has to be a Feature") }
    switch feature["properties"] {
    case .object?, .null?, nil: break
    default: throw MapRefusal("\(path).properties has to be an object or null")
    }
    guard let geometry = feature["geometry"] else { throw MapRefusal("\(path).geometry is missing") }
    // A feature without a place (RFC 7946 §3.2) is none on a map.
    if geometry == .null { return }
    guard case .string(let kind)? = geometry["type"], let depth = depths.first(where: { $0.key == kind })?.value else {
      throw MapRefusal("\(path).geometry.type has to be one of \(depths.map(\.key).joined(separator: ", "))")
    }
    try check(geometry["coordinates"] ?? .null, depth: depth, at: "\(path).geometry.coordinates")
  }

  private static func check(_ value: JSONValue, depth: Int, at path: String) throws(MapRefusal) {
    guard case .array(let elements) = value else { throw MapRefusal("\(path) has to be a list") }
    guard depth == 0 else {
      for (index, element) in elements.enumerated() {
        try check(element, depth: depth - 1, at: "\(path)[\(index)]")
      }
      return
    }
    guard elements.count >= 2, isDegrees(elements[0], upTo: 180), isDegrees(elements[1], upTo: 90) else {
      throw MapRefusal("\(path) has to begin with a longitude and a latitude in degrees")
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

/// Why a text is no map.
struct MapRefusal: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
