import Base

extension RouteRecording {
  /// Reads CSV (RFC 4180) whose first line names the columns: `lat` or `latitude`, `lon`, `lng` or `longitude`, and if
  /// wanted `ele`, `elevation` or `altitude`, and `time` or `timestamp` (ISO 8601, or seconds or milliseconds since
  /// 1970). Other columns are left alone. Comma, semicolon or tab separate, whichever the first line has most of.
  package init(csv bytes: [UInt8]) throws(RouteError) {
    var rows = try CSVReader(bytes)
    guard let header = try rows.nextRow() else {
      throw RouteError(.empty, line: 1, "the file is empty; its first line names the columns")
    }
    let columns = try Columns(header.fields, line: header.line)
    var points: [RoutePoint] = []
    while let row = try rows.nextRow() {
      guard row.fields.count == header.fields.count else {
        throw RouteError(
          .malformed, line: row.line,
          "the line has \(row.fields.count) fields and the first line \(header.fields.count)")
      }
      points.append(try columns.point(row.fields, line: row.line))
    }
    try self.init(points: points, lastLine: header.line)
  }
}

/// Where in a row what stands.
private struct Columns {
  private let latitude: Int
  private let longitude: Int
  private let elevation: Int?
  private let time: Int?

  init(_ header: [ArraySlice<UInt8>], line: Int) throws(RouteError) {
    let names = header.map { String(decoding: RouteText.trimmed($0), as: UTF8.self).lowercased() }
    func column(_ accepted: [String]) -> Int? { names.firstIndex { accepted.contains($0) } }
    guard let latitude = column(["lat", "latitude"]) else {
      throw RouteError(.missingColumn, line: line, "no column is named lat or latitude; name one in the first line")
    }
    guard let longitude = column(["lon", "lng", "longitude"]) else {
      throw RouteError(
        .missingColumn, line: line, "no column is named lon, lng or longitude; name one in the first line")
    }
    (self.latitude, self.longitude) = (latitude, longitude)
    elevation = column(["ele", "elevation", "altitude"])
    time = column(["time", "timestamp"])
  }

  func point(_ fields: [ArraySlice<UInt8>], line: Int) throws(RouteError) -> RoutePoint {
    func number(_ column: Int) throws(RouteError) -> Double {
      guard let number = RouteText.number(fields[column]) else {
        throw RouteError(
          .badNumber, line: line, "\"\(RouteText.shown(fields[column]))\" in column \(column + 1) is no number")
      }
      return number
    }
    func filled(_ column: Int?) -> Int? { column.flatMap { RouteText.trimmed(fields[$0]).isEmpty ? nil : $0 } }
    let place = try RouteText.place(latitude: try number(latitude), longitude: try number(longitude), line: line)
    var elevation: Double?
    if let column = filled(self.elevation) { elevation = try number(column) }
    var time: WallInstant?
    if let column = filled(self.time) { time = try Columns.time(fields[column], line: line) }
    return RoutePoint(place: place, elevation: elevation, time: time, line: line)
  }

  /// Numbers of eleven digits and more are milliseconds: as seconds they would lie beyond the year 5000.
  private static func time(_ text: ArraySlice<UInt8>, line: Int) throws(RouteError) -> WallInstant {
    guard let number = RouteText.number(text) else { return try RouteText.time(text, line: line) }
    let milliseconds = (number.magnitude < 1e11 ? number * 1e3 : number).rounded()
    guard milliseconds.magnitude < 1e15, let time = WallInstant(exactly: Int64(milliseconds)) else {
      throw RouteError(.badTime, line: line, "\"\(RouteText.shown(text))\" is no time since 1970")
    }
    return time
  }
}
