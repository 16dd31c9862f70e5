import Base

extension RouteRecording {
  /// A list of places, each a list of latitude, longitude and, if wanted, the seconds since the first.
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

  /// A JSON object on each line: a record as the SDK sends it, a line of the server's export, which has that under `record`,
  /// or one with `latitude` (`lat`), `longitude` (`lon`, `lng`) and, if wanted, `timestamp` (`time`).
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
