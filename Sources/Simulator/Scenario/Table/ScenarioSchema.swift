internal import Contract
package import JSON

/// The JSON Schema (https://json-schema.org/draft/2020-12) of a scenario, made from the tables that read it.
package struct ScenarioSchema {
  private var definitions = JSONObject()

  package static let document = document(
    of: Scenario.table.schema, id: "rolling-road-scenario-1.schema.json", title: "A scenario of Rolling Road")
  /// The schema of a dialect.
  package static let dialect = document(
    of: Dialect.table.schema, id: "rolling-road-dialect-1.schema.json", title: "A dialect of Rolling Road")

  private static func document(of root: SectionSchema, id: String, title: String) -> JSONValue {
    var schema = ScenarioSchema()
    var object: JSONObject = [
      "$schema": .string("https://json-schema.org/draft/2020-12/schema"),
      "$id": .string(id), "title": .string(title),
    ]
    let body = schema.section(root, tags: [])
    for member in body.members { object[member.key] = member.value }
    schema.definitions["variable"] = .object([
      "description": .string("The value of a variable of the environment, with a default behind \":-\"."),
      "type": .string("string"), "pattern": .string("\\$\\{"),
    ])
    object["$defs"] = .object(schema.definitions)
    return .object(object)
  }

  /// Returns an object with the keys of a table; `tags` are constants that select it among variants.
  private mutating func section(
    _ section: SectionSchema, tags: [(key: String, name: String, isStandard: Bool)]
  ) -> JSONObject {
    var properties = JSONObject()
    var required: [JSONValue] = []
    for tag in tags {
      properties[tag.key] = .object(["const": .string(tag.name)])
      if !tag.isStandard { required.append(.string(tag.key)) }
    }
    for key in section.keys {
      properties[key.name] = property(key)
      if key.isRequired { required.append(.string(key.name)) }
    }
    var object: JSONObject = [
      "description": .string(section.text), "type": .string("object"), "properties": .object(properties),
      "additionalProperties": .bool(false),
    ]
    if !required.isEmpty { object["required"] = .array(required) }
    return object
  }

  private mutating func property(_ key: KeySchema) -> JSONValue {
    var object = schema(of: key.schema)
    object["description"] = .string(key.text)
    object["default"] = key.standard
    return .object(object)
  }

  private mutating func schema(of value: ValueSchema) -> JSONObject {
    switch value {
    case .boolean: return orVariable(["type": .string("boolean")])
    case .integer(let range):
      return orVariable([
        "type": .string("integer"), "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound),
      ])
    case .number(let range):
      return orVariable([
        "type": .string("number"), "minimum": .double(range.lowerBound), "maximum": .double(range.upperBound),
      ])
    case .text(let pattern, _):
      guard let pattern else { return ["type": .string("string")] }
      return orVariable(["type": .string("string"), "pattern": .string(pattern)])
    case .choice(let names): return orVariable(["enum": .array(names.map { .string($0) })])
    case .measure(let measure):
      return [
        "anyOf": .array([
          .object([
            "type": .string("string"), "pattern": .string(measure.pattern),
            "examples": .array([.string(measure.example)]),
          ]), .object(["const": .integer(0)]), variable,
        ])
      ]
    case .list(let element, let count):
      return [
        "type": .string("array"), "items": .object(schema(of: element)),
        "minItems": .integer(Int64(count.lowerBound)), "maxItems": .integer(Int64(count.upperBound)),
      ]
    case .map(let element, let names):
      var object: JSONObject = ["type": .string("object"), "additionalProperties": .object(schema(of: element))]
      if let names { object["propertyNames"] = .object(["enum": .array(names.map { .string($0) })]) }
      return object
    case .section(let section): return reference(to: section, tags: [])
    case .variants: return ["oneOf": .array(alternatives(of: value, tags: []))]
    case .anyOf(let shapes): return ["anyOf": .array(shapes.map { .object(schema(of: $0)) })]
    case .configuration: return configuration()
    case .open(let words): return ["description": .string(words)]
    }
  }

  /// Flattens nested variants: each has all tags.
  private mutating func alternatives(
    of schema: ValueSchema, tags: [(key: String, name: String, isStandard: Bool)]
  ) -> [JSONValue] {
    switch schema {
    case .variants(let tag, let standard, let variants):
      return variants.flatMap { variant in
        alternatives(of: variant.schema, tags: tags + [(tag, variant.name, variant.name == standard)])
      }
    case .section(let section): return [.object(reference(to: section, tags: tags))]
    case .boolean, .integer, .number, .text, .choice, .measure, .list, .map, .anyOf, .configuration, .open:
      preconditionFailure("a variant is a section")
    }
  }

  private mutating func reference(
    to section: SectionSchema, tags: [(key: String, name: String, isStandard: Bool)]
  ) -> JSONObject {
    if definitions[section.name] == nil {
      // A placeholder, so that definitions keep the order of the text.
      definitions[section.name] = .null
      definitions[section.name] = .object(self.section(section, tags: tags))
    }
    return ["$ref": .string("#/$defs/\(section.name)")]
  }

  private func orVariable(_ schema: JSONObject) -> JSONObject { ["anyOf": .array([.object(schema), variable])] }

  private var variable: JSONValue { .object(["$ref": .string("#/$defs/variable")]) }

  private mutating func configuration() -> JSONObject {
    if definitions["sdk-config"] == nil { definitions["sdk-config"] = .object(SDKConfiguration.schema) }
    return ["$ref": .string("#/$defs/sdk-config")]
  }
}

extension SDKConfiguration {
  /// The keys of the SDK, grouped and flat, from the table by which devices read them. Devices convert numbers and booleans
  /// themselves, so the schema leaves types open.
  static var schema: JSONObject {
    var properties = JSONObject()
    for group in ConfigurationGroup.topLevel {
      var members = keys(of: group)
      if group == .geolocation { members["filter"] = .object(closed(keys(of: .filter))) }
      properties[group.rawValue] = .object(closed(members))
    }
    properties["filter"] = .object(closed(keys(of: .filter)))
    for key in ConfigurationTable.all {
      for name in [key.flatName].compactMap({ $0 }) + key.aliases where properties[name] == nil {
        properties[name] = description(of: key)
      }
    }
    properties[ConfigurationTable.deprecatedPropertiesFlag] = .object(["type": .string("boolean")])
    var object = closed(properties)
    object["description"] = .string("The SDK's configuration under its own names, in groups or flat.")
    return object
  }

  private static func keys(of group: ConfigurationGroup) -> JSONObject {
    var members = JSONObject()
    for key in ConfigurationTable.all where key.group == group { members[key.name] = description(of: key) }
    return members
  }

  private static func description(of key: ConfigurationKey) -> JSONValue {
    .object(["description": .string(key.expectation)])
  }

  private static func closed(_ properties: JSONObject) -> JSONObject {
    ["type": .string("object"), "properties": .object(properties), "additionalProperties": .bool(false)]
  }
}

extension JSONValue {
  /// The text, indented by two spaces for people and diffs; lists of numbers stay on one line.
  package var pretty: String { pretty(indentation: "") }

  private func pretty(indentation: String) -> String {
    let inner = indentation + "  "
    switch self {
    case .array(let elements) where !elements.isEmpty && !elements.allSatisfy(\.isNumeric):
      return "[\n" + elements.map { inner + $0.pretty(indentation: inner) }.joined(separator: ",\n")
        + "\n\(indentation)]"
    case .object(let object) where !object.members.isEmpty:
      let lines = object.members.map { member in
        "\(inner)\(JSONValue.string(member.key).pretty): \(member.value.pretty(indentation: inner))"
      }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(indentation)}"
    case .null, .bool, .integer, .double, .string, .array, .object:
      return serializedText
    }
  }

  private var isNumeric: Bool {
    switch self {
    case .integer, .double: true
    case .array(let elements): elements.allSatisfy(\.isNumeric)
    case .null, .bool, .string, .object: false
    }
  }
}
