import Base
package import JSON

/// Checks values against the part of JSON Schema 2020-12 that our contract uses. A keyword that it does not know is a
/// problem, never passed over.
package struct JSONSchema {
  /// Where `$ref`s lead.
  private let document: JSONValue

  package init(within document: JSONValue) { self.document = document }

  /// What `reference`, of the form `#/components/schemas/Error`, stands for; nil when there is nothing.
  package func resolve(_ reference: String) -> JSONValue? {
    guard reference.hasPrefix("#/") else { return nil }
    let keys = reference.dropFirst(2).split(separator: "/")
    return keys.reduce(document as JSONValue?) { value, key in value?[String(key)] }
  }

  /// Sentences with the place in the value; none when it fits.
  package func problems(of value: JSONValue, in schema: JSONValue, at place: String = "$") -> [String] {
    guard case .object(let keywords) = schema else { return ["\(place): the schema is no object"] }
    return keywords.members.flatMap { keyword in
      problems(of: value, keyword.key, keyword.value, beside: schema, at: place)
    }
  }

  private func problems(
    of value: JSONValue, _ keyword: String, _ argument: JSONValue, beside schema: JSONValue, at place: String
  ) -> [String] {
    switch keyword {
    case "description", "default", "title", "$schema", "x-itemSchema": return []
    case "$ref": return reference(argument, value, at: place)
    case "allOf", "anyOf", "oneOf": return combination(keyword, argument.elements, value, at: place)
    case "type":
      let names = argument.elements.isEmpty ? [argument] : argument.elements
      return names.contains { value.has(type: $0) } ? [] : ["\(place): is not \(names.map(\.text))"]
    case "const": return value == argument ? [] : ["\(place): is not \(argument.text)"]
    case "enum": return argument.elements.contains(value) ? [] : ["\(place): \(value.text) is none of \(argument.text)"]
    case "required", "properties", "additionalProperties":
      guard case .object(let object) = value else { return [] }
      return problems(of: object, keyword, argument, beside: schema, at: place)
    case "items", "prefixItems", "minItems", "maxItems":
      guard case .array(let elements) = value else { return [] }
      return problems(of: elements, keyword, argument, beside: schema, at: place)
    case "format", "pattern", "minLength", "maxLength":
      guard case .string(let text) = value else { return [] }
      return problems(of: text, keyword, argument, at: place)
    case "minimum", "maximum":
      guard let number = value.number, let bound = argument.number else { return [] }
      let isWithin = keyword == "minimum" ? number >= bound : number <= bound
      return isWithin ? [] : ["\(place): \(number) is beyond the \(keyword) \(bound)"]
    default: return ["\(place): the keyword \(keyword) is not known to the checker"]
    }
  }

  private func reference(_ argument: JSONValue, _ value: JSONValue, at place: String) -> [String] {
    guard case .string(let reference) = argument, let target = resolve(reference) else {
      return ["\(place): \(argument.text) leads nowhere"]
    }
    return problems(of: value, in: target, at: place)
  }

  private func combination(
    _ keyword: String, _ schemas: [JSONValue], _ value: JSONValue, at place: String
  ) -> [String] {
    let found = schemas.map { problems(of: value, in: $0, at: place) }
    let fitting = found.count { $0.isEmpty }
    switch keyword {
    case "allOf": return found.flatMap { $0 }
    case "oneOf" where fitting > 1: return ["\(place): fits \(fitting) of the alternatives"]
    default: return fitting > 0 ? [] : ["\(place): fits none of the alternatives: \(found)"]
    }
  }

  private func problems(
    of object: JSONObject, _ keyword: String, _ argument: JSONValue, beside schema: JSONValue, at place: String
  ) -> [String] {
    switch keyword {
    case "required":
      return argument.elements.filter { object[$0.string ?? ""] == nil }.map { "\(place): \($0.text) is missing" }
    case "properties":
      return object.members.flatMap { member in
        argument[member.key].map { problems(of: member.value, in: $0, at: "\(place).\(member.key)") } ?? []
      }
    default:
      let others = object.members.filter { schema["properties"]?[$0.key] == nil }
      switch argument {
      case .bool(true): return []
      case .bool(false): return others.map { "\(place): nobody knows \($0.key)" }
      default: return others.flatMap { problems(of: $0.value, in: argument, at: "\(place).\($0.key)") }
      }
    }
  }

  private func problems(
    of elements: [JSONValue], _ keyword: String, _ argument: JSONValue, beside schema: JSONValue, at place: String
  ) -> [String] {
    switch keyword {
    case "items":
      let skipped = schema["prefixItems"]?.elements.count ?? 0
      return elements.enumerated().dropFirst(skipped).flatMap { index, element in
        problems(of: element, in: argument, at: "\(place)[\(index)]")
      }
    case "prefixItems":
      return zip(elements, argument.elements).enumerated().flatMap { index, pair in
        problems(of: pair.0, in: pair.1, at: "\(place)[\(index)]")
      }
    default:
      let bound = Int(argument.number ?? 0)
      let isWithin = keyword == "minItems" ? elements.count >= bound : elements.count <= bound
      return isWithin ? [] : ["\(place): \(elements.count) elements are beyond the \(keyword) \(bound)"]
    }
  }

  private func problems(of text: String, _ keyword: String, _ argument: JSONValue, at place: String) -> [String] {
    let fits: Bool
    switch (keyword, argument.string) {
    case ("format", "uuid"): fits = UUID128(text: text.utf8.span) != nil
    case ("format", "date-time"): fits = WallInstant(iso8601: text.utf8.span) != nil
    case ("pattern", let pattern?):
      do { fits = try Regex(pattern).firstMatch(in: text) != nil } catch { return ["\(place): \(pattern): \(error)"] }
    case ("minLength", _): fits = text.unicodeScalars.count >= Int(argument.number ?? 0)
    case ("maxLength", _): fits = text.unicodeScalars.count <= Int(argument.number ?? 0)
    default: return ["\(place): the \(keyword) \(argument.text) is not known to the checker"]
    }
    return fits ? [] : ["\(place): \(text) does not fit the \(keyword) \(argument.text)"]
  }
}

extension JSONValue {
  /// Those of an array; none of anything else.
  package var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }

  /// Those of an object, in order; none of anything else.
  package var members: [JSONObject.Member] { if case .object(let object) = self { object.members } else { [] } }

  package var string: String? { if case .string(let text) = self { text } else { nil } }

  /// As JSON.
  package var text: String {
    var writer = JSONWriter(capacity: 64)
    write(to: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Whole or not.
  package var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .double(let number): number
    default: nil
    }
  }

  fileprivate func has(type: JSONValue) -> Bool {
    switch (type.string, self) {
    case ("null", .null), ("boolean", .bool), ("string", .string), ("array", .array), ("object", .object),
      ("integer", .integer), ("number", .integer), ("number", .double):
      true
    case ("integer", .double(let number)): number == number.rounded()
    default: false
    }
  }
}
