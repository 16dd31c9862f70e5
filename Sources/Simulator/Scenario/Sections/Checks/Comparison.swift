/// How two numbers are compared.
package enum Comparison: String, CaseIterable, Sendable {
  // The longer ones come first, so that the first that fits is the one that was meant.
  case lessOrEqual = "<="
  case greaterOrEqual = ">="
  case equal = "=="
  case different = "!="
  case less = "<"
  case greater = ">"

  package func holds(_ left: Double, _ right: Double) -> Bool {
    switch self {
    case .lessOrEqual: left <= right
    case .greaterOrEqual: left >= right
    case .equal: left == right
    case .different: left != right
    case .less: left < right
    case .greater: left > right
    }
  }

  /// `<= 5` as its two parts; `===`, which k6 takes too, is `==`.
  static func split(_ text: Substring) -> (Comparison, Double)? {
    let isTriple = text.hasPrefix("===") || text.hasPrefix("!==")
    guard let comparison = allCases.first(where: { text.hasPrefix($0.rawValue) }),
      let number = number(text.dropFirst(comparison.rawValue.count + (isTriple ? 1 : 0)))
    else { return nil }
    return (comparison, number)
  }

  /// A plain finite decimal number with spaces around it.
  static func number(_ text: Substring) -> Double? {
    let trimmed = text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
    let digits = String(trimmed)
    let isPlain = digits.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E }
    guard isPlain, let first = digits.last, first != ".", !digits.hasPrefix("."), !digits.hasPrefix("-.") else {
      return nil
    }
    return Double(digits)
  }
}
