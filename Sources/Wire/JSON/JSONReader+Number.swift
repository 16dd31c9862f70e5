/// A number that the reader has checked. The reader's `int64` or `double` returns its value. Valid only together with the span
/// it was read from.
package struct JSONNumber: Equatable, Sendable {
  /// The bytes of the number as written.
  package let range: Range<Int>
  /// Whether it is written as an integer, with neither fraction nor exponent.
  package let isInteger: Bool
  let decimal: Decimal
}

extension JSONReader {
  /// A number beyond the range of a double (1e999) is refused here with `numberTooLarge`, also inside a skipped value, so that
  /// every reader can read an accepted number. A number that is too small is no error: `double` rounds it to zero.
  package mutating func readNumber() throws(JSONError) -> JSONNumber {
    let first = try nextValueByte()
    let start = offset
    var decimal = Decimal()
    if first == UInt8(ascii: "-") {
      decimal.isNegative = true
      offset += 1
    } else if !Self.isDigit(first) {
      try refuseKind()
    }
    let firstDigit = offset
    decimal.significand = try scanInteger()
    let integerEnd = offset
    var fractionCount = 0
    if let byte = nextByte, byte == UInt8(ascii: ".") {
      offset += 1
      let fractionStart = offset
      decimal.significand = try scanDigits(appendingTo: decimal.significand)
      fractionCount = offset - fractionStart
    }
    let significandRange = firstDigit..<offset
    let exponent = try scanExponent()
    decimal.exponent = exponent - fractionCount
    if integerEnd - firstDigit + fractionCount > 19 {
      readLongSignificand(significandRange, into: &decimal)
      decimal.exponent += exponent
    }
    let number = JSONNumber(range: start..<offset, isInteger: offset == integerEnd, decimal: decimal)
    // Twenty digits times 10^288 are below the greatest double.
    if decimal.exponent > 288, !limits.isStructureOnly, !double(number).isFinite {
      throw JSONError(.numberTooLarge, at: start)
    }
    place = .afterValue
    return number
  }

  /// Skips a number, without computing a value that is certainly finite: no exponent, and fewer digits than the greatest
  /// double.
  mutating func skipNumber() throws(JSONError) {
    var position = offset
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    let first = position
    position = digitsEnd(from: first)
    let isInteger = position == first + 1 || position > first && bytes[first] != UInt8(ascii: "0")
    var isWhole = isInteger
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      let fraction = position + 1
      position = digitsEnd(from: fraction)
      isWhole = isInteger && position > fraction
    }
    let hasExponent = position < bytes.count && bytes[position] | 0x20 == UInt8(ascii: "e")
    guard isWhole, !hasExponent, position - first < Self.surelyFinite else { return _ = try readNumber() }
    offset = position
    place = .afterValue
  }

  private static let surelyFinite = 300

  private func digitsEnd(from start: Int) -> Int {
    var position = start
    while position < bytes.count, Self.isDigit(bytes[position]) { position += 1 }
    return position
  }

  /// Returns the value if it is an integer from `Int64.min` to `Int64.max`, else nil; never rounded. The value counts, not its
  /// spelling: 1.0 is 1, and 1e3 is 1000.
  package func int64(_ number: JSONNumber) -> Int64? {
    guard let magnitude = number.decimal.integerMagnitude else { return nil }
    if number.decimal.isNegative {
      return magnitude <= Int64.min.magnitude ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
    }
    return Int64(exactly: magnitude)
  }

  /// Returns the nearest double, ties to even. Always finite; "-0" is -0.0.
  package func double(_ number: JSONNumber) -> Double {
    if let double = number.decimal.double { return double }
    // More than nineteen digits, so near to the midpoint of two doubles that the last of them may decide.
    var digits: [UInt8] = []
    append(rawValue: number.range, to: &digits)
    guard let double = Double(String(decoding: digits, as: UTF8.self)) else {
      preconditionFailure("a number of another reader")
    }
    return double
  }

  private var nextByte: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  /// RFC 8259 §6: no digit may follow a leading zero.
  private mutating func scanInteger() throws(JSONError) -> UInt64 {
    guard nextByte == UInt8(ascii: "0") else { return try scanDigits(appendingTo: 0) }
    offset += 1
    if let byte = nextByte, Self.isDigit(byte) { throw JSONError(.invalidNumber, at: offset) }
    return 0
  }

  /// Scans at least one digit. From the twentieth digit on the result has overflowed and is meaningless.
  private mutating func scanDigits(appendingTo significand: UInt64) throws(JSONError) -> UInt64 {
    var significand = significand
    var position = offset
    while position < bytes.count, Self.isDigit(bytes[position]) {
      significand = significand &* 10 &+ UInt64(bytes[position] & 0xF)
      position += 1
    }
    if position == offset { throw JSONError(nextByte == nil ? .unexpectedEnd : .invalidNumber, at: offset) }
    offset = position
    return significand
  }

  /// Returns 0 when there is no exponent. It saturates above a quadrillion, which no number of digits can compensate.
  private mutating func scanExponent() throws(JSONError) -> Int {
    guard let letter = nextByte, letter == UInt8(ascii: "e") || letter == UInt8(ascii: "E") else { return 0 }
    offset += 1
    var isNegative = false
    if let sign = nextByte, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      isNegative = sign == UInt8(ascii: "-")
      offset += 1
    }
    let start = offset
    _ = try scanDigits(appendingTo: 0)
    var exponent = 0
    for index in start..<offset where exponent < 1_000_000_000_000_000 {
      exponent = exponent * 10 + Int(bytes[index] & 0xF)
    }
    return isNegative ? -exponent : exponent
  }

  /// Reads the digits that fit into 64 bits, and whether the rest matters.
  private func readLongSignificand(_ range: Range<Int>, into decimal: inout Decimal) {
    decimal.significand = 0
    decimal.exponent = 0
    var isInFraction = false
    var isFull = false
    for index in range {
      guard Self.isDigit(bytes[index]) else {
        isInFraction = true
        continue
      }
      let digit = UInt64(bytes[index] & 0xF)
      let (tenfold, isTooLarge) = decimal.significand.multipliedReportingOverflow(by: 10)
      let (sum, isOverflow) = tenfold.addingReportingOverflow(digit)
      isFull = isFull || isTooLarge || isOverflow
      if isFull {
        decimal.isTruncated = decimal.isTruncated || digit != 0
        if !isInFraction { decimal.exponent += 1 }
      } else {
        decimal.significand = sum
        if isInFraction { decimal.exponent -= 1 }
      }
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}
