extension JSON5Reader {
  /// Reads a string in single or double quotes.
  mutating func readString() throws(ScenarioError) -> String {
    let start = position
    let quote = next
    advance()
    var text = String.UnicodeScalarView()
    while let scalar = next {
      if scalar == quote {
        advance()
        return String(text)
      }
      switch scalar {
      case "\\":
        if let escaped = try readEscape() { text.append(escaped) }
      case "\n", "\r":
        throw problem(
          "the string that begins in column \(start.column) does not end in its line",
          remedy: "close the quotes, or end the line with a backslash to go on in the next")
      default:
        text.append(scalar)
        advance()
      }
    }
    throw problem("the string does not end", at: start, remedy: "close the quotes")
  }

  /// Returns nil for a line continuation.
  private mutating func readEscape() throws(ScenarioError) -> Unicode.Scalar? {
    let start = position
    advance()
    guard let scalar = next else { throw missing("the rest of the string") }
    advance()
    switch scalar {
    case "b": return "\u{8}"
    case "f": return "\u{C}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "v": return "\u{B}"
    case "0":
      if let digit = next, digit.isDigit { throw digitEscape(at: start) }
      return "\0"
    case "1"..."9": throw digitEscape(at: start)
    case "x": return try readCode(digits: 2).scalar
    case "u": return try readUnicodeEscape(from: start)
    case "\r":
      _ = skip("\n")
      return nil
    case "\n", "\u{2028}", "\u{2029}": return nil
    default: return scalar
    }
  }

  private func digitEscape(at start: SourcePosition) -> ScenarioError {
    problem("a backslash before a digit is not an escape", at: start, remedy: "write \\x and two hexadecimal digits")
  }

  /// Reads the four digits after `\u`, and the second half of a surrogate pair.
  mutating func readUnicodeEscape(from start: SourcePosition) throws(ScenarioError) -> Unicode.Scalar {
    let first = try readCode(digits: 4)
    if let scalar = Unicode.Scalar(first.value) { return scalar }
    if first.value < 0xDC00, next == "\\", next(after: 1) == "u" {
      advance()
      advance()
      let second = try readCode(digits: 4)
      if (0xDC00...0xDFFF).contains(second.value),
        let scalar = Unicode.Scalar(0x10000 + (first.value - 0xD800) << 10 + (second.value - 0xDC00))
      {
        return scalar
      }
    }
    throw problem(
      "an unpaired surrogate is not a character", at: start, remedy: "write both halves, or the letter itself")
  }

  private mutating func readCode(digits: Int) throws(ScenarioError) -> CharacterCode {
    var value: UInt32 = 0
    for _ in 0..<digits {
      guard let digit = next?.hexadecimalValue else { throw unexpected(next, wanted: "\(digits) hexadecimal digits") }
      value = value << 4 | digit
      advance()
    }
    return CharacterCode(value: value)
  }
}

/// A number of two or four hexadecimal digits.
private struct CharacterCode {
  let value: UInt32

  /// Two digits are always a Latin-1 character.
  var scalar: Unicode.Scalar? { Unicode.Scalar(value) }
}

extension JSON5Reader {
  mutating func readNumber() throws(ScenarioError) -> JSON5Value.Content {
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
      throw problem("\(rest.shown) directly follows a number", remedy: "a quantity needs quotes, as in \"90s\"")
    }
    return content
  }

  private mutating func readNamedNumber(isNegative: Bool) throws(ScenarioError) -> JSON5Value.Content {
    let start = position
    switch try readIdentifier() {
    case "Infinity": return .double(isNegative ? -.infinity : .infinity)
    case "NaN": return .double(.nan)
    case let word: throw problem("'\(word)' is not a number", at: start, remedy: "put text in quotes: \"\(word)\"")
    }
  }

  private mutating func readHexadecimal(
    isNegative: Bool, from start: SourcePosition
  ) throws(ScenarioError) -> JSON5Value.Content {
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
  ) throws(ScenarioError) -> JSON5Value.Content {
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

  private mutating func readExponent() throws(ScenarioError) -> String {
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

extension Unicode.Scalar {
  var isLineTerminator: Bool { self == "\n" || self == "\r" || self == "\u{2028}" || self == "\u{2029}" }

  var isDigit: Bool { ("0"..."9").contains(self) }

  /// Whether it is white space or a line end of ECMAScript 5.1 (JSON5 §8).
  var isJSON5Space: Bool {
    switch self {
    case "\t", "\u{B}", "\u{C}", " ", "\u{A0}", "\u{FEFF}": true
    default: isLineTerminator || (!isASCII && properties.generalCategory == .spaceSeparator)
    }
  }

  var startsIdentifier: Bool {
    switch self {
    case "a"..."z", "A"..."Z", "$", "_": return true
    default: break
    }
    guard !isASCII else { return false }
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .letterNumber: return true
    default: return false
    }
  }

  var continuesIdentifier: Bool {
    if startsIdentifier || isDigit || self == "\u{200C}" || self == "\u{200D}" { return true }
    guard !isASCII else { return false }
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .decimalNumber, .connectorPunctuation: return true
    default: return false
    }
  }

  var hexadecimalValue: UInt32? {
    switch self {
    case "0"..."9": value - 0x30
    case "a"..."f": value - 0x61 + 10
    case "A"..."F": value - 0x41 + 10
    default: nil
    }
  }

  /// The character for messages; invisible ones as code points.
  var shown: String {
    switch properties.generalCategory {
    case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse:
      "U+" + String(repeating: "0", count: max(0, 4 - String(value, radix: 16).count))
        + String(value, radix: 16, uppercase: true)
    default: "'\(self)'"
    }
  }
}
