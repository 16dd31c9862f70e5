extension JSON5Reader {
  /// A string in single or double quotes.
  mutating func readString() throws(ScenarioProblem) -> String {
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

  /// Nil for a line that goes on in the next.
  private mutating func readEscape() throws(ScenarioProblem) -> Unicode.Scalar? {
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

  private func digitEscape(at start: SourcePosition) -> ScenarioProblem {
    problem("a backslash with a digit means nothing", at: start, remedy: "write \\x and two hexadecimal digits")
  }

  /// The four digits behind `\u`, and the second half of a surrogate pair.
  mutating func readUnicodeEscape(from start: SourcePosition) throws(ScenarioProblem) -> Unicode.Scalar {
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
    throw problem("half of a surrogate pair is no letter", at: start, remedy: "write both halves, or the letter itself")
  }

  private mutating func readCode(digits: Int) throws(ScenarioProblem) -> CharacterCode {
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

  /// Two digits are always a letter of Latin-1.
  var scalar: Unicode.Scalar? { Unicode.Scalar(value) }
}
