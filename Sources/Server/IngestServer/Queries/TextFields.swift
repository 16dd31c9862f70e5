import Base

/// Pieces of texts that are not JSON.
extension [UInt8] {
  mutating func append(text: String) { append(contentsOf: text.utf8) }

  /// In ISO 8601 with milliseconds; nothing for a time that no calendar has.
  mutating func append(instant milliseconds: Int64) {
    WallInstant(exactly: milliseconds)?.append(iso8601To: &self)
  }

  /// Without an exponent, which XML's decimal does not know, to nine places: a tenth of a millimetre in degrees. Numbers
  /// that no sensor reports are left out.
  mutating func append(decimal number: Double) {
    guard number.magnitude < 1e9 else { return }
    let scaled = Int64((number * 1e9).rounded())
    if scaled < 0 { append(UInt8(ascii: "-")) }
    append(text: "\(scaled.magnitude / 1_000_000_000)")
    var places = Array(String(scaled.magnitude % 1_000_000_000 + 1_000_000_000).utf8.dropFirst())
    while places.last == UInt8(ascii: "0") { places.removeLast() }
    guard !places.isEmpty else { return }
    append(UInt8(ascii: "."))
    self += places
  }
}
