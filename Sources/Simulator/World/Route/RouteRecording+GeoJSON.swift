import Base

extension RouteRecording {
  /// Reads GeoJSON (RFC 7946): the lines and points of a geometry, a feature or a collection of features, in the order of the file.
  /// Times come from the list `coordTimes` (or `times`) among the properties of a feature, where converters of tracks put
  /// them; that of a point is its `recordedAt`, `timestamp` or `time`.
  package init(geoJSON bytes: [UInt8]) throws(RouteError) {
    let root = try JSONNodeReader.read(bytes)
    var points: [RoutePoint] = []
    try RouteRecording.collect(root, times: nil, into: &points)
    try self.init(points: points, end: root.spot)
  }

  private static func collect(
    _ node: JSONNode, times: JSONNode?, into points: inout [RoutePoint]
  ) throws(RouteError) {
    switch node["type"]?.string {
    case "FeatureCollection":
      for feature in try list("features", of: node) { try collect(feature, times: nil, into: &points) }
    case "Feature":
      guard let geometry = node["geometry"] else {
        throw RouteError(.malformed, at: node.spot, "a feature needs a geometry")
      }
      let properties = node["properties"]
      switch geometry["type"]?.string {
      case "Point":
        let time = properties?["recordedAt"] ?? properties?["timestamp"] ?? properties?["time"]
        points.append(try point(geometry["coordinates"] ?? geometry, time: time?.isNull == false ? time : nil))
      // A feature may be nowhere (RFC 7946 §3.2).
      case nil where geometry.isNull: break
      default: try collect(geometry, times: properties?["coordTimes"] ?? properties?["times"], into: &points)
      }
    case "GeometryCollection":
      for geometry in try list("geometries", of: node) { try collect(geometry, times: times, into: &points) }
    case "LineString":
      try collectLine(try list("coordinates", of: node), times: times, into: &points)
    case "MultiLineString":
      for (index, line) in try list("coordinates", of: node).enumerated() {
        // Each line has a list of its own among the times.
        let own = times?.elements.flatMap { index < $0.count ? $0[index] : nil }
        guard let places = line.elements else {
          throw RouteError(.malformed, at: line.spot, "a line is a list of places")
        }
        try collectLine(places, times: own, into: &points)
      }
    case let type?:
      throw RouteError(
        .unsupported, at: node.spot,
        "a \(type) is no route; use LineString, MultiLineString or features with lines or points")
    case nil:
      throw RouteError(.malformed, at: node.spot, "this is no GeoJSON object: the member \"type\" is missing")
    }
  }

  private static func list(_ key: String, of node: JSONNode) throws(RouteError) -> [JSONNode] {
    guard let elements = node[key]?.elements else {
      throw RouteError(.malformed, at: node.spot, "the list \"\(key)\" is missing")
    }
    return elements
  }

  private static func collectLine(
    _ places: [JSONNode], times: JSONNode?, into points: inout [RoutePoint]
  ) throws(RouteError) {
    if let times, times.elements?.count != places.count {
      throw RouteError(
        .badTime, at: times.spot, "the list of times needs one time for each of the \(places.count) places")
    }
    for (index, node) in places.enumerated() {
      points.append(try point(node, time: times?.elements?[index]))
    }
  }

  private static func point(_ node: JSONNode, time: JSONNode?) throws(RouteError) -> RoutePoint {
    let numbers = (node.elements ?? []).compactMap(\.number)
    guard numbers.count >= 2, numbers.count == node.elements?.count else {
      throw RouteError(.badCoordinate, at: node.spot, "a place is a list of longitude and latitude, in this order")
    }
    let place = try RouteText.place(latitude: numbers[1], longitude: numbers[0], at: node.spot)
    return RoutePoint(
      place: place, elevation: numbers.count > 2 ? numbers[2] : nil, time: try time?.time, at: node.spot)
  }
}

extension JSONNode {
  /// ISO 8601, or milliseconds since 1970.
  fileprivate var time: WallInstant {
    get throws(RouteError) {
      if let number, number.magnitude < 1e15, let time = WallInstant(exactly: Int64(number)) { return time }
      guard let text else { throw RouteError(.badTime, at: spot, "a time is a text or milliseconds since 1970") }
      return try RouteText.time(text, at: spot)
    }
  }
}
