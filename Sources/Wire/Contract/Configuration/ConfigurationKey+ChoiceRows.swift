internal import JSON

/// Rows whose values are a closed set.
extension ConfigurationKey {
  /// One of some strings. Another string gives the default (SDK §2), another type keeps the old value.
  static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, _ property: Property<Value>, ignoringCase: Bool = false
  ) -> ConfigurationKey {
    let names = Value.allCases.map(\.rawValue)
    return ConfigurationKey(name, expecting: "one of " + names.joined(separator: ", ")) {
      .string($0[keyPath: property].rawValue)
    } write: { value, configuration in
      guard case .string(let text) = value else { return .wrongType }
      let found = Value.allCases.first {
        $0.rawValue == text || (ignoringCase && $0.rawValue.lowercased() == text.lowercased())
      }
      let chosen = found ?? Configuration(platform: configuration.platform)[keyPath: property]
      configuration[keyPath: property] = chosen
      return found == nil ? .notAllowed(default: chosen.rawValue) : nil
    }
  }

  /// One of some integers. Another integer gives the default, another type keeps the old value.
  static func choice<Value: RawRepresentable<Int> & CaseIterable & Sendable>(
    _ name: String, _ property: Property<Value>
  ) -> ConfigurationKey {
    let numbers = Value.allCases.map { String($0.rawValue) }
    return ConfigurationKey(name, expecting: "one of " + numbers.joined(separator: ", ")) {
      .integer(Int64($0[keyPath: property].rawValue))
    } write: { value, configuration in
      guard let integer = value.coercedInteger else { return .wrongType }
      let found = Value(rawValue: integer)
      let chosen = found ?? Configuration(platform: configuration.platform)[keyPath: property]
      configuration[keyPath: property] = chosen
      return found == nil ? .notAllowed(default: String(chosen.rawValue)) : nil
    }
  }

  /// One of 0, 1 and 2, clamped (SDK §2.2).
  static func level<Value: RawRepresentable<Int> & Sendable>(
    _ name: String, _ property: Property<Value>
  ) -> ConfigurationKey {
    ConfigurationKey(name, expecting: "0, 1 or 2") {
      .integer(Int64($0[keyPath: property].rawValue))
    } write: { value, configuration in
      guard let integer = value.coercedInteger else { return .wrongType }
      let clamped = min(max(integer, 0), 2)
      guard let level = Value(rawValue: clamped) else { preconditionFailure("a level has the cases 0, 1 and 2") }
      configuration[keyPath: property] = level
      return clamped == integer ? nil : .clamped(to: Double(clamped))
    }
  }

  /// Names of moving activities as an array or joined by commas, kept joined. One unknown name keeps the old value:
  /// leaving it out could leave none, and none means all.
  static func activities(_ name: String, _ property: Property<String>) -> ConfigurationKey {
    let known = ["in_vehicle", "on_bicycle", "on_foot", "running", "walking"]
    return ConfigurationKey(name, expecting: "some of " + known.joined(separator: ", ")) {
      .string($0[keyPath: property])
    } write: { value, configuration in
      let names: [String]
      switch value {
      case .string(let text): names = text.split(separator: ",").map { String($0.trimmingSpaces) }
      case .null, .bool, .integer, .double, .array, .object:
        guard let texts = value.strings else { return .wrongType }
        names = texts
      }
      if let unknown = names.first(where: { !known.contains($0) }) { return .unknownElement(unknown) }
      configuration[keyPath: property] = names.joined(separator: ",")
      return nil
    }
  }
}

extension Substring {
  fileprivate var trimmingSpaces: Substring {
    var text = self.drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return text
  }
}
