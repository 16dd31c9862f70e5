import JSON

extension [UInt8] {
  private static let `true` = Array("true".utf8)
  private static let `false` = Array("false".utf8)

  mutating func append(_ flag: Bool) {
    append(contentsOf: flag ? Self.true : Self.false)
  }

  /// What the wire says of a quantity that the device could not tell, which NaN and the infinities are too.
  mutating func append(orMissing quantity: Double?) {
    if let quantity, quantity.isFinite { append(hundredths: quantity) } else { appendMissing() }
  }

  /// A battery level, with all digits.
  mutating func append(level: Double?) {
    if let level, level.isFinite { append(jsonNumber: level) } else { appendMissing() }
  }

  mutating func append(quoted text: String) {
    append(UInt8(ascii: "\""))
    append(jsonEscaped: text)
    append(UInt8(ascii: "\""))
  }

  /// `round(number × 100) / 100`, as the SDK computes it, without the zeros at the end. What has no hundredths, because
  /// it is too large or not finite, is written as the JSON module writes it.
  mutating func append(hundredths number: Double) {
    let scaled = (number * 100).rounded()
    guard scaled.magnitude < 1e15 else { return append(jsonNumber: number) }
    let hundredths = Int64(scaled)
    if hundredths < 0 { append(UInt8(ascii: "-")) }
    let (whole, rest) = hundredths.magnitude.quotientAndRemainder(dividingBy: 100)
    append(jsonNumber: Int64(whole))
    if rest == 0 { return }
    append(UInt8(ascii: "."))
    append(UInt8(ascii: "0") + UInt8(rest / 10))
    if rest % 10 != 0 { append(UInt8(ascii: "0") + UInt8(rest % 10)) }
  }

  mutating func append(copying bytes: Span<UInt8>) {
    append(addingCapacity: bytes.count) { output in
      for index in bytes.indices { output.append(bytes[index]) }
    }
  }

  private mutating func appendMissing() {
    append(UInt8(ascii: "-"))
    append(UInt8(ascii: "1"))
  }
}
