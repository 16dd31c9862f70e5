import Base

/// Reads the text of a scenario: applies overrides, substitutes variables, and then checks everything with the tables, so
/// that one pass finds all problems.
package struct ScenarioReader {
  /// A valid scenario, with notes for its author.
  package struct Result: Sendable {
    package var scenario: Scenario
    /// Notes on values that are valid, but may not mean what the author intends.
    package let notes: [ScenarioError]
    /// The document with overrides and variables applied.
    package let document: ScenarioDocument
    /// Where its values are.
    package let places: ScenarioPlaces
  }

  let overrides: [Override]
  let variable: (String) -> String?
  private var textMayBeNumber = false

  /// `variable` reads the environment.
  package init(overrides: [Override] = [], variable: @escaping (String) -> String? = { _ in nil }) {
    self.overrides = overrides
    self.variable = variable
  }

  /// Reads a document that was read before. Its variables are texts by now, whatever their type.
  package static func read(_ document: ScenarioDocument) throws(ScenarioErrors) -> Result {
    var reader = ScenarioReader()
    reader.textMayBeNumber = true
    return try reader.read(document.text)
  }

  /// Reads a text. `others` returns the problems that only other parts of the program can find; they are reported with all
  /// others. The scenario that it receives lacks what could not be read.
  package func read(
    _ text: String, others: (Scenario) -> [ScenarioProblem] = { _ in [] }
  ) throws(ScenarioErrors) -> Result {
    var document = try parse(text)
    let written = DeclaredNames(in: document).names(in: .fleets)
    var problems = apply(to: &document)
    let resolved = ScenarioDocument(document)
    var inheritance = MotionInheritance(of: document)
    if case .object(var members) = document.content, let motions = inheritance.resolved(),
      let index = members.firstIndex(where: { $0.key == "motion" })
    {
      members[index].value = motions
      document.content = .object(members)
    }
    var context = DecodingContext(names: DeclaredNames(in: document))
    problems += inheritance.problems
    for problem in problems { context.refuse(problem) }
    let scenario = ValueCodec<Scenario>.section().read(document, &context)
    if let scenario { context.judge(scenario, document, others: others) }
    guard let scenario, context.problems.isEmpty else { throw ScenarioErrors(context.problems) }
    return Result(
      scenario: scenario, notes: context.notes.inReadingOrder + newFleets(beside: written), document: resolved,
      places: ScenarioPlaces(document: document))
  }

  /// Returns the mode of a text's clock, whatever else is wrong with it.
  package func mode(of text: String) throws(ScenarioErrors) -> ClockMode {
    var document = try parse(text)
    _ = apply(to: &document)
    var context = DecodingContext(names: DeclaredNames(in: document))
    return document["clock"].flatMap { ValueCodec<Clock>.section().read($0, &context) }?.mode ?? Clock().mode
  }

  /// Applies the overrides and the variables; returns what is wrong with them.
  private func apply(to document: inout JSON5Value) -> [ScenarioError] {
    var problems: [ScenarioError] = []
    for (index, override) in overrides.enumerated() {
      do throws(ScenarioError) { try document.apply(override, number: index + 1) } catch { problems.append(error) }
    }
    var substitution = Substitution(variable: variable, marksAll: textMayBeNumber)
    substitution.replace(in: &document)
    return problems + substitution.problems
  }

  /// Returns notes on new fleets: a misspelt name adds a fleet, which is allowed, but rarely intended.
  private func newFleets(beside written: [String]) -> [ScenarioError] {
    guard !written.isEmpty else { return [] }
    var notes: [ScenarioError] = []
    var known = Set(written)
    for (index, override) in overrides.enumerated() {
      guard let path = DocumentPath(override.path), path.steps.first == .key("fleets"), path.steps.count > 1,
        case .key(let name) = path.steps[1], known.insert(name).inserted
      else { continue }
      let near = NearestName.find(name, in: written).map { "did you mean '\($0)'?" }
      notes.append(
        ScenarioError(
          .undeclared, at: SourcePosition(source: index + 1, line: 1, column: 1), path: "fleets.\(name)",
          "this adds a fleet", remedy: near ?? "the scenario has \(written.joined(separator: ", "))"))
    }
    return notes
  }

  private func parse(_ text: String) throws(ScenarioErrors) -> JSON5Value {
    do throws(ScenarioError) { return try JSON5Reader.read(text) } catch { throw ScenarioErrors([error]) }
  }
}

/// A `--set path=value`, or an equivalent flag.
package struct Override: Equatable, Sendable {
  /// The argument as given, for messages: `--set clock.duration=1h`, `--seed 7`.
  package let origin: String
  /// `fleets.couriers.stages[0].target`; names with dots are bracketed and quoted, `thresholds["a.b"]`. After `outputs[]` the
  /// value is appended to the list.
  package let path: String
  /// JSON5, or an unquoted text.
  package let value: String

  package init(origin: String, path: String, value: String) {
    self.origin = origin
    self.path = path
    self.value = value
  }

  /// Parses `path=value`; nil without an equals sign or with an empty path. A bracketed path may contain one.
  package init?(setting text: String) {
    var isQuoted = false
    guard
      let place = text.firstIndex(where: {
        if $0 == "\"" { isQuoted.toggle() }
        return $0 == "=" && !isQuoted
      }), place != text.startIndex
    else { return nil }
    self.init(
      origin: "--set \(text)", path: String(text[..<place]), value: String(text[text.index(after: place)...]))
  }
}

extension JSON5Value {
  /// Sets the value of an override at its path, creating objects on the way. `number` counts the overrides from 1 and is
  /// stored in the positions.
  mutating func apply(_ override: Override, number: Int) throws(ScenarioError) {
    let isElement = override.path.hasSuffix("[]")
    guard let path = DocumentPath(isElement ? String(override.path.dropLast(2)) : override.path) else {
      throw ScenarioError(
        .unresolved, at: SourcePosition(source: number, line: 1, column: 1), path: "",
        "'\(override.path)' is not a path", remedy: "write it as in fleets.couriers.stages[0].target")
    }
    let value = JSON5Value.overriding(override.value, number: number)
    try set(path.steps[...], to: value, isElement: isElement, of: override, number)
  }

  /// Parses the value of an override. A text that is not JSON5 is taken literally, so that durations and URLs need no quotes.
  private static func overriding(_ text: String, number: Int) -> JSON5Value {
    do throws(ScenarioError) { return try JSON5Reader.read(text, source: number) } catch {
      return JSON5Value(content: .string(text), position: SourcePosition(source: number, line: 1, column: 1))
    }
  }

  private mutating func set(
    _ steps: ArraySlice<DocumentPath.Step>, to value: JSON5Value, isElement: Bool, of override: Override, _ number: Int
  ) throws(ScenarioError) {
    guard let step = steps.first else {
      guard isElement else { return self = value }
      switch content {
      case .array(let elements): content = .array(elements + [value])
      // Created on the way to this element.
      case .object([]): content = .array([value])
      default: throw unreachable("\(kindName) has no elements", remedy: "name a list", override, number)
      }
      return
    }
    switch (step, content) {
    case (.key(let name), .object(var members)):
      let index = members.firstIndex { $0.key == name } ?? members.count
      if index == members.count {
        let empty = JSON5Value(content: .object([]), position: value.position)
        members.append(Member(key: name, position: value.position, value: empty))
      }
      try members[index].value.set(steps.dropFirst(), to: value, isElement: isElement, of: override, number)
      content = .object(members)
    case (.index(let index), .array(var elements)) where index < elements.count:
      try elements[index].set(steps.dropFirst(), to: value, isElement: isElement, of: override, number)
      content = .array(elements)
    case (.index(let index), .array(let elements)):
      throw unreachable(
        "there is no element \(index)",
        remedy: elements.isEmpty ? "the list is empty" : "the last one is \(elements.count - 1)", override, number)
    case (.key(let name), _):
      throw unreachable("\(kindName) has no key '\(name)'", remedy: "set the whole value", override, number)
    case (.index, _):
      throw unreachable("\(kindName) has no elements", remedy: "name a key instead", override, number)
    }
  }

  private func unreachable(_ message: String, remedy: String, _ override: Override, _ number: Int) -> ScenarioError {
    ScenarioError(
      .unresolved, at: SourcePosition(source: number, line: 1, column: 1), path: override.path, message, remedy: remedy)
  }
}
