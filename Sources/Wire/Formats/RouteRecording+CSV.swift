import Base

extension RouteRecording {
  /// Reads CSV (RFC 4180) whose first line names the columns: `lat` or `latitude`, `lon`, `lng` or `longitude`, and optionally
  /// `ele`, `elevation` or `altitude`, and `time`, `timestamp` or `recordedAt` (ISO 8601, or seconds or milliseconds since
  /// 1970). Other columns are ignored. The separator is the one of comma, semicolon and tab that is most frequent in the first
  /// line.
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
          "the line has \(row.fields.count) fields and the first line \(header.fields.count); write as many, and a field that holds a separator in quotes"
        )
      }
      points.append(try columns.point(row))
    }
    try self.init(points: points, end: header.spot)
  }
}

/// The columns of a row's values.
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
          "\"\(RouteText.shown(fields[column]))\" is not a number; write degrees or metres with a point")
      }
      return number
    }
    func filled(_ column: Int?) -> Int? { column.flatMap { RouteText.trimmed(fields[$0]).isEmpty ? nil : $0 } }
    let place = try RouteText.place(
      latitude: try number(latitude), longitude: try number(longitude), at: row.spot(of: latitude))
    var elevation: Double?
    if let column = filled(self.elevation) { elevation = try number(column) }
    var time: WallInstant?
    if let column = filled(self.time) {
      let (text, spot) = (fields[column], row.spot(of: column))
      if let number = RouteText.number(text) {
        time = try RouteText.time(number, at: spot)
      } else {
        time = try RouteText.time(text, at: spot)
      }
    }
    return RoutePoint(place: place, elevation: elevation, time: time, at: row.spot)
  }
}

/// Rows of a file with separated values. A quoted field may contain the separator; a line break in it is refused, because no
/// field of a route has one and a missing quote would swallow the rest of the file.
struct CSVReader {
  struct Row {
    var fields: [ArraySlice<UInt8>]
    /// The offset of the row in the file.
    let start: Int
    let line: Int

    var spot: FileSpot { FileSpot(line: line) }

    func spot(of column: Int) -> FileSpot { FileSpot(line: line, column: fields[column].startIndex - start + 1) }
  }

  private var reader: ByteReader
  private let separator: UInt8

  init(_ bytes: [UInt8]) throws(RouteError) {
    reader = try ByteReader(bytes)
    let firstLine = bytes.prefix { $0 != UInt8(ascii: "\n") }
    var best = (separator: UInt8(ascii: ","), count: 0)
    for separator in [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")] {
      let count = firstLine.reduce(0) { $1 == separator ? $0 + 1 : $0 }
      if count > best.count { best = (separator, count) }
    }
    separator = best.separator
  }

  /// Returns the next row that is not empty.
  mutating func nextRow() throws(RouteError) -> Row? {
    while let byte = reader.peek {
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
        reader.skip(1)
        continue
      }
      return try row()
    }
    return nil
  }

  private mutating func row() throws(RouteError) -> Row {
    var row = Row(fields: [], start: reader.position, line: reader.spot.line)
    while true {
      row.fields.append(reader.peek == UInt8(ascii: "\"") ? try quotedField() : plainField())
      guard reader.peek == separator else { break }
      reader.skip(1)
    }
    guard reader.isAtEnd || reader.peek == UInt8(ascii: "\n") || reader.peek == UInt8(ascii: "\r") else {
      throw RouteError(
        .malformed, at: row.spot, "a separator is missing after a quote; double a quote inside quotes")
    }
    return row
  }

  private mutating func plainField() -> ArraySlice<UInt8> {
    let start = reader.position
    while let byte = reader.peek, byte != separator, byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") {
      _ = reader.next()
    }
    return reader.bytes[start..<reader.position]
  }

  /// Leaves a doubled quote unchanged: fields with one are neither numbers nor times.
  private mutating func quotedField() throws(RouteError) -> ArraySlice<UInt8> {
    let spot = reader.spot
    reader.skip(1)
    let start = reader.position
    while let byte = reader.next() {
      if byte == UInt8(ascii: "\n") {
        throw RouteError(.malformed, at: spot, "a quote is not closed in its line; close it")
      }
      if byte == UInt8(ascii: "\"") {
        if reader.peek == UInt8(ascii: "\"") {
          reader.skip(1)
        } else {
          return reader.bytes[start..<reader.position - 1]
        }
      }
    }
    throw RouteError(.endsTooEarly, at: spot, "the file ends within quotes; close the one that begins here")
  }
}
