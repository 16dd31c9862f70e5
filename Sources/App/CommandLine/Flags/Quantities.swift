import Base

/// The units that people type.
enum Quantities {
  /// `250ms`, `90s`, `10m`, `2h`, `7d`; a number alone means seconds.
  static func duration(_ text: String) -> Nanoseconds? {
    let units: [(String, Double)] = [("ms", 1e6), ("s", 1e9), ("m", 60e9), ("h", 3_600e9), ("d", 86_400e9), ("", 1e9)]
    guard let nanoseconds = quantity(text, units), nanoseconds < 9e18 else { return nil }
    return Nanoseconds(Int64(nanoseconds))
  }

  /// `512`, `64KiB`, `8MiB`, `2GiB`, and the decimal `kB`, `MB`, `GB`.
  static func byteCount(_ text: String) -> Int? {
    let units: [(String, Double)] = [
      ("KiB", 1_024), ("MiB", 1_048_576), ("GiB", 1_073_741_824), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("B", 1),
      ("", 1),
    ]
    guard let bytes = quantity(text, units), bytes < 9e18 else { return nil }
    return Int(bytes)
  }

  /// `on` is everything, `off` nothing, `25%` a quarter.
  static func share(_ text: String) -> Double? {
    if text == "on" { return 1 }
    if text == "off" { return 0 }
    guard let percent = quantity(text, [("%", 1)]), percent <= 100 else { return nil }
    return percent / 100
  }

  /// A whole number without sign.
  static func count(_ text: String) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }

  private static func quantity(_ text: String, _ units: [(String, Double)]) -> Double? {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard let number = Double(digits), let unit = units.first(where: { $0.0 == text.dropFirst(digits.count) }) else {
      return nil
    }
    return number * unit.1
  }
}
