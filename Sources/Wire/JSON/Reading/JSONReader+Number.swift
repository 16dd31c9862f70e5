extension JSONReader {
  /// A number beyond the range of a double (1e999) is refused here with `numberTooLarge`, so that whatever was
  /// accepted can be read by anyone; too small a number is rounded to zero by `double`.
  package mutating func readNumber() throws(JSONError) -> JSONNumber {
    try expect(.number)
    let start = offset
    while offset < bytes.count, "+-.eE0123456789".utf8.contains(bytes[offset]) { offset += 1 }
    place = .afterValue
    return JSONNumber(range: start..<offset, isInteger: true)
  }

  /// The value when it is an integer from `Int64.min` to `Int64.max`, else nil; never rounded. It is the value that
  /// counts and not how it is written: 1.0 is 1, and 1e3 is 1000.
  package func int64(_ number: JSONNumber) -> Int64? {
    Int64(digits(number))
  }

  /// The value when it is an integer from 0 to `UInt64.max`, else nil; never rounded, and read like `int64`.
  package func uint64(_ number: JSONNumber) -> UInt64? {
    UInt64(digits(number))
  }

  /// The nearest double, ties to even. Always finite.
  package func double(_ number: JSONNumber) -> Double {
    Double(digits(number)) ?? 0
  }

  private func digits(_ number: JSONNumber) -> String {
    var digits: [UInt8] = []
    append(rawValue: number.range, to: &digits)
    return String(decoding: digits, as: UTF8.self)
  }
}
