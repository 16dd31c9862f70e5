import Base
import JSON

extension RouteRecording {
  /// Reads a list of places, each a list of latitude, longitude and, optionally, the seconds since the first.
  package init(polyline bytes: [UInt8]) throws(RouteError) {
    let root = try JSONNode.read(bytes)
    guard let places = root.elements else {
      throw RouteError(
        .malformed, at: root.spot, "a polyline is a list of places, as in [[48.1, 11.5], [48.2, 11.5]]")
    }
    var points: [RoutePoint] = []
    for node in places {
      let numbers = (node.elements ?? []).compactMap(\.number)
      guard (2...3).contains(numbers.count), numbers.count == node.elements?.count else {
        throw RouteError(
          .badCoordinate, at: node.spot, "a place is a list of latitude, longitude and, if wanted, seconds")
      }
      var time: WallInstant?
      if numbers.count == 3 {
        guard numbers[2].magnitude < 1e10 else {
          throw RouteError(.badTime, at: node.spot, "the third number of a place is the seconds since the first")
        }
        time = WallInstant(exactly: Int64((numbers[2] * 1e3).rounded()))
      }
      let place = try RouteText.place(latitude: numbers[0], longitude: numbers[1], at: node.spot)
      points.append(RoutePoint(place: place, time: time, at: node.spot))
    }
    try self.init(points: points, end: root.spot)
  }

  /// Reads one JSON object per line: a record as the SDK sends it, a line of the server's export, which has that under
  /// `record`, or an object with `latitude` (`lat`), `longitude` (`lon`, `lng`) and, optionally, `timestamp` (`time`).
  package init(ndjson bytes: [UInt8]) throws(RouteError) {
    var points: [RoutePoint] = []
    var number = 0
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      guard !RouteText.trimmed(line).isEmpty else { continue }
      points.append(try RouteRecording.point(Array(line), line: number))
    }
    try self.init(points: points, end: FileSpot(line: max(number, 1)))
  }

  private static func point(_ text: [UInt8], line: Int) throws(RouteError) -> RoutePoint {
    do throws(RouteError) { return try record(try JSONNode.read(text), at: FileSpot(line: line)) } catch {
      throw RouteError(error.code, at: FileSpot(line: line, column: error.spot.column), error.message)
    }
  }

  private static func record(_ line: JSONNode, at spot: FileSpot) throws(RouteError) -> RoutePoint {
    var node = line["record"] ?? line
    node = node["location"] ?? node
    let coords = node["coords"] ?? node
    guard let latitude = (coords["latitude"] ?? coords["lat"])?.number,
      let longitude = (coords["longitude"] ?? coords["lon"] ?? coords["lng"])?.number
    else {
      throw RouteError(.badCoordinate, at: spot, "the line has no latitude and longitude; it needs both, as numbers")
    }
    let time = try (node["timestamp"] ?? node["time"] ?? line["recordedAt"])?.time
    let place = try RouteText.place(latitude: latitude, longitude: longitude, at: spot)
    return RoutePoint(place: place, elevation: coords["altitude"]?.number, time: time, at: spot)
  }
}

extension RouteRecording {
  private static let typesOfGeoJSON = [
    "FeatureCollection", "Feature", "GeometryCollection", "Point", "MultiPoint", "LineString", "MultiLineString",
    "Polygon", "MultiPolygon",
  ]

  /// Returns whether the first line of a file is a complete object, but not GeoJSON.
  package static func beginsWithRecord(_ bytes: [UInt8]) -> Bool {
    let line = bytes.drop(while: ByteReader.isSpace).prefix { $0 != UInt8(ascii: "\n") }
    do throws(RouteError) {
      let node = try JSONNode.read(Array(line))
      guard case .object = node.value else { return false }
      return !typesOfGeoJSON.contains(node["type"]?.string ?? "")
    } catch { return false }
  }

  /// Reads GeoJSON (RFC 7946): the lines and points of a geometry, a feature or a collection of features, in the order of the
  /// file. Times come from the list `coordTimes` (or `times`) in the properties of a feature, where track converters put them;
  /// the time of a point is its `recordedAt`, `timestamp` or `time`.
  package init(geoJSON bytes: [UInt8]) throws(RouteError) {
    let root = try JSONNode.read(bytes)
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
        throw RouteError(.malformed, at: node.spot, "a feature needs a geometry; write null for one without a place")
      }
      let properties = node["properties"]
      switch geometry["type"]?.string {
      case "Point":
        let time = properties?["recordedAt"] ?? properties?["timestamp"] ?? properties?["time"]
        points.append(try point(geometry["coordinates"] ?? geometry, time: time))
      // The geometry of a feature may be null (RFC 7946 §3.2).
      case nil where geometry.isNull: break
      default: try collect(geometry, times: properties?["coordTimes"] ?? properties?["times"], into: &points)
      }
    case "GeometryCollection":
      for geometry in try list("geometries", of: node) { try collect(geometry, times: times, into: &points) }
    case "Point": points.append(try point(node["coordinates"] ?? node, time: nil))
    case "LineString", "MultiPoint":
      try collectLine(try list("coordinates", of: node), times: times, into: &points)
    case "MultiLineString":
      for (index, line) in try list("coordinates", of: node).enumerated() {
        // Each line has its own list of times.
        let own = times?.elements.flatMap { index < $0.count ? $0[index] : nil }
        guard let places = line.elements else {
          throw RouteError(.malformed, at: line.spot, "a line is a list of places; write [[longitude, latitude], …]")
        }
        try collectLine(places, times: own, into: &points)
      }
    case let type?:
      throw RouteError(
        .unsupported, at: node.spot,
        "a \(type) is not a route; use lines, points, or features with them")
    case nil:
      throw RouteError(
        .malformed, at: node.spot,
        "this is not a GeoJSON object: the member \"type\" is missing; add it, or name the format of the file")
    }
  }

  private static func list(_ key: String, of node: JSONNode) throws(RouteError) -> [JSONNode] {
    guard let elements = node[key]?.elements else {
      throw RouteError(.malformed, at: node.spot, "the list \"\(key)\" is missing; add it to this object")
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

/// A value of a JSON file with the place where it begins.
struct JSONNode {
  indirect enum Value {
    case object([(key: String, node: JSONNode)])
    case array([JSONNode])
    case number(Double)
    case string(String)
    case bool
    case null
  }

  let value: Value
  let spot: FileSpot

  /// Returns the member of an object; nil for other values and missing members.
  subscript(key: String) -> JSONNode? {
    guard case .object(let members) = value else { return nil }
    return members.first { $0.key == key }?.node
  }

  var isNull: Bool {
    if case .null = value { true } else { false }
  }

  var elements: [JSONNode]? {
    guard case .array(let elements) = value else { return nil }
    return elements
  }

  var number: Double? {
    guard case .number(let number) = value else { return nil }
    return number
  }

  var string: String? {
    guard case .string(let text) = value else { return nil }
    return text
  }

  /// The time in ISO 8601, or in seconds or milliseconds since 1970; nil for null.
  var time: WallInstant? {
    get throws(RouteError) {
      switch value {
      case .null: return nil
      case .number(let number): return try RouteText.time(number, at: spot)
      case .string(let text): return try RouteText.time(Array(text.utf8)[...], at: spot)
      case .bool, .array, .object:
        throw RouteError(.badTime, at: spot, "a time is a text, or seconds or milliseconds since 1970")
      }
    }
  }
}

/// Reading, with the lines that the reader of `JSON` does not count.
extension JSONNode {
  /// Reads a file with one value (RFC 8259).
  static func read(_ file: [UInt8]) throws(RouteError) -> JSONNode {
    // Without a byte order mark.
    let bytes = Array(file[try ByteReader(file).position...])
    var lines = try ByteReader(bytes)
    var reader = JSONReader(bytes.span, limits: JSONLimits(maxDepth: JSONLimits.greatestDepth))
    do throws(JSONError) {
      let node = try JSONNode(from: &reader, &lines)
      try reader.finish()
      return node
    } catch {
      lines.pass(to: error.offset)
      throw RouteError(error, at: lines.spot)
    }
  }

  private init(from reader: inout JSONReader, _ lines: inout ByteReader) throws(JSONError) {
    let kind = try reader.peek()
    lines.pass(to: reader.offset)
    spot = lines.spot
    switch kind {
    case .null:
      try reader.readNull()
      value = .null
    case .true, .false:
      _ = try reader.readBool()
      value = .bool
    case .number: value = .number(reader.double(try reader.readNumber()))
    case .string: value = .string(reader.string(try reader.readText()))
    case .array:
      var elements: [JSONNode] = []
      try reader.enterArray()
      while try reader.nextElement() { elements.append(try JSONNode(from: &reader, &lines)) }
      value = .array(elements)
    case .object:
      var members: [(key: String, node: JSONNode)] = []
      try reader.enterObject()
      while let key = try reader.nextKey() {
        members.append((reader.string(key), try JSONNode(from: &reader, &lines)))
      }
      value = .object(members)
    }
  }
}

extension RouteError {
  fileprivate init(_ error: JSONError, at spot: FileSpot) {
    switch error.code {
    case .unexpectedEnd:
      self.init(
        .endsTooEarly, at: spot, "the file ends too early; it was not copied or downloaded to its end")
    case .tooDeep:
      self.init(
        .tooDeep, at: spot, "values are nested more than \(JSONLimits.greatestDepth) deep; no route needs that many")
    case .expectedValue:
      self.init(
        .malformed, at: spot,
        "a value is expected here; write a number, a text in quotes, a list or an object")
    case .controlCharacterInText:
      self.init(.malformed, at: spot, "a text must end in its line; close its quotes")
    case .unexpectedByteAfterText:
      self.init(
        .malformed, at: spot, "nothing may follow the value of the file; remove it, or name the format ndjson")
    default: self.init(.malformed, at: spot, "\(error.explanation); correct it")
    }
  }
}
