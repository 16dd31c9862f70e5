import JSON
import Support
import Testing

@Suite struct NumberWritingTests {
  /// Reads back bit for bit, in our reader and in the standard library, with the digits of the shortest form: those of
  /// the standard library's `description`.
  private func check(_ number: Double) throws {
    let text = written { $0.value(number) }
    let ours = DecimalText(text)
    let shortest = DecimalText(number.description)
    let isSame =
      try numbers(text).double.bitPattern == number.bitPattern && Double(text)?.bitPattern == number.bitPattern
    if !isSame || ours != shortest || text.utf8.count > 25 { Issue.record("\(number) was written as \(text)") }
  }

  @Test func edgesAreWrittenExactlyAndShort() throws {
    for exponent in 0...2046 {
      let power = Double(sign: .plus, exponent: exponent - 1023, significand: 1)
      for number in [power, power.nextUp, power.nextDown, -power] where number.isFinite { try check(number) }
    }
    for exponent in -323...308 {
      let power = try #require(Double("1e\(exponent)"))
      for number in [power, power.nextUp, power.nextDown, power * 9, power * 1.5] where number.isFinite {
        try check(number)
      }
    }
    for bits in 1...1000 { try check(Double(bitPattern: UInt64(bits))) }
    for number in [0, -0.0, .greatestFiniteMagnitude, .leastNormalMagnitude, .leastNonzeroMagnitude, 0.1 + 0.2] {
      try check(number)
    }
  }

  @Test func randomBitsAreWrittenExactlyAndShort() throws {
    var generator = SeededGenerator(seed: 201)
    for _ in 0..<30_000 {
      let number = Double(bitPattern: generator.next())
      if number.isFinite { try check(number) }
    }
  }

  @Test func randomMeasurementsAreWrittenExactlyAndShort() throws {
    var generator = SeededGenerator(seed: 202)
    for _ in 0..<20_000 {
      let degrees = Double.random(in: -180...180, using: &generator)
      try check(degrees)
      try check((degrees * 1e7).rounded() / 1e7)
      try check((degrees * 100).rounded() / 100)
      try check(Double(Int64.random(in: -1 << 60...1 << 60, using: &generator)))
    }
  }

  static let forms: [(number: Double, text: String)] = [
    (0, "0"), (-0.0, "-0"), (5, "5"), (-1, "-1"), (507.54, "507.54"), (45.518019, "45.518019"),
    (-116.297214, "-116.297214"),
    (0.1, "0.1"), (0.001, "0.001"), (0.000001, "0.000001"), (0.00000123, "0.00000123"), (0.0000001, "1e-7"),
    (0.000000123, "1.23e-7"), (9_007_199_254_740_991, "9007199254740991"), (9_007_199_254_740_992, "9007199254740992"),
    (9_999_999_999_999_998, "9999999999999998"), (1e15, "1000000000000000"), (1e16, "1e16"), (1.5e300, "1.5e300"),
    (123_456_789_012_345_683_968, "1.2345678901234568e20"), (.leastNonzeroMagnitude, "5e-324"),
    (1.7976931348623157e308, "1.7976931348623157e308"),
    (.nan, "null"), (.infinity, "null"), (-.infinity, "null"), (0.30000000000000004, "0.30000000000000004"),
  ]

  @Test(arguments: forms) func doublesHaveTheDocumentedForm(number: Double, text: String) {
    #expect(written { $0.value(number) } == text)
  }

  @Test func integersAreWrittenInFull() throws {
    for number in [Int64.min, .min + 1, -100, -10, -9, -1, 0, 1, 9, 10, 99, 100, .max - 1, .max] {
      #expect(written { $0.value(number) } == "\(number)")
    }
    #expect(written { $0.value(UInt64.max) } == "18446744073709551615")
    #expect(written { $0.value(42 as Int) } == "42")
    var generator = SeededGenerator(seed: 203)
    for _ in 0..<1000 {
      let number = Int64(bitPattern: generator.next()) >> Int64(generator.index(below: 64))
      #expect(written { $0.value(number) } == "\(number)")
    }
  }
}
