extension JSONReader {
  package mutating func readText() throws(JSONError) -> JSONText {
    try expect(.string)
    let text = try scanText()
    place = .afterValue
    return text
  }

  package func string(_ text: JSONText) -> String {
    var unescaped: [UInt8] = []
    append(text, to: &unescaped)
    return String(decoding: unescaped, as: UTF8.self)
  }

  /// Whether the text says this name, however it is escaped.
  package func equals(_ text: JSONText, _ name: StaticString) -> Bool {
    string(text) == name.description
  }

  /// Appends what the text says: UTF-8 without escapes.
  package func append(_ text: JSONText, to bytes: inout [UInt8]) {
    append(rawValue: text.range, to: &bytes)
  }

  /// Appends the bytes as they were written, for a range that `skipValue` gave.
  package func append(rawValue range: Range<Int>, to bytes: inout [UInt8]) {
    for index in range { bytes.append(self.bytes[index]) }
  }

  /// From the opening quote past the closing one.
  mutating func scanText() throws(JSONError) -> JSONText {
    offset += 1
    let start = offset
    while offset < bytes.count {
      if bytes[offset] == UInt8(ascii: "\"") {
        offset += 1
        return JSONText(range: start..<offset - 1, isPlain: true)
      }
      offset += 1
    }
    throw JSONError(.unexpectedEnd, at: offset)
  }
}
