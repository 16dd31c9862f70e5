import JSON

/// Checks a document against a JSON Schema, as far as ours uses the language. A keyword that it does not know is a
/// complaint, so that nothing passes unchecked.
struct SchemaChecker {
  private let root: JSONValue
  private static let words: Set = [
    "$schema", "$id", "title", "$defs", "description", "default", "examples", "type", "enum", "const", "pattern",
    "minimum",
    "maximum", "items", "minItems", "maxItems", "properties", "required", "additionalProperties", "propertyNames",
    "oneOf",
    "anyOf", "$ref",
  ]

  /// Compiled once: compiling takes longer than matching.
  private let patterns: [String: Regex<AnyRegexOutput>]

  init(_ schema: JSONValue) {
    root = schema
    var patterns: [String: Regex<AnyRegexOutput>] = [:]
    Self.collect(schema, into: &patterns)
    self.patterns = patterns
  }

  private static func collect(_ schema: JSONValue, into patterns: inout [String: Regex<AnyRegexOutput>]) {
    switch schema {
    case .array(let elements): for element in elements { collect(element, into: &patterns) }
    case .object(let object):
      for member in object.members {
        if member.key == "pattern", case .string(let pattern) = member.value, patterns[pattern] == nil {
          do { patterns[pattern] = try Regex(pattern) } catch { patterns[pattern] = nil }
        }
        collect(member.value, into: &patterns)
      }
    case .null, .bool, .integer, .double, .string: break
    }
  }

  func complaints(about document: JSONValue) -> [String] { check(document, root, "") }

  private func check(_ value: JSONValue, _ schema: JSONValue, _ path: String) -> [String] {
    guard case .object(let keywords) = schema else { return ["\(path): no schema"] }
    return keywords.members.flatMap { member -> [String] in
      guard Self.words.contains(member.key) else { return ["\(path): unknown keyword \(member.key)"] }
      return keyword(member.key, member.value, value, schema, path)
    }
  }

  private func keyword(
    _ name: String, _ argument: JSONValue, _ value: JSONValue, _ schema: JSONValue, _ path: String
  ) -> [String] {
    switch name {
    case "$ref":
      guard case .string(let reference) = argument,
        let target = root["$defs"]?[String(reference.dropFirst("#/$defs/".count))]
      else { return ["\(path): \(argument) leads nowhere"] }
      return check(value, target, path)
    case "type": return complain(argument == .string(value.typeName) || isInteger(value, argument), "\(argument)", path)
    case "const": return complain(argument == value, "not \(argument)", path)
    case "enum":
      guard case .array(let choices) = argument else { return ["\(path): enum"] }
      return complain(choices.contains(value), "none of \(choices)", path)
    case "pattern":
      guard case .string(let pattern) = argument, case .string(let text) = value else { return [] }
      return complain(matches(text, pattern), "'\(text)' does not match \(pattern)", path)
    case "minimum": return complain((value.number ?? .infinity) >= (argument.number ?? 0), "too small", path)
    case "maximum": return complain((value.number ?? -.infinity) <= (argument.number ?? 0), "too large", path)
    case "anyOf", "oneOf": return alternatives(name, argument, value, path)
    case "items", "minItems", "maxItems": return list(name, argument, value, path)
    case "properties", "required", "additionalProperties", "propertyNames":
      return object(name, argument, value, schema, path)
    default: return []
    }
  }

  private func alternatives(_ name: String, _ argument: JSONValue, _ value: JSONValue, _ path: String) -> [String] {
    guard case .array(let schemas) = argument else { return ["\(path): \(name)"] }
    var results: [[String]] = []
    for schema in schemas {
      let complaints = check(value, schema, path)
      if name == "anyOf", complaints.isEmpty { return [] }
      results.append(complaints)
    }
    let fitting = results.count { $0.isEmpty }
    if name == "oneOf", fitting == 1 { return [] }
    return ["\(path): \(fitting) of \(name) fit: \(results.min { $0.count < $1.count } ?? [])"]
  }

  private func list(_ name: String, _ argument: JSONValue, _ value: JSONValue, _ path: String) -> [String] {
    guard case .array(let elements) = value else { return [] }
    let count = Double(elements.count)
    switch name {
    case "items": return elements.enumerated().flatMap { check($1, argument, "\(path)[\($0)]") }
    case "minItems": return complain(count >= (argument.number ?? 0), "too few", path)
    default: return complain(count <= (argument.number ?? 0), "too many", path)
    }
  }

  private func object(
    _ name: String, _ argument: JSONValue, _ value: JSONValue, _ schema: JSONValue, _ path: String
  ) -> [String] {
    guard case .object(let object) = value else { return [] }
    switch name {
    case "properties":
      return object.members.flatMap { member in
        argument[member.key].map { check(member.value, $0, "\(path).\(member.key)") } ?? []
      }
    case "required":
      guard case .array(let names) = argument else { return ["\(path): required"] }
      return names.filter { if case .string(let name) = $0 { object[name] == nil } else { true } }
        .map { "\(path): \($0) is missing" }
    case "propertyNames": return object.members.flatMap { check(.string($0.key), argument, path) }
    default:
      let others = object.members.filter { schema["properties"]?[$0.key] == nil }
      if argument == .bool(false) { return others.map { "\(path): \($0.key) is too much" } }
      return others.flatMap { check($0.value, argument, "\(path).\($0.key)") }
    }
  }

  private func complain(_ isFine: Bool, _ words: @autoclosure () -> String, _ path: String) -> [String] {
    isFine ? [] : ["\(path): \(words())"]
  }

  private func isInteger(_ value: JSONValue, _ type: JSONValue) -> Bool {
    type == .string("number") && value.number != nil
  }

  private func matches(_ text: String, _ pattern: String) -> Bool {
    do { return try patterns[pattern]?.firstMatch(in: text) != nil } catch { return false }
  }
}

extension JSONValue {
  fileprivate var typeName: String {
    switch self {
    case .null: "null"
    case .bool: "boolean"
    case .integer: "integer"
    case .double: "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }

  fileprivate var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .double(let number): number
    case .null, .bool, .string, .array, .object: nil
    }
  }
}
