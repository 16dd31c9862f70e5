/// A number with its unit, as people type it: `10m`, `1.5GiB`, `25%`.
package enum Quantity {
  /// Returns the number times the factor of its unit, which follows the digits without a space; the empty unit is that of a
  /// number alone. Nil for a sign, an exponent, an unknown unit, or anything else.
  package static func read(_ text: String, units: KeyValuePairs<String, Double>) -> Double? {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard let number = Double(digits), let unit = units.first(where: { $0.key == text.dropFirst(digits.count) }) else {
      return nil
    }
    return number * unit.value
  }
}

extension BinaryInteger {
  /// Returns `1 record`, `2,345 records`, for texts that people read.
  package func of(_ noun: String) -> String { "\(grouped) \(noun)\(self == 1 ? "" : "s")" }

  /// `12,345`.
  package var grouped: String {
    let digits = String(magnitude)
    var text = ""
    for (place, digit) in digits.enumerated() {
      if place > 0 && (digits.count - place) % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return (self < 0 ? "-" : "") + text
  }

  /// Returns the digits, padded with leading zeros to the width; for numbers that are not negative.
  package func zeroPadded(to width: Int, radix: Int = 10) -> String {
    let digits = String(self, radix: radix)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
