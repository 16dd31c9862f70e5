internal import JSON

/// Rows whose values are objects.
extension ConfigurationKey {
  /// An object of the app's own keys. It is replaced as a whole: only so can a header or a parameter be taken away
  /// again, and SDK §2.8 gives `{}` for the refresh headers the meaning "none".
  static func object(_ name: String, _ property: Property<JSONValue>) -> ConfigurationKey {
    ConfigurationKey(name, expecting: "an object") {
      $0[keyPath: property]
    } write: { value, configuration in
      guard case .object = value else { return .wrongType }
      configuration[keyPath: property] = value
      return nil
    }
  }

  /// An object of the SDK's keys: the keys given replace, the others stay (SDK §2.4).
  static func mergedObject(_ name: String, _ property: Property<JSONValue>) -> ConfigurationKey {
    ConfigurationKey(name, expecting: "an object") {
      $0[keyPath: property]
    } write: { value, configuration in
      guard case .object = value else { return .wrongType }
      configuration[keyPath: property] = configuration[keyPath: property].merging(value)
      return nil
    }
  }

  /// The five texts of the alert, of which none may be missing (SDK §2.1).
  static func alert(_ name: String, _ property: Property<LocationAuthorizationAlert>) -> ConfigurationKey {
    let texts: [(name: String, property: any WritableKeyPath<LocationAuthorizationAlert, String> & Sendable)] = [
      ("titleWhenOff", \.titleWhenOff),
      ("titleWhenNotEnabled", \.titleWhenNotEnabled),
      ("instructions", \.instructions),
      ("cancelButton", \.cancelButton),
      ("settingsButton", \.settingsButton),
    ]
    return ConfigurationKey(name, expecting: "an object of " + texts.map(\.name).joined(separator: ", ")) {
      let alert = $0[keyPath: property]
      var object = JSONObject()
      for text in texts { object[text.name] = .string(alert[keyPath: text.property]) }
      return .object(object)
    } write: { value, configuration in
      guard case .object(let object) = value else { return .wrongType }
      let missing = texts.map(\.name).filter { object[$0] == nil }
      guard missing.isEmpty else { return .incomplete(missing: missing) }
      var alert = LocationAuthorizationAlert()
      for text in texts {
        guard case .string(let words)? = object[text.name] else { return .wrongType }
        alert[keyPath: text.property] = words
      }
      configuration[keyPath: property] = alert
      return nil
    }
  }
}

extension JSONValue {
  /// Members of both objects, those of the other one counting; objects in objects merge likewise.
  fileprivate func merging(_ other: JSONValue) -> JSONValue {
    guard case .object(var merged) = self, case .object(let additions) = other else { return other }
    for member in additions.members {
      merged[member.key] = merged[member.key]?.merging(member.value) ?? member.value
    }
    return .object(merged)
  }
}
