/// The decimal digits of an unsigned integer in ASCII.
struct DecimalDigits {
  private let number: UInt64
  let count: Int

  init(_ number: UInt64) {
    self.number = number
    var count = 1
    var power: UInt64 = 10
    while count < 20, number >= power {
      count += 1
      power = power &* 10
    }
    self.count = count
  }

  /// Writes all of them, the first one to `start`.
  @unsafe func write(to start: UnsafeMutablePointer<UInt8>) {
    var rest = number
    var position = count
    // Two at a time, because each division waits for the one before.
    while rest >= 10 {
      let (quotient, pair) = rest.quotientAndRemainder(dividingBy: 100)
      let tens = UInt8(truncatingIfNeeded: pair) / 10
      unsafe start[position - 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: pair) - tens * 10
      unsafe start[position - 2] = UInt8(ascii: "0") + tens
      position -= 2
      rest = quotient
    }
    if position > 0 { unsafe start[0] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest) }
  }
}
