import JSON

extension [UInt8] {
  mutating func append(jsonNumber number: Double) {
    var writer = JSONWriter(capacity: 32)
    writer.value(number)
    append(contentsOf: writer.bytes)
  }
  mutating func append(jsonNumber number: Int64) {
    var writer = JSONWriter(capacity: 32)
    writer.value(number)
    append(contentsOf: writer.bytes)
  }
  mutating func append(jsonEscaped text: String) {
    var writer = JSONWriter(capacity: 32)
    writer.value(text)
    append(contentsOf: writer.bytes.dropFirst().dropLast())
  }
}
