extension [UInt8] {
  private static let `true` = Array("true".utf8)
  private static let `false` = Array("false".utf8)

  mutating func append(_ flag: Bool) {
    append(contentsOf: flag ? Self.true : Self.false)
  }

  mutating func append(integer: Int64) {
    if integer < 0 { append(UInt8(ascii: "-")) }
    append(digitsOf: integer.magnitude)
  }

  mutating func append(digitsOf number: UInt64) {
    // The largest number has 20 digits.
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var start = digits.count
    var rest = number
    repeat {
      start -= 1
      digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    append(addingCapacity: digits.count) { output in
      for index in start..<digits.count { output.append(digits[index]) }
    }
  }

  mutating func append(copying bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
