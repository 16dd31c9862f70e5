import Base
import JSON

extension JSONWriter {
  /// Writes a time in ISO 8601 with milliseconds; null for nil or for a time that no calendar can express.
  mutating func value(instant milliseconds: Int64?) {
    guard let milliseconds, let instant = WallInstant(exactly: milliseconds) else { return null() }
    value(instant.iso8601Text)
  }

  mutating func value(_ uuid: UUID128) {
    var text: [UInt8] = []
    uuid.append(lowerCaseTextTo: &text)
    value(String(decoding: text, as: UTF8.self))
  }

  mutating func value(_ number: Double?) {
    if let number { value(number) } else { null() }
  }

  mutating func value(_ flag: Bool?) {
    if let flag { value(flag) } else { null() }
  }

  mutating func value(_ text: String?) {
    if let text { value(text) } else { null() }
  }

  mutating func value(_ number: Int?) {
    if let number { value(number) } else { null() }
  }
}

/// Writes a key and its value; null for nil.
extension JSONWriter {
  mutating func member(_ name: StaticString, _ text: String?) {
    key(name)
    value(text)
  }

  mutating func member(_ name: StaticString, _ number: Int?) {
    key(name)
    value(number)
  }

  mutating func member(_ name: StaticString, _ number: Int64) {
    key(name)
    value(number)
  }

  mutating func member(_ name: StaticString, _ number: UInt64) {
    key(name)
    value(number)
  }

  mutating func member(_ name: StaticString, _ number: Double?) {
    key(name)
    value(number)
  }

  mutating func member(_ name: StaticString, _ flag: Bool?) {
    key(name)
    value(flag)
  }

  mutating func member(_ name: StaticString, _ uuid: UUID128) {
    key(name)
    value(uuid)
  }

  mutating func member(_ name: StaticString, _ instant: WallInstant) {
    key(name)
    value(instant.iso8601Text)
  }

  mutating func member(_ name: StaticString, instant milliseconds: Int64?) {
    key(name)
    value(instant: milliseconds)
  }

  mutating func list<Element>(
    _ name: StaticString, _ elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void
  ) {
    key(name)
    beginArray()
    for element in elements { write(&self, element) }
    endArray()
  }

  /// Writes a list of objects.
  mutating func objects<Element>(
    _ name: StaticString, _ elements: some Sequence<Element>, _ write: (inout JSONWriter, Element) -> Void
  ) {
    list(name, elements) { writer, element in
      writer.beginObject()
      write(&writer, element)
      writer.endObject()
    }
  }
}
