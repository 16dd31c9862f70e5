/// Reads one JSON5 text (https://spec.json5.org) into values with positions. The strict reader of the wire stays as it
/// is: a request is written by a program, a scenario by a person.
///
/// Narrower than the specification in three points: a key may not occur twice in one object, lone surrogates are
/// refused because they are no text, and nesting ends at 64.
struct JSON5Reader {
  static let greatestDepth = 64

  let scalars: [Unicode.Scalar]
  let source: Int
  var index = 0
  private var line = 1
  private var column = 1
  private var depth = 0

  /// The one value of a complete text; `source` goes into every position.
  static func read(_ text: String, source: Int = 0) throws(ScenarioProblem) -> JSON5Value {
    var reader = JSON5Reader(scalars: Array(text.unicodeScalars), source: source)
    let value = try reader.readValue()
    try reader.skipSpace()
    if let next = reader.next { throw reader.unexpected(next, wanted: "nothing more after the value") }
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
    // CR LF is one line end.
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

  /// The value behind any space.
  mutating func readValue() throws(ScenarioProblem) -> JSON5Value {
    try skipSpace()
    let start = position
    guard let first = next else { throw missing("a value") }
    let content: JSON5Value.Content
    switch first {
    case "{": content = try nested { (reader) throws(ScenarioProblem) in try reader.readObject() }
    case "[": content = try nested { (reader) throws(ScenarioProblem) in try reader.readArray() }
    case "\"", "'": content = .string(try readString())
    case "+", "-", ".", "0"..."9", "I", "N": content = try readNumber()
    default: content = try readWord(first)
    }
    return JSON5Value(content: content, position: start)
  }

  private mutating func nested(
    _ read: (inout JSON5Reader) throws(ScenarioProblem) -> JSON5Value.Content
  ) throws(ScenarioProblem) -> JSON5Value.Content {
    guard depth < Self.greatestDepth else {
      throw problem("nested deeper than \(Self.greatestDepth)", remedy: "take some brackets away")
    }
    depth += 1
    defer { depth -= 1 }
    return try read(&self)
  }

  private mutating func readWord(_ first: Unicode.Scalar) throws(ScenarioProblem) -> JSON5Value.Content {
    guard first.startsIdentifier else { throw unexpected(first, wanted: "a value") }
    let start = position
    switch try readIdentifier() {
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    case let word:
      throw ScenarioProblem(
        .syntax, at: start, path: "", "'\(word)' is no value", remedy: "a text needs quotes: \"\(word)\"")
    }
  }

  func problem(_ message: String, at place: SourcePosition? = nil, remedy: String) -> ScenarioProblem {
    ScenarioProblem(.syntax, at: place ?? position, path: "", message, remedy: remedy)
  }

  func missing(_ wanted: String) -> ScenarioProblem {
    problem("the text ends too early", remedy: "here must come \(wanted)")
  }

  func unexpected(_ found: Unicode.Scalar?, wanted: String) -> ScenarioProblem {
    guard let found else { return missing(wanted) }
    return problem("unexpected \(found.shown)", remedy: "here must come \(wanted)")
  }
}
