import Base

extension RouteRecording {
  /// Reads CSV (RFC 4180) whose first line names the columns: `lat` or `latitude`, `lon`, `lng` or `longitude`, and if
  /// wanted `ele`, `elevation` or `altitude`, and `time`, `timestamp` or `recordedAt` (ISO 8601, or seconds or milliseconds since
  /// 1970). Other columns are left alone. Comma, semicolon or tab separate, whichever the first line has most of.
  package init(csv bytes: [UInt8]) throws(RouteError) {
    var rows = try CSVReader(bytes)
    guard let header = try rows.nextRow() else {
      throw RouteError(.empty, at: .beginning, "the file is empty; its first line names the columns")
    }
    let columns = try Columns(header.fields, at: header.spot)
    var points: [RoutePoint] = []
    while let row = try rows.nextRow() {
      guard row.fields.count == header.fields.count else {
        throw RouteError(
          .malformed, at: row.spot,
          "the line has \(row.fields.count) fields and the first line \(header.fields.count)")
      }
      points.append(try columns.point(row))
    }
    try self.init(points: points, end: header.spot)
  }
}

/// Where in a row what stands.
private struct Columns {
  private let latitude: Int
  private let longitude: Int
  private let elevation: Int?
  private let time: Int?

  init(_ header: [ArraySlice<UInt8>], at spot: FileSpot) throws(RouteError) {
    let names = header.map { String(decoding: RouteText.trimmed($0), as: UTF8.self).lowercased() }
    func column(_ accepted: [String]) -> Int? { names.firstIndex { accepted.contains($0) } }
    guard let latitude = column(["lat", "latitude"]) else {
      throw RouteError(.missingColumn, at: spot, "no column is named lat or latitude; name one in the first line")
    }
    guard let longitude = column(["lon", "lng", "longitude"]) else {
      throw RouteError(
        .missingColumn, at: spot, "no column is named lon, lng or longitude; name one in the first line")
    }
    (self.latitude, self.longitude) = (latitude, longitude)
    elevation = column(["ele", "elevation", "altitude"])
    time = column(["time", "timestamp", "recordedat"])
  }

  func point(_ row: CSVReader.Row) throws(RouteError) -> RoutePoint {
    let fields = row.fields
    func number(_ column: Int) throws(RouteError) -> Double {
      guard let number = RouteText.number(fields[column]) else {
        throw RouteError(
          .badNumber, at: row.spot(of: column),
          "\"\(RouteText.shown(fields[column]))\" is no number; write degrees or metres with a point")
      }
      return number
    }
    func filled(_ column: Int?) -> Int? { column.flatMap { RouteText.trimmed(fields[$0]).isEmpty ? nil : $0 } }
    let place = try RouteText.place(
      latitude: try number(latitude), longitude: try number(longitude), at: row.spot(of: latitude))
    var elevation: Double?
    if let column = filled(self.elevation) { elevation = try number(column) }
    var time: WallInstant?
    if let column = filled(self.time) { time = try Columns.time(fields[column], at: row.spot(of: column)) }
    return RoutePoint(place: place, elevation: elevation, time: time, at: row.spot)
  }

  /// Numbers of eleven digits and more are milliseconds: as seconds they would lie beyond the year 5000.
  private static func time(_ text: ArraySlice<UInt8>, at spot: FileSpot) throws(RouteError) -> WallInstant {
    guard let number = RouteText.number(text) else { return try RouteText.time(text, at: spot) }
    let milliseconds = (number.magnitude < 1e11 ? number * 1e3 : number).rounded()
    guard milliseconds.magnitude < 1e15, let time = WallInstant(exactly: Int64(milliseconds)) else {
      throw RouteError(
        .badTime, at: spot, "\"\(RouteText.shown(text))\" is no time; write seconds or milliseconds since 1970")
    }
    return time
  }
}
