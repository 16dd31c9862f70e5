extension JSON5Reader {
  mutating func readArray() throws(ScenarioProblem) -> JSON5Value.Content {
    advance()
    var elements: [JSON5Value] = []
    while true {
      try skipSpace()
      if skip("]") { return .array(elements) }
      elements.append(try readValue())
      try skipSpace()
      if skip("]") { return .array(elements) }
      guard skip(",") else { throw unexpected(next, wanted: "',' or ']'") }
    }
  }

  mutating func readObject() throws(ScenarioProblem) -> JSON5Value.Content {
    advance()
    var members: [JSON5Value.Member] = []
    var lines: [String: Int] = [:]
    while true {
      try skipSpace()
      if skip("}") { return .object(members) }
      let start = position
      let key = try readKey()
      if let line = lines[key] {
        throw problem("the key '\(key)' stands twice, first in line \(line)", at: start, remedy: "take one away")
      }
      lines[key] = start.line
      try skipSpace()
      guard skip(":") else { throw unexpected(next, wanted: "':' behind the key '\(key)'") }
      members.append(.init(key: key, position: start, value: try readValue()))
      try skipSpace()
      if skip("}") { return .object(members) }
      guard skip(",") else { throw unexpected(next, wanted: "',' or '}'") }
    }
  }

  private mutating func readKey() throws(ScenarioProblem) -> String {
    guard let first = next else { throw missing("a key or '}'") }
    if first == "\"" || first == "'" { return try readString() }
    guard first.startsIdentifier || first == "\\" else {
      throw unexpected(first, wanted: "a key (in quotes unless it is a plain word) or '}'")
    }
    return try readIdentifier()
  }

  /// ECMAScript 5.1 §7.6, which JSON5 takes over.
  mutating func readIdentifier() throws(ScenarioProblem) -> String {
    var name = String.UnicodeScalarView()
    while let scalar = next {
      let start = position
      let letter: Unicode.Scalar
      if scalar == "\\" {
        advance()
        guard skip("u") else { throw unexpected(next, wanted: "'u' and four hexadecimal digits") }
        letter = try readUnicodeEscape(from: start)
      } else {
        guard scalar.continuesIdentifier else { break }
        advance()
        letter = scalar
      }
      guard name.isEmpty ? letter.startsIdentifier : letter.continuesIdentifier else {
        throw problem("\(letter.shown) cannot stand in a plain word", at: start, remedy: "put the key in quotes")
      }
      name.append(letter)
    }
    return String(name)
  }

  /// White space and comments.
  mutating func skipSpace() throws(ScenarioProblem) {
    while let scalar = next {
      if scalar.isJSON5Space {
        advance()
      } else if scalar == "/", next(after: 1) == "/" {
        while let inside = next, !inside.isLineTerminator { advance() }
      } else if scalar == "/", next(after: 1) == "*" {
        try skipBlockComment()
      } else {
        return
      }
    }
  }

  private mutating func skipBlockComment() throws(ScenarioProblem) {
    let start = position
    advance()
    advance()
    while next != nil {
      if next == "*", next(after: 1) == "/" {
        advance()
        advance()
        return
      }
      advance()
    }
    throw problem("the comment does not end", at: start, remedy: "close it with '*/'")
  }
}
