import Base

/// The units that people type, beside those of time (`Nanoseconds.init(text:)`).
enum Quantities {
  /// `512`, `64KiB`, `8MiB`, `2GiB`, and the decimal `kB`, `MB`, `GB`.
  static func byteCount(_ text: String) -> Int? {
    let units: KeyValuePairs = [
      "KiB": 1_024, "MiB": 1_048_576, "GiB": 1_073_741_824, "kB": 1e3, "MB": 1e6, "GB": 1e9, "B": 1, "": 1,
    ]
    guard let bytes = Quantity.read(text, units: units), bytes < 9e18 else { return nil }
    return Int(bytes)
  }

  /// The same with its unit: a number alone is rarely meant in bytes, and to read it so would delete what it should keep.
  static func unitedByteCount(_ text: String) -> Int? { Double(text) == nil ? byteCount(text) : nil }

  /// `on` is everything, `off` nothing, `25%` a quarter.
  static func share(_ text: String) -> Double? {
    if text == "on" { return 1 }
    if text == "off" { return 0 }
    guard let percent = Quantity.read(text, units: ["%": 1]), percent <= 100 else { return nil }
    return percent / 100
  }

  /// A whole number without sign.
  static func count(_ text: String) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }
}
