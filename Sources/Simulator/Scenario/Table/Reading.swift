import Base

/// What is known while a scenario is read: where the reader stands, and all that was found wrong so far.
struct Reading {
  private(set) var problems: [ScenarioProblem] = []
  /// What takes effect, though not as the author may think.
  private(set) var notes: [ScenarioProblem] = []
  private(set) var notYet: [ScenarioProblem] = []
  private(set) var path = ""
  /// Names that other sections may use.
  let names: DeclaredNames
  /// Tags that an outer choice among variants has read already; the next section takes them for known.
  var readTags: [String] = []

  init(names: DeclaredNames) { self.names = names }

  /// `step` is `name` or `[0]`.
  mutating func inside<Result>(_ step: String, _ body: (inout Reading) -> Result) -> Result {
    let outer = path
    path = step.hasPrefix("[") || path.isEmpty ? path + step : "\(path).\(step)"
    defer { path = outer }
    return body(&self)
  }

  mutating func refuse(
    _ kind: ScenarioProblem.Kind, _ position: SourcePosition, _ message: String, remedy: String
  ) {
    problems.append(ScenarioProblem(kind, at: position, path: path, message, remedy: remedy))
  }

  mutating func refuse(_ problem: ScenarioProblem) { problems.append(problem) }

  mutating func note(_ position: SourcePosition, _ message: String, remedy: String) {
    notes.append(ScenarioProblem(.contradiction, at: position, path: path, message, remedy: remedy))
  }

  /// The value is not what the key takes.
  mutating func refuse(_ value: JSON5Value, expected: String) {
    refuse(.wrongType, value.position, "\(value.summary) cannot stand here", remedy: "write \(expected)")
  }

  mutating func postpone(_ position: SourcePosition, _ reason: String) {
    notYet.append(
      ScenarioProblem(
        .notYet, at: position, path: path, "this version cannot do that yet: \(reason)", remedy: "take it out"))
  }

  /// For a word that is none of the known ones.
  mutating func refuse(
    _ kind: ScenarioProblem.Kind, _ position: SourcePosition, word: String, as what: String,
    known: [String]
  ) {
    let near = NearestName.find(word, in: known).map { "did you mean '\($0)'?" }
    let list = known.isEmpty ? "there is none" : "there is: \(known.joined(separator: ", "))"
    refuse(kind, position, "no \(what) '\(word)'", remedy: near ?? list)
  }
}

extension JSON5Value {
  /// Small values as they stand, large ones by their kind.
  fileprivate var summary: String {
    switch content {
    case .null: return "null"
    case .bool(let flag): return "\(flag)"
    case .integer(let number): return "\(number)"
    case .double(let number): return number.short
    case .string(let text): return text.unicodeScalars.count <= 60 ? "\"\(text)\"" : "this text"
    case .array, .object: return kindName
    }
  }
}
