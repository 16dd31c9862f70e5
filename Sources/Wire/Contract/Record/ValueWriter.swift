import JSON

/// Writes the values of a record. What JSON itself must format goes through a writer that keeps its memory.
struct ValueWriter: Sendable {
  private var json = JSONWriter(capacity: 64)

  /// With all digits, as coordinates and battery levels are. NaN and the infinities are null.
  mutating func append(_ number: Double, to bytes: inout [UInt8]) {
    json.removeAll(keepingCapacity: true)
    json.value(number)
    bytes.append(contentsOf: json.bytes)
  }

  mutating func append(quoted text: String, to bytes: inout [UInt8]) {
    json.removeAll(keepingCapacity: true)
    json.value(text)
    bytes.append(contentsOf: json.bytes)
  }

  /// What stands between the quotes.
  mutating func append(escaped text: String, to bytes: inout [UInt8]) {
    json.removeAll(keepingCapacity: true)
    json.value(text)
    bytes.append(contentsOf: json.bytes[1..<json.bytes.count - 1])
  }

  /// `round(number × 100) / 100`, as the SDK computes it, without zeros at the end. A number too large to have
  /// hundredths is written as it is.
  mutating func append(hundredths number: Double, to bytes: inout [UInt8]) {
    let scaled = (number * 100).rounded()
    guard scaled.magnitude < 1e15 else { return append(number, to: &bytes) }
    let (whole, rest) = UInt64(scaled.magnitude).quotientAndRemainder(dividingBy: 100)
    if scaled < 0 { bytes.append(UInt8(ascii: "-")) }
    bytes.append(digitsOf: whole)
    if rest == 0 { return }
    bytes.append(UInt8(ascii: "."))
    bytes.append(UInt8(ascii: "0") + UInt8(rest / 10))
    if rest % 10 != 0 { bytes.append(UInt8(ascii: "0") + UInt8(rest % 10)) }
  }

  /// What the device could not tell, which NaN and the infinities are too, is -1 on the wire.
  mutating func append(orMissing quantity: Double?, to bytes: inout [UInt8]) {
    if let quantity, quantity.isFinite { append(hundredths: quantity, to: &bytes) } else { appendMissing(to: &bytes) }
  }

  /// With all digits.
  mutating func append(level: Double?, to bytes: inout [UInt8]) {
    if let level, level.isFinite { append(level, to: &bytes) } else { appendMissing(to: &bytes) }
  }

  private func appendMissing(to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "-"))
    bytes.append(UInt8(ascii: "1"))
  }
}
