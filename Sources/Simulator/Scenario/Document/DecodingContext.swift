import Base
internal import Contract

/// The state of reading a scenario: the current path, and all problems so far.
struct DecodingContext {
  private(set) var problems: [ScenarioError] = []
  /// Notes on values that are valid, but may not mean what the author intends.
  private(set) var notes: [ScenarioError] = []
  private(set) var path = ""
  /// Names that other sections may refer to.
  let names: DeclaredNames
  /// The problems that values have with each other.
  private(set) var found: [ScenarioProblem] = []
  /// Tags that an outer choice among variants has already read, for the next section.
  var readTags: [String] = []

  init(names: DeclaredNames) { self.names = names }

  /// Runs `body` inside a step of the path, which is `name` or `[0]`.
  mutating func inside<Result>(_ step: String, _ body: (inout DecodingContext) -> Result) -> Result {
    let outer = path
    path = step.hasPrefix("[") || path.isEmpty ? path + step : "\(path).\(step)"
    defer { path = outer }
    return body(&self)
  }

  mutating func refuse(
    _ kind: ScenarioError.Kind, _ position: SourcePosition, _ message: String, remedy: String
  ) {
    problems.append(ScenarioError(kind, at: position, path: path, message, remedy: remedy))
  }

  mutating func refuse(_ problem: ScenarioError) { problems.append(problem) }

  /// Rejects the value at the path because of others, those at `reads`; what depends on a value that was not read is not told.
  mutating func refuse(_ kind: ScenarioError.Kind, _ message: String, remedy: String, reading reads: [String] = []) {
    found.append(ScenarioProblem(kind, path, message, remedy: remedy, reading: reads))
  }

  /// Rejects a part of the value at the path.
  mutating func refuse(_ problem: ScenarioProblem) { found.append(problem.below(path)) }

  mutating func note(_ position: SourcePosition, _ message: String, remedy: String) {
    notes.append(ScenarioError(.contradiction, at: position, path: path, message, remedy: remedy))
  }

  /// Rejects a value of the wrong type.
  mutating func refuse(_ value: JSON5Value, expected: String) {
    refuse(.wrongType, value.position, "\(value.summary) is not allowed here", remedy: "write \(expected)")
  }

  /// Rejects an unknown word.
  mutating func refuse(
    _ kind: ScenarioError.Kind, _ position: SourcePosition, word: String, as what: String,
    known: [String]
  ) {
    let near = NearestName.find(word, in: known).map { "did you mean '\($0)'?" }
    let list = known.isEmpty ? "there is none" : "there is: \(known.joined(separator: ", "))"
    refuse(kind, position, "no \(what) '\(word)'", remedy: near ?? list)
  }
}

extension JSON5Value {
  /// Small values literally, large ones by their kind.
  private var isNumber: Bool {
    switch content {
    case .integer, .double: true
    case .null, .bool, .string, .array, .object: false
    }
  }

  fileprivate var summary: String {
    switch content {
    case .null: return "null"
    case .bool(let flag): return "\(flag)"
    case .integer(let number): return "\(number)"
    case .double(let number): return number.short
    case .string(let text): return text.unicodeScalars.count <= 60 ? "\"\(text)\"" : "this text"
    case .array(let elements) where elements.count <= 4 && elements.allSatisfy { $0.isNumber }:
      return "[\(elements.map(\.summary).joined(separator: ", "))]"
    case .array, .object: return kindName
    }
  }
}
