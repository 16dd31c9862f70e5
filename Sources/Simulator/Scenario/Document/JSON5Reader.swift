internal import JSON

/// Reads one JSON5 text (https://spec.json5.org) into values with positions. The strict JSON reader of the wire is separate:
/// requests are written by programs, scenarios by people.
///
/// Stricter than the specification in three points: duplicate keys in one object and lone surrogates are rejected, and
/// nesting ends at 64.
struct JSON5Reader {
  static let greatestDepth = 64

  let scalars: [Unicode.Scalar]
  let source: Int
  var index = 0
  private var line = 1
  private var column = 1
  private var depth = 0

  /// Reads a complete text with one value; `source` is stored in every position.
  static func read(_ text: String, source: Int = 0) throws(ScenarioError) -> JSON5Value {
    var reader = JSON5Reader(scalars: Array(text.unicodeScalars), source: source)
    let value = try reader.readValue()
    try reader.skipSpace()
    if let next = reader.next { throw reader.unexpected(next, wanted: "the end of the file") }
    return value
  }

  private init(scalars: [Unicode.Scalar], source: Int) {
    self.scalars = scalars
    self.source = source
  }

  var position: SourcePosition { SourcePosition(source: source, line: line, column: column) }

  var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

  func next(after count: Int) -> Unicode.Scalar? { index + count < scalars.count ? scalars[index + count] : nil }

  mutating func advance() {
    let passed = scalars[index]
    index += 1
    // CR LF is a single line end.
    if passed.isLineTerminator && !(passed == "\r" && next == "\n") {
      line += 1
      column = 1
    } else {
      column += 1
    }
  }

  mutating func skip(_ wanted: Unicode.Scalar) -> Bool {
    guard next == wanted else { return false }
    advance()
    return true
  }

  /// Reads a value after optional white space.
  mutating func readValue() throws(ScenarioError) -> JSON5Value {
    try skipSpace()
    let start = position
    guard let first = next else { throw missing("a value") }
    let content: JSON5Value.Content
    switch first {
    case "{": content = try nested { (reader) throws(ScenarioError) in try reader.readObject() }
    case "[": content = try nested { (reader) throws(ScenarioError) in try reader.readArray() }
    case "\"", "'": content = .string(try readString())
    case "+", "-", ".", "0"..."9", "I", "N": content = try readNumber()
    default: content = try readWord(first)
    }
    return JSON5Value(content: content, position: start)
  }

  private mutating func nested(
    _ read: (inout JSON5Reader) throws(ScenarioError) -> JSON5Value.Content
  ) throws(ScenarioError) -> JSON5Value.Content {
    guard depth < Self.greatestDepth else {
      throw problem("nested deeper than \(Self.greatestDepth)", remedy: "remove some brackets")
    }
    depth += 1
    defer { depth -= 1 }
    return try read(&self)
  }

  private mutating func readWord(_ first: Unicode.Scalar) throws(ScenarioError) -> JSON5Value.Content {
    guard first.startsIdentifier else { throw unexpected(first, wanted: "a value") }
    let start = position
    switch try readIdentifier() {
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    case let word:
      throw ScenarioError(
        .syntax, at: start, path: "", "'\(word)' is not a value", remedy: "put text in quotes: \"\(word)\"")
    }
  }

  func problem(_ message: String, at place: SourcePosition? = nil, remedy: String) -> ScenarioError {
    ScenarioError(.syntax, at: place ?? position, path: "", message, remedy: remedy)
  }

  func missing(_ wanted: String) -> ScenarioError {
    problem("unexpected end of the file", remedy: "expected \(wanted)")
  }

  func unexpected(_ found: Unicode.Scalar?, wanted: String) -> ScenarioError {
    guard let found else { return missing(wanted) }
    return problem("unexpected \(found.shown)", remedy: "expected \(wanted)")
  }
}

/// A value of a JSON5 text with its position.
struct JSON5Value: Equatable, Sendable {
  /// A key with its value.
  struct Member: Equatable, Sendable {
    let key: String
    let position: SourcePosition
    var value: JSON5Value
  }

  indirect enum Content: Equatable, Sendable {
    case null
    case bool(Bool)
    /// Without fraction and exponent, or hexadecimal, and not -0.
    case integer(Int64)
    /// Including the infinities and NaN of JSON5, which every key of a scenario rejects.
    case double(Double)
    case string(String)
    case array([JSON5Value])
    /// Keys are unique.
    case object([Member])
  }

  var content: Content
  let position: SourcePosition
  /// Whether the text came from an environment variable, so that it may represent a number or a boolean.
  var isSubstituted = false

  /// Returns a member of an object; nil without one, or if this is not an object.
  subscript(key: String) -> JSON5Value? {
    guard case .object(let members) = content else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The name of the type with its article, for messages.
  var kindName: String {
    switch content {
    case .null: "null"
    case .bool: "a truth value"
    case .integer, .double: "a number"
    case .string: "a string"
    case .array: "a list"
    case .object: "an object"
    }
  }

  /// The value without positions. Numbers that JSON cannot represent become null, as in `JSON.stringify`.
  var json: JSONValue {
    switch content {
    case .null: return .null
    case .bool(let flag): return .bool(flag)
    case .integer(let number): return .integer(number)
    case .double(let number): return number.isFinite ? .double(number) : .null
    case .string(let text): return .string(text)
    case .array(let elements): return .array(elements.map(\.json))
    case .object(let members):
      var object = JSONObject()
      for member in members { object[member.key] = member.value.json }
      return .object(object)
    }
  }
}

extension JSON5Reader {
  mutating func readArray() throws(ScenarioError) -> JSON5Value.Content {
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

  mutating func readObject() throws(ScenarioError) -> JSON5Value.Content {
    advance()
    var members: [JSON5Value.Member] = []
    var lines: [String: Int] = [:]
    while true {
      try skipSpace()
      if skip("}") { return .object(members) }
      let start = position
      let key = try readKey()
      if let line = lines[key] {
        throw problem("duplicate key '\(key)', first in line \(line)", at: start, remedy: "remove one")
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

  private mutating func readKey() throws(ScenarioError) -> String {
    guard let first = next else { throw missing("a key or '}'") }
    if first == "\"" || first == "'" { return try readString() }
    guard first.startsIdentifier || first == "\\" else {
      throw unexpected(first, wanted: "a key (in quotes unless it is a plain word) or '}'")
    }
    return try readIdentifier()
  }

  /// Reads an identifier of ECMAScript 5.1 §7.6.
  mutating func readIdentifier() throws(ScenarioError) -> String {
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
        throw problem("\(letter.shown) is not allowed in an unquoted key", at: start, remedy: "put the key in quotes")
      }
      name.append(letter)
    }
    return String(name)
  }

  /// Skips white space and comments.
  mutating func skipSpace() throws(ScenarioError) {
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

  private mutating func skipBlockComment() throws(ScenarioError) {
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
