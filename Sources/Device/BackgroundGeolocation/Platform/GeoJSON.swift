import FoundationEssentials
import JSON

/// Positions in GeoJSON (RFC 7946).
enum GeoJSON {
  /// Appends the positions of a document in its order; what it does not know it passes over.
  static func collect(_ value: JSONValue, times: [Date?], into points: inout [RoutePoint]) {
    guard case .string(let type)? = value["type"] else { return }
    switch type {
    case "FeatureCollection": elements(value["features"]).forEach { collect($0, times: times, into: &points) }
    case "GeometryCollection": elements(value["geometries"]).forEach { collect($0, times: times, into: &points) }
    case "Feature":
      if let geometry = value["geometry"] {
        collect(geometry, times: self.times(value["properties"] ?? .null), into: &points)
      }
    case "Point": append(value["coordinates"], times.first ?? nil, &points)
    case "LineString", "MultiPoint": line(value["coordinates"], times, &points)
    case "MultiLineString":
      var offset = 0
      for part in elements(value["coordinates"]) {
        line(part, Array(times.dropFirst(offset)), &points)
        offset += elements(part).count
      }
    default: break
    }
  }

  private static func line(_ positions: JSONValue?, _ times: [Date?], _ points: inout [RoutePoint]) {
    for (index, position) in elements(positions).enumerated() {
      append(position, index < times.count ? times[index] : nil, &points)
    }
  }

  private static func append(_ position: JSONValue?, _ time: Date?, _ points: inout [RoutePoint]) {
    let numbers = elements(position).compactMap(\.double)
    guard numbers.count >= 2 else { return }
    points.append(
      RoutePoint(
        latitude: numbers[1], longitude: numbers[0], altitude: numbers.count > 2 ? numbers[2] : nil, time: time))
  }

  /// Flat, or a list for each line; of a point, one time alone.
  private static func times(_ properties: JSONValue) -> [Date?] {
    let value = properties["coordTimes"] ?? properties["times"] ?? properties["time"] ?? .null
    return flatten(value)
  }

  private static func flatten(_ value: JSONValue) -> [Date?] {
    switch value {
    case .array(let elements): elements.flatMap(flatten)
    case .string(let text): [Date(iso8601: text)]
    case .integer, .double, .bool, .object: [nil]
    case .null: []
    }
  }

  private static func elements(_ value: JSONValue?) -> [JSONValue] {
    if case .array(let elements)? = value { elements } else { [] }
  }
}
