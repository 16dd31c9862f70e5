import Base
internal import JSON

/// A walk over a configuration document with keys in groups, flat keys, or both. Keys take effect in the order of the
/// document, so of one key given twice the last counts. Objects that are groups merge; every other value replaces the
/// old one unless its row says otherwise (SDK §1).
struct ConfigurationDocument {
  private(set) var configuration: Configuration
  private(set) var warnings: [ConfigurationWarning] = []

  init(applying document: JSONObject, to configuration: Configuration) {
    self.configuration = configuration
    for member in document.members { applyMember(member.key, member.value) }
  }

  private mutating func applyMember(_ name: String, _ value: JSONValue) {
    if let group = ConfigurationGroup.topLevel.first(where: { $0.rawValue == name }) {
      applyGroup(group, value)
    } else if name == "filter" {
      applyGroup(.filter, value)
    } else if let key = ConfigurationTable.key(flatName: name) {
      write(value, key)
    } else if name == ReadyKey.reset || name == ReadyKey.transistorAuthorizationToken {
      warnings.append(.readyOnly(name))
    } else if name != ConfigurationTable.deprecatedPropertiesFlag {
      warnings.append(.unknownKey(name, nearest: NearestName.find(name, in: ConfigurationTable.namesOutsideGroups)))
    }
  }

  private mutating func applyGroup(_ group: ConfigurationGroup, _ value: JSONValue) {
    guard case .object(let members) = value else {
      warnings.append(.wrongType(group.rawValue, expected: "an object", found: value.kindName))
      return
    }
    for member in members.members {
      if group == .geolocation && member.key == "filter" {
        applyGroup(.filter, member.value)
      } else if let key = ConfigurationTable.key(path: group.path(of: member.key)) {
        write(member.value, key)
      } else {
        let nearest = NearestName.find(member.key, in: ConfigurationTable.names(in: group))
        warnings.append(.unknownKey(group.path(of: member.key), nearest: nearest.map(group.path)))
      }
    }
  }

  private mutating func write(_ value: JSONValue, _ key: ConfigurationKey) {
    if let warning = key.write(value, to: &configuration) { warnings.append(warning) }
  }
}

extension ConfigurationKey {
  func write(_ value: JSONValue, to configuration: inout Configuration) -> ConfigurationWarning? {
    switch write(value, &configuration) {
    case nil: nil
    case .wrongType: .wrongType(path, expected: expectation, found: value.kindName)
    case .unknownElement(let element): .wrongType(path, expected: expectation, found: element)
    case .notAllowed(let fallback): .notAllowed(path, expected: expectation, default: fallback)
    case .clamped(let limit): .clamped(path, to: limit)
    case .incomplete(let missing): .incomplete(path, missing: missing)
    }
  }
}
