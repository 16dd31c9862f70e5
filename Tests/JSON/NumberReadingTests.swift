import JSON
import Support
import Testing

/// The oracle for doubles is the standard library's `Double(String)`.
@Suite struct NumberReadingTests {
  private func expectSameBits(_ text: String) throws {
    let expected = try #require(Double(text))
    let read = try numbers(text).double
    if read.bitPattern != expected.bitPattern { Issue.record("\(text) was read as \(read), not \(expected)") }
  }

  @Test(arguments: [
    // Exactly between two doubles, and one digit to each side, near and far behind the point.
    "9007199254740993", "9007199254740992", "9007199254740991", "9007199254740995", "9007199254740993.0000000000000001",
    "9007199254740992.9999999999999999", "1.00000000000000011102230246251565404",
    "1.00000000000000011102230246251565403",
    "1.00000000000000011102230246251565405", "1.000000000000000111022302462515654042363166809082031250000000000000",
    "1.000000000000000111022302462515654042363166809082031249999999999999", "5e22", "9e22", "1e23", "8.5e22", "3e-23",
    "6929495644600919.5", "3.7455744005952583e15", "2.2250738585072011e-308", "1.448997445238699",
    "0.500000000000000166533453694",
    "3.518437208883201171875e13", "62.5364939768271845828", "7.8459735791271921e65", "2.225073858507201136e-308",
    // The ends of the range.
    "1.7976931348623157e308", "1.7976931348623158e308", "17976931348623157e292", "1.797693134862315807e308", "5e-324",
    "4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "2.47e-324",
    "2.2250738585072014e-308",
    "2.2250738585072009e-308", "2.2250738585072012e-308", "1e-323", "0e5", "0.0000e-400", "1e-400", "1e-342", "99e-343",
    "18446744073709551615e-343", "18446744073709551615e-342", "1e308", "10e307", "0.1e309", "18446744073709551615e288",
    "17446744073709551615e289", "18446744073709551616", "36893488147419103231", "100000000000000016777215",
    "100000000000000016777216", "45.518019", "-116.297214", "0.1", "0.3", "123456789012345678901234567890", "-0",
    "-0.0", "-0e-5",
  ]) func hardCasesAreRoundedCorrectly(text: String) throws {
    try expectSameBits(text)
    try expectSameBits(text.first == "-" ? String(text.dropFirst()) : "-" + text)
  }

  @Test func everyPowerOfTenIsRoundedCorrectly() throws {
    for exponent in -400...308 {
      for digits in ["1", "1.7", "9", "9007199254740993", "18446744073709551615", "1.23456789012345678901234567890"] {
        let text = "\(digits)e\(exponent)"
        if Double(text)?.isFinite == true { try expectSameBits(text) }
      }
    }
  }

  @Test func randomDecimalsAreRoundedCorrectly() throws {
    var generator = SeededGenerator(seed: 101)
    for _ in 0..<20_000 {
      let digits = (0..<(1 + generator.index(below: 30))).map { _ in String(generator.index(below: 10)) }.joined()
      let text = "\(1 + generator.index(below: 9)).\(digits)e\(Int.random(in: -345...307, using: &generator))"
      try expectSameBits(text)
    }
  }

  /// The decimal expansion of the middle between two neighbours, where only the last digit or the rule of even decides.
  @Test func randomMiddlesAreRoundedCorrectly() throws {
    var generator = SeededGenerator(seed: 102)
    for _ in 0..<5_000 {
      let significand = UInt64.random(in: 1 << 52..<1 << 53, using: &generator)
      let doublings = generator.index(below: 10)
      let middle = "\((UInt128(significand) * 2 + 1) << UInt128(doublings))"
      for text in ["\(middle)", "\(middle).000000000000000000000001", "\(middle)e-20", "\(middle)00000e-5"] {
        try expectSameBits(text)
      }
    }
  }

  @Test func manyDigitsAreReadExactly() throws {
    let zeros = String(repeating: "0", count: 100_000)
    try expectSameBits("1" + zeros + "e-100000")
    try expectSameBits("0." + zeros + "1e100001")
    try expectSameBits("9007199254740993." + zeros + "1")
    try expectSameBits("9007199254740993." + zeros)
    #expect(try numbers("1" + zeros + "e-100000").int64 == 1)
    #expect(refusal("1" + zeros) == JSONError(.numberTooLarge, at: 0))
  }

  static let integers: [(text: String, int64: Int64?)] = [
    ("0", 0), ("-0", 0), ("1", 1), ("-1", -1),
    ("9007199254740993", 9_007_199_254_740_993),
    ("9223372036854775807", .max), ("9223372036854775808", nil),
    ("-9223372036854775808", .min), ("-9223372036854775809", nil), ("18446744073709551615", nil),
    ("18446744073709551616", nil), ("-18446744073709551615", nil), ("99999999999999999999", nil),
    ("184467440737095516150", nil), ("1000000000000000000000000", nil),
    // By value, however it is written.
    ("1.0", 1), ("1e3", 1000), ("1.50e1", 15), ("-12e-0", -12), ("1200e-2", 12), ("0e999", 0),
    ("0.000", 0), ("922337203685477580.7e1", .max),
    ("18446744073709551615.000", nil),
    ("1.8446744073709551615e19", nil), ("100000000000000000000000e-20", 1000),
    ("1e19", nil),
    ("1e20", nil), ("1e-1", nil), ("1.5", nil), ("15e-1", nil),
    ("0.9999999999999999999999999", nil),
    ("1.0000000000000000000000001", nil), ("12345678901234567890123e-3", nil), ("1e-400", nil),
  ]

  @Test(arguments: integers) func integersAreExactOrRefused(text: String, int64: Int64?) throws {
    let read = try numbers(text)
    #expect(read.int64 == int64)
    #expect(read.isInteger == text.allSatisfy { $0 == "-" || $0.isNumber })
  }

  @Test func randomIntegersAreReadExactly() throws {
    var generator = SeededGenerator(seed: 103)
    for _ in 0..<20_000 {
      let number = UInt64.random(in: 0 ... .max, using: &generator) >> UInt64(generator.index(below: 64))
      let read = try numbers("\(number)")
      #expect(read.int64 == Int64(exactly: number))
      let signed = Int64(bitPattern: number)
      #expect(try numbers("\(signed)").int64 == signed)
    }
  }
}
