extension Nanoseconds {
  private static let units: KeyValuePairs = [
    "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3_600e9, "d": 86_400e9, "": 1e9,
  ]

  /// `250ms`, `90s`, `10m`, `2h`, `7d`; a number alone means seconds. Nil for anything else, and for what 64 bits do not
  /// hold.
  package init?(text: String) {
    guard let nanoseconds = Quantity.read(text, units: Nanoseconds.units), nanoseconds < 9e18 else { return nil }
    self.init(Int64(nanoseconds))
  }
}
