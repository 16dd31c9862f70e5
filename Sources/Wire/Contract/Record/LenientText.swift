import Base
import JSON

/// Reading of values that a template put into quotes, or that a backend's client writes in its own way.
enum LenientText {
  /// A number in the grammar of JSON, with or without white space around.
  static func double(_ text: Span<UInt8>) -> Double? {
    var reader = JSONReader(text)
    do {
      let number = try reader.readNumber()
      return reader.isAtEnd() ? reader.double(number) : nil
    } catch { return nil }
  }

  /// `true`, `false`, `1` or `0`, in any case.
  static func bool(_ text: Span<UInt8>) -> Bool? {
    if equals(text, "true") || equals(text, "1") { return true }
    if equals(text, "false") || equals(text, "0") { return false }
    return nil
  }

  /// A time in ISO-8601, or a number of time units since 1970.
  static func instant(_ text: Span<UInt8>) -> WallInstant? {
    WallInstant(iso8601: text) ?? double(text).flatMap(instant)
  }

  /// A number of seconds, milliseconds or microseconds since 1970, told apart by its size: below 10^11 it is seconds
  /// (to the year 5138), below 10^14 milliseconds (from March 1973), below 10^17 microseconds (from March 1973). Nil for
  /// anything larger.
  static func instant(_ number: Double) -> WallInstant? {
    let milliseconds: Double
    switch number.magnitude {
    case ..<1e11: milliseconds = (number * 1_000).rounded()
    case ..<1e14: milliseconds = number.rounded(.down)
    case ..<1e17: milliseconds = (number / 1_000).rounded(.down)
    default: return nil
    }
    return WallInstant(exactly: Int64(milliseconds))
  }

  private static func equals(_ text: Span<UInt8>, _ word: StaticString) -> Bool {
    guard text.count == word.utf8CodeUnitCount else { return false }
    var index = 0
    for byte in word.description.utf8 {
      if text[index] | 0x20 != byte { return false }
      index += 1
    }
    return true
  }
}
