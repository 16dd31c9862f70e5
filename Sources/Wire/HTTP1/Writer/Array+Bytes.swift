extension [UInt8] {
  package mutating func append(copying span: Span<UInt8>) {
    unsafe span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  mutating func append(_ text: StaticString) {
    unsafe append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Without a detour over String.
  mutating func append(decimal number: Int) {
    let start = count
    var rest = number.magnitude
    repeat {
      append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    if number < 0 { append(.hyphen) }
    self[start...].reverse()
  }

  mutating func append(hexadecimal number: Int) {
    let start = count
    var rest = number
    repeat {
      let digit = UInt8(rest & 15)
      append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      rest >>= 4
    } while rest > 0
    self[start...].reverse()
  }
}
