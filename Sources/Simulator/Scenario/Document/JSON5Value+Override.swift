extension JSON5Value {
  /// Puts the value of an override at its path, and makes the objects on the way there. `number` counts the overrides
  /// from 1 and goes into the positions.
  mutating func apply(_ override: Override, number: Int) throws(ScenarioProblem) {
    guard let path = DocumentPath(override.path) else {
      throw ScenarioProblem(
        .unresolved, at: SourcePosition(source: number, line: 1, column: 1), path: "",
        "'\(override.path)' is no path", remedy: "write it as in fleets.couriers.stages[0].target")
    }
    try set(path.steps[...], to: JSON5Value.overriding(override.value, number: number), of: override, number)
  }

  /// A text that is no JSON5 stands for itself, so that durations and URLs need no quotes.
  private static func overriding(_ text: String, number: Int) -> JSON5Value {
    do throws(ScenarioProblem) { return try JSON5Reader.read(text, source: number) } catch {
      return JSON5Value(content: .string(text), position: SourcePosition(source: number, line: 1, column: 1))
    }
  }

  private mutating func set(
    _ steps: ArraySlice<DocumentPath.Step>, to value: JSON5Value, of override: Override, _ number: Int
  ) throws(ScenarioProblem) {
    guard let step = steps.first else {
      self = value
      return
    }
    switch (step, content) {
    case (.key(let name), .object(var members)):
      let index = members.firstIndex { $0.key == name } ?? members.count
      if index == members.count {
        let empty = JSON5Value(content: .object([]), position: value.position)
        members.append(Member(key: name, position: value.position, value: empty))
      }
      try members[index].value.set(steps.dropFirst(), to: value, of: override, number)
      content = .object(members)
    case (.index(let index), .array(var elements)) where index < elements.count:
      try elements[index].set(steps.dropFirst(), to: value, of: override, number)
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

  private func unreachable(_ message: String, remedy: String, _ override: Override, _ number: Int) -> ScenarioProblem {
    ScenarioProblem(
      .unresolved, at: SourcePosition(source: number, line: 1, column: 1), path: override.path, message, remedy: remedy)
  }
}
