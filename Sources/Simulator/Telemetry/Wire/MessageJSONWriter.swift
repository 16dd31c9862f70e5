import Base
import JSON

/// OTLP's JSON encoding: that of protocol buffers, with ids as hexadecimal digits and enums as numbers
/// (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). 64-bit integers are strings.
struct MessageJSONWriter: MessageWriter {
  private var writer = JSONWriter()

  init() { writer.beginObject() }

  mutating func finish() -> [UInt8] {
    writer.endObject()
    defer {
      writer.removeAll()
      writer.beginObject()
    }
    return writer.bytes
  }

  mutating func message(_ field: MessageField, _ body: (inout MessageJSONWriter) -> Void) {
    writer.key(field.name)
    object { body(&$0) }
  }

  mutating func messages<Item>(
    _ field: MessageField, _ items: [Item], _ body: (Item, inout MessageJSONWriter) -> Void
  ) {
    guard !items.isEmpty else { return }
    writer.key(field.name)
    writer.beginArray()
    for item in items { object { body(item, &$0) } }
    writer.endArray()
  }

  private mutating func object(_ body: (inout MessageJSONWriter) -> Void) {
    writer.beginObject()
    body(&self)
    writer.endObject()
  }

  mutating func text(_ field: MessageField, _ value: String, isOptional: Bool) {
    guard !value.isEmpty || isOptional else { return }
    writer.key(field.name)
    writer.value(value)
  }

  mutating func fixed(_ field: MessageField, _ value: UInt64) { if value != 0 { text(field, "\(value)") } }

  mutating func signedFixed(_ field: MessageField, _ value: Int64, isOptional: Bool) {
    integer(field, value, isOptional: isOptional)
  }

  mutating func double(_ field: MessageField, _ value: Double, isOptional: Bool) {
    guard value.bitPattern != 0 || isOptional else { return }
    guard value.isFinite else { return text(field, value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity") }
    writer.key(field.name)
    writer.value(value)
  }

  mutating func zigzag(_ field: MessageField, _ value: Int32) {
    guard value != 0 else { return }
    writer.key(field.name)
    writer.value(Int64(value))
  }

  mutating func integer(_ field: MessageField, _ value: Int64, isOptional: Bool) {
    if value != 0 || isOptional { text(field, "\(value)") }
  }

  mutating func small(_ field: MessageField, _ value: UInt32) {
    guard value != 0 else { return }
    writer.key(field.name)
    writer.value(Int64(value))
  }

  mutating func flag(_ field: MessageField, _ value: Bool) {
    guard value else { return }
    writer.key(field.name)
    writer.value(true)
  }

  mutating func counts(_ field: MessageField, _ values: [UInt64]) {
    guard !values.isEmpty else { return }
    writer.key(field.name)
    writer.beginArray()
    for value in values { writer.value("\(value)") }
    writer.endArray()
  }

  mutating func identity(_ field: MessageField, _ words: [UInt64]) {
    text(field, words.map { $0.zeroPadded(to: 16, radix: 16) }.joined())
  }
}
