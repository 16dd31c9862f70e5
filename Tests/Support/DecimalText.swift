/// The number that a decimal text stands for, in a form that can be compared: its digits without zeros at either end and
/// the power of ten of the last of them.
package struct DecimalText: Equatable {
  package let digits: String
  package let exponent: Int

  package init(_ text: String) {
    let parts = text.split(separator: "e")
    let decimals = parts[0].split(separator: ".").dropFirst().first?.utf8.count ?? 0
    var digits = Array(parts[0].utf8.filter { (0x30...0x39).contains($0) }.drop { $0 == 0x30 })
    var exponent = (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) - decimals
    while digits.last == 0x30 {
      digits.removeLast()
      exponent += 1
    }
    self.digits = String(decoding: digits, as: UTF8.self)
    self.exponent = digits.isEmpty ? 0 : exponent
  }
}
