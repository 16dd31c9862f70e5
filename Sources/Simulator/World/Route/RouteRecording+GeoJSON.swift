import Base

extension RouteRecording {
  /// Reads GeoJSON (RFC 7946): the lines of a geometry, a feature or a collection of features, in the order of the file.
  /// Times come from the list `coordTimes` (or `times`) among the properties of a feature, where converters of tracks put
  /// them.
  package init(geoJSON bytes: [UInt8]) throws(RouteError) {
    let root = try JSONNodeReader.read(bytes)
    var points: [RoutePoint] = []
    try RouteRecording.collect(root, times: nil, into: &points)
    try self.init(points: points, lastLine: root.line)
  }

  private static func collect(
    _ node: JSONNode, times: JSONNode?, into points: inout [RoutePoint]
  ) throws(RouteError) {
    switch node["type"]?.string {
    case "FeatureCollection":
      for feature in try list("features", of: node) { try collect(feature, times: nil, into: &points) }
    case "Feature":
      guard let geometry = node["geometry"] else {
        throw RouteError(.malformed, line: node.line, "a feature needs a geometry")
      }
      let properties = node["properties"]
      try collect(geometry, times: properties?["coordTimes"] ?? properties?["times"], into: &points)
    case "GeometryCollection":
      for geometry in try list("geometries", of: node) { try collect(geometry, times: times, into: &points) }
    case "LineString":
      try collectLine(try list("coordinates", of: node), times: times, into: &points)
    case "MultiLineString":
      for (index, line) in try list("coordinates", of: node).enumerated() {
        // Each line has a list of its own among the times.
        let own = times?.elements.flatMap { index < $0.count ? $0[index] : nil }
        guard let places = line.elements else {
          throw RouteError(.malformed, line: line.line, "a line is a list of places")
        }
        try collectLine(places, times: own, into: &points)
      }
    case let type?:
      throw RouteError(
        .unsupported, line: node.line, "a \(type) is no route; use LineString, MultiLineString or features with them")
    case nil:
      throw RouteError(.malformed, line: node.line, "this is no GeoJSON object: the member \"type\" is missing")
    }
  }

  private static func list(_ key: String, of node: JSONNode) throws(RouteError) -> [JSONNode] {
    guard let elements = node[key]?.elements else {
      throw RouteError(.malformed, line: node.line, "the list \"\(key)\" is missing")
    }
    return elements
  }

  private static func collectLine(
    _ places: [JSONNode], times: JSONNode?, into points: inout [RoutePoint]
  ) throws(RouteError) {
    if let times, times.elements?.count != places.count {
      throw RouteError(
        .badTime, line: times.line, "the list of times needs one time for each of the \(places.count) places")
    }
    for (index, node) in places.enumerated() {
      let numbers = (node.elements ?? []).compactMap(\.number)
      guard numbers.count >= 2, numbers.count == node.elements?.count else {
        throw RouteError(.badCoordinate, line: node.line, "a place is a list of longitude and latitude, in this order")
      }
      let place = try RouteText.place(latitude: numbers[1], longitude: numbers[0], line: node.line)
      let time = try times?.elements?[index].time
      points.append(
        RoutePoint(place: place, elevation: numbers.count > 2 ? numbers[2] : nil, time: time, line: node.line))
    }
  }
}

extension JSONNode {
  /// ISO 8601, or milliseconds since 1970.
  fileprivate var time: WallInstant {
    get throws(RouteError) {
      if let number, number.magnitude < 1e15, let time = WallInstant(exactly: Int64(number)) { return time }
      guard let text else { throw RouteError(.badTime, line: line, "a time is a text or milliseconds since 1970") }
      return try RouteText.time(text, line: line)
    }
  }
}
