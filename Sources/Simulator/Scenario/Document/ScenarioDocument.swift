package import JSON

/// A scenario as a tree of JSON values, for what changes one and reads it again. Nothing of the environment is left in it.
package struct ScenarioDocument: Equatable, Sendable {
  /// As it would stand in a file.
  package private(set) var json: JSONValue

  package init(json: JSONValue) { self.json = json }

  init(_ value: JSON5Value) { json = value.escaped.json }

  package var text: String { json.pretty }

  /// Nil where there is nothing.
  package subscript(path: DocumentPath) -> JSONValue? { json.value(at: path.steps[...]) }

  /// Puts a value where there is one, or adds a member to an object that is there; does nothing elsewhere.
  package mutating func set(_ path: DocumentPath, to value: JSONValue) { json.replace(path.steps[...], with: value) }

  package mutating func remove(_ path: DocumentPath) { json.replace(path.steps[...], with: nil) }
}

extension JSONValue {
  fileprivate func value(at steps: ArraySlice<DocumentPath.Step>) -> JSONValue? {
    guard let step = steps.first else { return self }
    switch (step, self) {
    case (.key(let name), .object(let object)): return object[name]?.value(at: steps.dropFirst())
    case (.index(let index), .array(let elements)) where elements.indices.contains(index):
      return elements[index].value(at: steps.dropFirst())
    case (.key, _), (.index, _): return nil
    }
  }

  /// Nil takes away what stands there.
  fileprivate mutating func replace(_ steps: ArraySlice<DocumentPath.Step>, with value: JSONValue?) {
    guard let step = steps.first else { return self = value ?? .null }
    let isLast = steps.count == 1
    switch (step, self) {
    case (.key(let name), .object(var object)):
      if isLast {
        object[name] = value
      } else {
        object[name]?.replace(steps.dropFirst(), with: value)
      }
      self = .object(object)
    case (.index(let index), .array(var elements)) where elements.indices.contains(index):
      if !isLast {
        elements[index].replace(steps.dropFirst(), with: value)
      } else if let value {
        elements[index] = value
      } else {
        elements.remove(at: index)
      }
      self = .array(elements)
    case (.key, _), (.index, _): break
    }
  }
}

extension JSON5Value {
  /// With `$${` wherever a reader would take `${` for a variable.
  fileprivate var escaped: JSON5Value {
    var result = self
    switch content {
    case .null, .bool, .integer, .double: break
    case .string(let text): result.content = .string(JSON5Value.escaped(text))
    case .array(let elements): result.content = .array(elements.map(\.escaped))
    case .object(let members):
      result.content = .object(
        members.map { member in
          var member = member
          member.value = member.value.escaped
          return member
        })
    }
    return result
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    var rest = Substring(text)
    while let first = rest.first {
      let isPlaceholder = DevicePlaceholders.names.contains { rest.hasPrefix("${\($0)}") }
      if rest.hasPrefix("${") && !isPlaceholder { result.append("$") }
      result.append(first)
      rest = rest.dropFirst()
    }
    return result
  }
}
