package import JSON

extension Configuration {
  /// The groups. Applied to the defaults of the platform it gives this configuration again, except for the pace.
  package var groups: JSONObject {
    var document = JSONObject()
    for group in ConfigurationGroup.topLevel {
      var members = members(of: group)
      if group == .geolocation { members["filter"] = .object(self.members(of: .filter)) }
      document[group.rawValue] = .object(members)
    }
    return document
  }

  /// What of the groups is not as the platform has it by itself. Applied to the defaults of the platform it gives this
  /// configuration again, except for the pace.
  package var changedGroups: JSONObject {
    let defaults = Configuration(platform: platform)
    let differing = differingGroups(from: defaults)
    var document = JSONObject()
    for group in ConfigurationGroup.topLevel where differing.contains(group) {
      var members = members(of: group, unlike: defaults)
      let filter = group == .geolocation ? self.members(of: .filter, unlike: defaults) : JSONObject()
      if !filter.members.isEmpty { members["filter"] = .object(filter) }
      document[group.rawValue] = .object(members)
    }
    return document
  }

  /// The groups, and their keys once more outside them, as apps written for version 4 expect. Tokens and the filter stand
  /// only in their groups. The rest of the SDK's state (`enabled`, `odometer` …) is the engine's to add.
  package var stateDictionary: JSONObject {
    var document = groups
    for key in writtenKeys where key.group != .root {
      if let name = key.flatName { document[name] = key.read(self) }
    }
    document[ConfigurationTable.deprecatedPropertiesFlag] = .bool(true)
    return document
  }

  private func members(of group: ConfigurationGroup, unlike other: Configuration? = nil) -> JSONObject {
    var object = JSONObject()
    for key in writtenKeys where key.group == group {
      let value = key.read(self)
      if other.map({ key.read($0) != value }) ?? true { object[key.name] = value }
    }
    return object
  }

  private var writtenKeys: [ConfigurationKey] {
    ConfigurationTable.all.filter { $0.platform == nil || $0.platform == platform }
  }
}
