/// Rows of a file with separated values. A field in quotes may hold the separator; a line break in it is refused, because
/// no field of a route has one and a forgotten quote would swallow the rest of the file.
struct CSVReader {
  struct Row {
    var fields: [ArraySlice<UInt8>]
    /// Where it begins in the file.
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

  /// The next row that is not empty.
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
      throw RouteError(.malformed, at: row.spot, "a separator is missing behind a quote")
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

  /// A doubled quote is left as it is: fields with one are no numbers and no times.
  private mutating func quotedField() throws(RouteError) -> ArraySlice<UInt8> {
    let spot = reader.spot
    reader.skip(1)
    let start = reader.position
    while let byte = reader.next() {
      if byte == UInt8(ascii: "\n") {
        throw RouteError(.malformed, at: spot, "a quote is not closed in its line")
      }
      if byte == UInt8(ascii: "\"") {
        if reader.peek == UInt8(ascii: "\"") {
          reader.skip(1)
        } else {
          return reader.bytes[start..<reader.position - 1]
        }
      }
    }
    throw RouteError(.endsTooEarly, at: spot, "the file ends within quotes")
  }
}
