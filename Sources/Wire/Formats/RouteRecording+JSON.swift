import Base

extension RouteRecording {
  /// Reads a list of places, each a list of latitude, longitude and, optionally, the seconds since the first.
  package init(polyline bytes: [UInt8]) throws(RouteError) {
    let root = try JSONNodeReader.read(bytes)
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
    var node: JSONNode
    do throws(RouteError) { node = try JSONNodeReader.read(text) } catch {
      throw RouteError(error.code, at: FileSpot(line: line, column: error.spot.column), error.message)
    }
    let spot = FileSpot(line: line)
    let recordedAt = node["recordedAt"]
    node = node["record"] ?? node
    node = node["location"] ?? node
    let coords = node["coords"] ?? node
    guard let latitude = (coords["latitude"] ?? coords["lat"])?.number,
      let longitude = (coords["longitude"] ?? coords["lon"] ?? coords["lng"])?.number
    else {
      throw RouteError(.badCoordinate, at: spot, "the line has no latitude and longitude; it needs both, as numbers")
    }
    var time: WallInstant?
    if let text = (node["timestamp"] ?? node["time"] ?? recordedAt)?.text { time = try RouteText.time(text, at: spot) }
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
      let node = try JSONNodeReader.read(Array(line))
      guard case .object = node.value else { return false }
      return !typesOfGeoJSON.contains(node["type"]?.string ?? "")
    } catch { return false }
  }

  /// Reads GeoJSON (RFC 7946): the lines and points of a geometry, a feature or a collection of features, in the order of the
  /// file. Times come from the list `coordTimes` (or `times`) in the properties of a feature, where track converters put them;
  /// the time of a point is its `recordedAt`, `timestamp` or `time`.
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
        throw RouteError(.malformed, at: node.spot, "a feature needs a geometry; write null for one that is nowhere")
      }
      let properties = node["properties"]
      switch geometry["type"]?.string {
      case "Point":
        let time = properties?["recordedAt"] ?? properties?["timestamp"] ?? properties?["time"]
        points.append(try point(geometry["coordinates"] ?? geometry, time: time?.isNull == false ? time : nil))
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

extension JSONNode {
  /// The time in ISO 8601, or milliseconds since 1970.
  fileprivate var time: WallInstant {
    get throws(RouteError) {
      if let number, number.magnitude < 1e15, let time = WallInstant(exactly: Int64(number)) { return time }
      guard let text else { throw RouteError(.badTime, at: spot, "a time is a text or milliseconds since 1970") }
      return try RouteText.time(text, at: spot)
    }
  }
}

/// A value of a JSON file with the place where it begins.
struct JSONNode {
  indirect enum Value {
    case object([(key: String, node: JSONNode)])
    case array([JSONNode])
    case number(Double)
    case string(ArraySlice<UInt8>)
    case literal
  }

  let value: Value
  let spot: FileSpot

  /// Returns the member of an object; nil for other values and missing members.
  subscript(key: String) -> JSONNode? {
    guard case .object(let members) = value else { return nil }
    return members.first { $0.key == key }?.node
  }

  /// Also true for other literals than null, which are not used.
  var isNull: Bool {
    if case .literal = value { true } else { false }
  }

  var elements: [JSONNode]? {
    guard case .array(let elements) = value else { return nil }
    return elements
  }

  var number: Double? {
    guard case .number(let number) = value else { return nil }
    return number
  }

  /// The raw text: escapes are not resolved, because no name and no time of GeoJSON needs one.
  var text: ArraySlice<UInt8>? {
    guard case .string(let text) = value else { return nil }
    return text
  }

  var string: String? { text.map { String(decoding: $0, as: UTF8.self) } }
}

/// Reads a JSON file (RFC 8259) into nodes with their lines. The JSON reader of `JSON` has no lines and must not be used here:
/// the world depends on nothing that concerns records.
struct JSONNodeReader {
  private var reader: ByteReader

  private static let deepest = 64

  static func read(_ bytes: [UInt8]) throws(RouteError) -> JSONNode {
    var nodes = JSONNodeReader(reader: try ByteReader(bytes))
    let node = try nodes.node(depth: 0)
    nodes.reader.skipSpace()
    guard nodes.reader.isAtEnd else {
      throw nodes.malformed("nothing may follow the value of the file; remove it, or name the format ndjson")
    }
    return node
  }

  private func malformed(_ message: String) -> RouteError {
    guard reader.isAtEnd else { return RouteError(.malformed, at: reader.spot, message) }
    return RouteError(
      .endsTooEarly, at: reader.spot, "the file ends too early; it was not copied or downloaded to its end")
  }

  private mutating func node(depth: Int) throws(RouteError) -> JSONNode {
    reader.skipSpace()
    let spot = reader.spot
    guard depth < JSONNodeReader.deepest else {
      throw RouteError(
        .tooDeep, at: spot, "values are nested more than \(JSONNodeReader.deepest) deep; no route needs that many")
    }
    switch reader.peek {
    case UInt8(ascii: "{"): return JSONNode(value: .object(try members(depth: depth)), spot: spot)
    case UInt8(ascii: "["): return JSONNode(value: .array(try elements(depth: depth)), spot: spot)
    case UInt8(ascii: "\""): return JSONNode(value: .string(try string()), spot: spot)
    case UInt8(ascii: "t"): return try literal("true", at: spot)
    case UInt8(ascii: "f"): return try literal("false", at: spot)
    case UInt8(ascii: "n"): return try literal("null", at: spot)
    default: return JSONNode(value: .number(try number()), spot: spot)
    }
  }

  private mutating func members(depth: Int) throws(RouteError) -> [(key: String, node: JSONNode)] {
    reader.skip(1)
    var members: [(key: String, node: JSONNode)] = []
    reader.skipSpace()
    if take("}") { return members }
    while true {
      reader.skipSpace()
      guard reader.peek == UInt8(ascii: "\"") else { throw malformed("a member begins with its name in quotes") }
      let key = String(decoding: try string(), as: UTF8.self)
      reader.skipSpace()
      guard take(":") else { throw malformed("a colon is missing after \"\(key)\"") }
      members.append((key, try node(depth: depth + 1)))
      reader.skipSpace()
      if take("}") { return members }
      guard take(",") else { throw malformed("a comma or } is missing after the value of \"\(key)\"") }
    }
  }

  private mutating func elements(depth: Int) throws(RouteError) -> [JSONNode] {
    reader.skip(1)
    var elements: [JSONNode] = []
    reader.skipSpace()
    if take("]") { return elements }
    while true {
      elements.append(try node(depth: depth + 1))
      reader.skipSpace()
      if take("]") { return elements }
      guard take(",") else { throw malformed("a comma or ] is missing after an element") }
    }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard reader.peek == UInt8(ascii: character) else { return false }
    reader.skip(1)
    return true
  }

  private mutating func string() throws(RouteError) -> ArraySlice<UInt8> {
    reader.skip(1)
    let start = reader.position
    while let byte = reader.next() {
      if byte == UInt8(ascii: "\"") { return reader.bytes[start..<reader.position - 1] }
      if byte < 0x20 { throw malformed("a text must end in its line; close its quotes") }
      if byte == UInt8(ascii: "\\") { reader.skip(1) }
    }
    throw malformed("a text has no end")
  }

  private mutating func literal(_ word: StaticString, at spot: FileSpot) throws(RouteError) -> JSONNode {
    guard reader.startsWith(word) else {
      // A word truncated at the end of the file is not a wrong word.
      if reader.bytes.count - reader.position < word.utf8CodeUnitCount { reader.skip(word.utf8CodeUnitCount) }
      throw malformed("a value is expected here; write a number, a text in quotes, a list or an object")
    }
    reader.skip(word.utf8CodeUnitCount)
    return JSONNode(value: .literal, spot: spot)
  }

  private mutating func number() throws(RouteError) -> Double {
    let start = reader.position
    while let byte = reader.peek, JSONNodeReader.isOfNumber(byte) { _ = reader.next() }
    let text = reader.bytes[start..<reader.position]
    guard let first = text.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "."),
      let number = RouteText.number(text)
    else { throw malformed("a value is expected here; write a number, a text in quotes, a list or an object") }
    return number
  }

  private static func isOfNumber(_ byte: UInt8) -> Bool {
    !ByteReader.isSpace(byte) && byte != UInt8(ascii: ",") && byte != UInt8(ascii: "]") && byte != UInt8(ascii: "}")
  }
}
