import Base
import JSON

extension JSONWriter {
  /// A time in ISO 8601 with milliseconds; null for one that there is not, or that no calendar has.
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

  mutating func member(_ name: StaticString, _ text: String) {
    key(name)
    value(text)
  }

  mutating func member(_ name: StaticString, _ number: Int) {
    key(name)
    value(number)
  }

  /// ISO 8601 with milliseconds.
  mutating func member(_ name: StaticString, _ instant: WallInstant) {
    key(name)
    value(instant.iso8601Text)
  }
}
