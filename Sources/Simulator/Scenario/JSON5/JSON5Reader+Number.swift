extension JSON5Reader {
  mutating func readNumber() throws(ScenarioProblem) -> JSON5Value.Content {
    let start = position
    let isNegative = next == "-"
    if next == "+" || next == "-" { advance() }
    guard let first = next else { throw missing("a number") }
    let content: JSON5Value.Content
    if first == "I" || first == "N" {
      content = try readNamedNumber(isNegative: isNegative)
    } else if first == "0", next(after: 1) == "x" || next(after: 1) == "X" {
      content = try readHexadecimal(isNegative: isNegative, from: start)
    } else {
      content = try readDecimal(isNegative: isNegative, from: start)
    }
    if let rest = next, rest.continuesIdentifier {
      throw problem("\(rest.shown) stands directly behind a number", remedy: "a quantity needs quotes, as in \"90s\"")
    }
    return content
  }

  private mutating func readNamedNumber(isNegative: Bool) throws(ScenarioProblem) -> JSON5Value.Content {
    let start = position
    switch try readIdentifier() {
    case "Infinity": return .double(isNegative ? -.infinity : .infinity)
    case "NaN": return .double(.nan)
    case let word: throw problem("'\(word)' is no number", at: start, remedy: "a text needs quotes: \"\(word)\"")
    }
  }

  private mutating func readHexadecimal(
    isNegative: Bool, from start: SourcePosition
  ) throws(ScenarioProblem) -> JSON5Value.Content {
    advance()
    advance()
    var digits = ""
    while let scalar = next, scalar.hexadecimalValue != nil {
      digits.unicodeScalars.append(scalar)
      advance()
    }
    guard !digits.isEmpty else { throw unexpected(next, wanted: "hexadecimal digits") }
    guard let number = Int64((isNegative ? "-" : "") + digits, radix: 16) else {
      throw problem("the number does not fit into 64 bits", at: start, remedy: "put it in quotes or make it smaller")
    }
    return number == 0 && isNegative ? .double(-0.0) : .integer(number)
  }

  private mutating func readDecimal(
    isNegative: Bool, from start: SourcePosition
  ) throws(ScenarioProblem) -> JSON5Value.Content {
    var text = isNegative ? "-" : ""
    let whole = digits()
    if whole.count > 1, whole.hasPrefix("0") {
      throw problem("a number must not begin with 0", at: start, remedy: "leave the zeros out")
    }
    text += whole.isEmpty ? "0" : whole
    var isInteger = true
    if skip(".") {
      isInteger = false
      let fraction = digits()
      if whole.isEmpty && fraction.isEmpty { throw unexpected(next, wanted: "a digit") }
      text += "." + (fraction.isEmpty ? "0" : fraction)
    } else if whole.isEmpty {
      throw unexpected(next, wanted: "a digit")
    }
    if next == "e" || next == "E" {
      isInteger = false
      text += try readExponent()
    }
    if isInteger, let integer = Int64(text), !(integer == 0 && isNegative) { return .integer(integer) }
    guard !isInteger || text == "-0", let number = Double(text), number.isFinite else {
      throw problem("the number is too large", at: start, remedy: "make it smaller")
    }
    return .double(number)
  }

  private mutating func readExponent() throws(ScenarioProblem) -> String {
    advance()
    var text = "e"
    if next == "-" { text += "-" }
    if next == "+" || next == "-" { advance() }
    let exponent = digits()
    guard !exponent.isEmpty else { throw unexpected(next, wanted: "a digit of the exponent") }
    return text + exponent
  }

  private mutating func digits() -> String {
    var text = ""
    while let scalar = next, scalar.isDigit {
      text.unicodeScalars.append(scalar)
      advance()
    }
    return text
  }
}
