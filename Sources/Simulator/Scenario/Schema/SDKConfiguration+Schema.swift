internal import Contract
internal import JSON

extension SDKConfiguration {
  /// The keys of the SDK, in their groups and flat, from the table by which devices read them. Devices convert numbers
  /// and truth values themselves, so that the schema leaves the types to the words.
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
