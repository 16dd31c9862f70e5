/// The decimal digits of an unsigned integer in ASCII, without heap.
struct DigitBuffer {
  private var storage = InlineArray<20, UInt8>(repeating: 0)
  private var start = 20

  init(_ number: UInt64) {
    var rest = number
    repeat {
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      start -= 1
      storage[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
      rest = quotient
    } while rest > 0
  }

  var count: Int { 20 - start }

  func append(_ range: Range<Int>, to output: inout OutputSpan<UInt8>) {
    for index in range { output.append(storage[start + index]) }
  }
}
