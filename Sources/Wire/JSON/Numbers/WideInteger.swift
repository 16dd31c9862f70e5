/// An integer wide enough for the exact powers of five that doubles need, starting at 2^1024: 5^-342 times that keeps
/// 229 exact leading bits (dividing repeatedly and rounding down each time is dividing once and rounding down), and
/// 5^324 times that has 1,777 bits.
struct WideInteger {
  private static let wordCount = 28
  /// The least significant word first.
  private var words = [UInt64](repeating: 0, count: wordCount)

  init() { words[16] = 1 }

  mutating func multiplyByFive() {
    var carry: UInt64 = 0
    for index in words.indices {
      let product = words[index].multipliedFullWidth(by: 5)
      let (sum, overflow) = product.low.addingReportingOverflow(carry)
      words[index] = sum
      carry = product.high + (overflow ? 1 : 0)
    }
    precondition(carry == 0, "the number is wider than 1,792 bits")
  }

  mutating func divideByFive() {
    var remainder: UInt64 = 0
    for index in words.indices.reversed() {
      (words[index], remainder) = UInt64(5).dividingFullWidth((high: remainder, low: words[index]))
    }
  }

  /// The number cut off behind its first 128 bits, of which the highest is set.
  var leading128Bits: UInt128 {
    guard let top = words.lastIndex(where: { $0 != 0 }), top >= 2 else { preconditionFailure("too small a number") }
    let shift = words[top].leadingZeroBitCount
    let bits = UInt128(words[top]) << 64 | UInt128(words[top - 1])
    return bits << shift | UInt128(words[top - 2] >> (64 - shift))
  }
}
