package import Base

/// A route read from a file: places in order, with times if the file has them.
package struct RouteRecording: Equatable, Sendable {
  /// At least one.
  package let points: [RoutePoint]

  package init(points: [RoutePoint], end: FileSpot) throws(RouteError) {
    guard !points.isEmpty else {
      throw RouteError(.empty, at: end, "the file has no points; a route needs at least one")
    }
    self.points = points
  }

  /// Creates a route from at least one place.
  package init(places: [Coordinate]) {
    precondition(!places.isEmpty, "a route has at least one place")
    points = places.enumerated().map { RoutePoint(place: $1, at: FileSpot(line: $0 + 1)) }
  }

  package var hasTimes: Bool { points.allSatisfy { $0.time != nil } }
}

/// A point of a recorded route.
package struct RoutePoint: Equatable, Sendable {
  package let place: Coordinate
  /// Metres; nil when the file has none.
  package let elevation: Double?
  /// The time; nil when the file has none.
  package let time: WallInstant?
  /// Its position in the file.
  package let spot: FileSpot

  package init(place: Coordinate, elevation: Double? = nil, time: WallInstant? = nil, at spot: FileSpot) {
    self.place = place
    self.elevation = elevation
    self.time = time
    self.spot = spot
  }
}

/// Why a file is not a route, with the position and the remedy.
package struct RouteError: Error, Equatable, Sendable {
  /// The kind of mistake.
  package enum Code: Equatable, Sendable {
    case empty, endsTooEarly, malformed, badCoordinate, badNumber, badTime, missingColumn, missingTime, timeStepsBack
    case unsupported, tooDeep
  }

  package let code: Code
  package let spot: FileSpot
  /// A sentence with the mistake and its remedy.
  package let message: String

  package init(_ code: Code, at spot: FileSpot, _ message: String) {
    self.code = code
    self.spot = spot
    self.message = message
  }
}

/// A position in a text file, counted as in an editor.
package struct FileSpot: Equatable, Sendable, CustomStringConvertible {
  /// From 1.
  package let line: Int
  /// In bytes, from 1.
  package let column: Int

  package init(line: Int, column: Int = 1) {
    self.line = line
    self.column = column
  }

  static let beginning = FileSpot(line: 1)

  package var description: String { "\(line):\(column)" }
}

/// Parses the texts of route files; the same in every format.
enum RouteText {
  /// Reads a decimal number, with optional spaces around it. Nil for anything else, including infinities.
  static func number(_ text: ArraySlice<UInt8>) -> Double? {
    let digits = trimmed(text)
    guard !digits.isEmpty, digits.count <= 64, digits.allSatisfy(isOfNumber) else { return nil }
    guard let number = Double(String(decoding: digits, as: UTF8.self)), number.isFinite else { return nil }
    return number
  }

  private static func isOfNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  static func place(latitude: Double, longitude: Double, at spot: FileSpot) throws(RouteError) -> Coordinate {
    guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
      throw RouteError(
        .badCoordinate, at: spot,
        "latitude \(latitude), longitude \(longitude) is not a place; latitude is −90 to 90, longitude −180 to 180")
    }
    return place
  }

  /// Reads ISO 8601 with an offset from UTC.
  static func time(_ text: ArraySlice<UInt8>, at spot: FileSpot) throws(RouteError) -> WallInstant {
    let text = trimmed(text)
    guard let time = WallInstant(iso8601: text.span) else {
      throw RouteError(
        .badTime, at: spot,
        "\"\(shown(text))\" is not a time; write it as 2026-03-02T06:30:00Z or with an offset from UTC")
    }
    return time
  }

  /// Reads seconds or milliseconds since 1970. Numbers of twelve digits and more are milliseconds: as seconds they would be beyond
  /// the year 5000.
  static func time(_ number: Double, at spot: FileSpot) throws(RouteError) -> WallInstant {
    let milliseconds = (number.magnitude < 1e11 ? number * 1e3 : number).rounded()
    guard let time = Int64(exactly: milliseconds).flatMap({ WallInstant(exactly: $0) }) else {
      throw RouteError(.badTime, at: spot, "\(number) is not a time; write seconds or milliseconds since 1970")
    }
    return time
  }

  static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let front = text.drop(while: ByteReader.isSpace)
    guard let last = front.lastIndex(where: { !ByteReader.isSpace($0) }) else { return front.prefix(0) }
    return front[...last]
  }

  /// The beginning of a text, for messages.
  static func shown(_ text: ArraySlice<UInt8>) -> String { String(decoding: text.prefix(40), as: UTF8.self) }
}

/// Serialization. The output is read back as the same places, elevations and times.
extension RouteRecording {
  /// GPX 1.1 with one track.
  package var gpx: String {
    var text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx version="1.1" creator="rollingroad" xmlns="http://www.topografix.com/GPX/1/1">
      <trk><trkseg>

      """
    for point in points {
      let (latitude, longitude) = (RouteNumber.text(point.place.latitude), RouteNumber.text(point.place.longitude))
      text += "<trkpt lat=\"\(latitude)\" lon=\"\(longitude)\">"
      if let elevation = point.elevation { text += "<ele>\(RouteNumber.text(elevation))</ele>" }
      if let time = point.time { text += "<time>\(time.iso8601Text)</time>" }
      text += "</trkpt>\n"
    }
    return text + "</trkseg></trk>\n</gpx>\n"
  }

  /// A feature with one line (RFC 7946) and, if every point has a time, `coordTimes`.
  package var geoJSON: String {
    let places = points.map { point in
      let numbers = [point.place.longitude, point.place.latitude] + (point.elevation.map { [$0] } ?? [])
      return "[" + numbers.map(RouteNumber.text).joined(separator: ",") + "]"
    }
    let times = points.compactMap(\.time).map { "\"\($0.iso8601Text)\"" }.joined(separator: ",\n")
    let properties = hasTimes ? "{\"coordTimes\":[\n\(times)\n]}" : "{}"
    return """
      {"type":"Feature","properties":\(properties),
      "geometry":{"type":"LineString","coordinates":[
      \(places.joined(separator: ",\n"))
      ]}}

      """
  }

  /// RFC 4180, with the columns for which the recording has values.
  package var csv: String {
    let hasElevation = points.contains { $0.elevation != nil }
    let hasTime = points.contains { $0.time != nil }
    var text = "latitude,longitude" + (hasElevation ? ",elevation" : "") + (hasTime ? ",time" : "") + "\r\n"
    for point in points {
      text += "\(RouteNumber.text(point.place.latitude)),\(RouteNumber.text(point.place.longitude))"
      if hasElevation { text += "," + (point.elevation.map(RouteNumber.text) ?? "") }
      if hasTime { text += "," + (point.time.map(\.iso8601Text) ?? "") }
      text += "\r\n"
    }
    return text
  }
}

/// Numbers for route files.
package enum RouteNumber {
  /// Formats without an exponent, which XML's decimals do not allow; numbers that would need one keep seven digits, a
  /// centimetre.
  package static func text(_ number: Double) -> String {
    let text = number.description
    guard text.utf8.contains(UInt8(ascii: "e")) else { return text }
    let units = (number.magnitude * 1e7).rounded()
    guard units < 9e15 else { return "0" }
    let whole = Int64(units)
    let sign = number < 0 && whole > 0 ? "-" : ""
    return "\(sign)\(whole / 10_000_000).\((whole % 10_000_000).zeroPadded(to: 7))"
  }
}
