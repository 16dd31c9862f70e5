package import JSON

/// One row of the table: a key's names, and its conversion between JSON and the configuration.
package struct ConfigurationKey: Sendable {
  /// Why a value could not be applied as given.
  enum Objection: Equatable {
    /// The old value stays.
    case wrongType
    /// An element of a list is not allowed; the old value stays.
    case unknownElement(String)
    /// Elements of a list, by their indices, are of another kind; the others are taken.
    case wrongElements([Int], expected: String, found: String)
    /// The value is not allowed: the default replaces it.
    case notAllowed(default: String)
    /// The value is outside the limits: the nearest limit replaces it.
    case clamped(to: Double)
    /// An object lacks required keys; the old value stays.
    case incomplete(missing: [String])
  }

  /// The name inside its group.
  package let name: String
  /// The required kind of value, for messages.
  package let expectation: String
  /// Whether the value may have a fraction.
  package private(set) var isReal = false
  package private(set) var group = ConfigurationGroup.root
  /// The name outside every group; nil when it is not allowed there.
  package private(set) var flatName: String?
  /// Further names outside every group, accepted but not written.
  package private(set) var aliases: [String] = []
  /// The only platform of the key; nil for both. The other platform accepts the value too, without effect, and does not include
  /// it in its state, so that one document fits both.
  package private(set) var platform: DevicePlatform?

  /// Returns the value; nil when the key is not set.
  package let read: @Sendable (Configuration) -> JSONValue?
  let write: @Sendable (JSONValue, inout Configuration) -> Objection?

  init(
    _ name: String, expecting expectation: String, read: @escaping @Sendable (Configuration) -> JSONValue?,
    write: @escaping @Sendable (JSONValue, inout Configuration) -> Objection?
  ) {
    self.name = name
    self.expectation = expectation
    self.read = read
    self.write = write
  }

  /// `group.name`, the name in changes and warnings.
  package var path: String { group.path(of: name) }

  func flat(_ name: String) -> ConfigurationKey {
    var key = self
    key.flatName = name
    return key
  }

  func alias(_ name: String) -> ConfigurationKey {
    var key = self
    key.aliases.append(name)
    return key
  }

  func only(on platform: DevicePlatform) -> ConfigurationKey {
    var key = self
    key.platform = platform
    return key
  }

  func placed(in group: ConfigurationGroup) -> ConfigurationKey {
    var key = self
    key.group = group
    if key.flatName == nil && group.hasFlatKeys { key.flatName = name }
    return key
  }
}

/// The objects that contain configuration keys, in the order of the table.
package enum ConfigurationGroup: String, CaseIterable, Sendable {
  case root = ""
  case geolocation
  case filter = "geolocation.filter"
  case app
  case http
  case persistence
  case activity
  case authorization
  case logger

  /// The groups that are members of the document itself.
  package static let topLevel = allCases.filter { $0 != .root && $0 != .filter }

  /// Whether the keys of the group are also allowed outside every group. Version 4 had no filter and always had the
  /// authorization as an object, and the state of version 5 repeats neither.
  var hasFlatKeys: Bool { self != .filter && self != .authorization }

  func path(of name: String) -> String { self == .root ? name : "\(rawValue).\(name)" }
}

/// The range of a numeric key. Values beyond it are moved to the nearest end.
package struct ValueLimits: Equatable, Sendable {
  package let lowest: Double
  package let highest: Double
  /// The only platform of the range; nil for both.
  package let platform: DevicePlatform?
  /// Whether values of 0 and less mean "off" and are not changed.
  package let allowsOff: Bool

  static let none = ValueLimits(lowest: -.infinity, highest: .infinity, platform: nil, allowsOff: false)

  static func from(_ lowest: Double, to highest: Double, on platform: DevicePlatform? = nil) -> ValueLimits {
    ValueLimits(lowest: lowest, highest: highest, platform: platform, allowsOff: false)
  }

  static func atLeast(_ lowest: Double) -> ValueLimits { .from(lowest, to: .infinity) }

  static func offOrAtLeast(_ lowest: Double, on platform: DevicePlatform) -> ValueLimits {
    ValueLimits(lowest: lowest, highest: .infinity, platform: platform, allowsOff: true)
  }

  func clamp(_ value: Double, on platform: DevicePlatform) -> Double {
    if let only = self.platform, only != platform { return value }
    if allowsOff && value <= 0 { return value }
    return min(max(value, lowest), highest)
  }
}

/// The kinds of rows. Each accepts the usual JSON of apps and servers (SDK §1): booleans also as 0 and 1, numbers also as
/// numeric strings.
extension ConfigurationKey {
  typealias Property<Value> = any WritableKeyPath<Configuration, Value> & Sendable

  static func boolean(_ name: String, _ property: Property<Bool>) -> ConfigurationKey {
    ConfigurationKey(name, expecting: "true or false") {
      .bool($0[keyPath: property])
    } write: { value, configuration in
      guard let flag = value.coercedBool else { return .wrongType }
      configuration[keyPath: property] = flag
      return nil
    }
  }

  static func number(
    _ name: String, _ property: Property<Double>, _ limits: ValueLimits = .none
  ) -> ConfigurationKey {
    var key = ConfigurationKey(name, expecting: "a number") {
      .number($0[keyPath: property])
    } write: { value, configuration in
      guard let number = value.coercedNumber else { return .wrongType }
      let clamped = limits.clamp(number, on: configuration.platform)
      configuration[keyPath: property] = clamped
      return clamped == number ? nil : .clamped(to: clamped)
    }
    key.isReal = true
    return key
  }

  static func integer(_ name: String, _ property: Property<Int>, _ limits: ValueLimits = .none) -> ConfigurationKey {
    ConfigurationKey(name, expecting: "an integer") {
      .integer(Int64($0[keyPath: property]))
    } write: { value, configuration in
      guard let integer = value.coercedInteger else { return .wrongType }
      let number = Double(integer)
      let clamped = limits.clamp(number, on: configuration.platform)
      configuration[keyPath: property] = clamped == number ? integer : Int(clamped)
      return clamped == number ? nil : .clamped(to: clamped)
    }
  }

  static func text(_ name: String, _ property: Property<String>) -> ConfigurationKey {
    ConfigurationKey(name, expecting: "a string") {
      .string($0[keyPath: property])
    } write: { value, configuration in
      guard case .string(let text) = value else { return .wrongType }
      configuration[keyPath: property] = text
      return nil
    }
  }

  /// Null and the empty string unset the key.
  static func optionalText(_ name: String, _ property: Property<String?>) -> ConfigurationKey {
    ConfigurationKey(name, expecting: "a string or null") {
      $0[keyPath: property].map { .string($0) }
    } write: { value, configuration in
      switch value {
      case .null: configuration[keyPath: property] = nil
      case .string(let text): configuration[keyPath: property] = text.isEmpty ? nil : text
      case .bool, .integer, .double, .array, .object: return .wrongType
      }
      return nil
    }
  }

  /// An element that is no string is left out, as is a malformed one (SDK §16.1.2); a list without any string is refused.
  static func list(_ name: String, _ property: Property<[String]>) -> ConfigurationKey {
    ConfigurationKey(name, expecting: "an array of strings") {
      .array($0[keyPath: property].map { .string($0) })
    } write: { value, configuration in
      guard case .array(let elements) = value else { return .wrongType }
      var (texts, others): ([String], [Int]) = ([], [])
      for (index, element) in elements.enumerated() {
        if case .string(let text) = element { texts.append(text) } else { others.append(index) }
      }
      guard !texts.isEmpty || elements.isEmpty else { return .wrongType }
      configuration[keyPath: property] = texts
      return others.first.map { .wrongElements(others, expected: "a string", found: elements[$0].kindName) }
    }
  }
}

/// Rows with a closed set of values.
extension ConfigurationKey {
  /// One of several strings. Another string results in the default (SDK §2), another type keeps the old value.
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

  /// One of several integers. Another integer results in the default, another type keeps the old value.
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

  /// Names of moving activities as an array or joined by commas, stored joined. An unknown name keeps the old value: leaving it
  /// out could leave none, and none means all.
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

/// Rows whose values are objects.
extension ConfigurationKey {
  /// An object with keys of the app's own. It is replaced as a whole: otherwise a header or a parameter could not be removed,
  /// and in SDK §2.8 `{}` means "none" for the refresh headers.
  static func object(_ name: String, _ property: Property<JSONValue>) -> ConfigurationKey {
    ConfigurationKey(name, expecting: "an object") {
      $0[keyPath: property]
    } write: { value, configuration in
      guard case .object = value else { return .wrongType }
      configuration[keyPath: property] = value
      return nil
    }
  }

  /// An object with keys of the SDK: the given keys are replaced, the others stay (SDK §2.4).
  static func mergedObject(_ name: String, _ property: Property<JSONValue>) -> ConfigurationKey {
    ConfigurationKey(name, expecting: "an object") {
      $0[keyPath: property]
    } write: { value, configuration in
      guard case .object = value else { return .wrongType }
      configuration[keyPath: property] = configuration[keyPath: property].merging(value)
      return nil
    }
  }

  /// The five texts of the alert, all of which are required (SDK §2.1).
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
  /// Merges the members of both objects, where those of the other one take precedence; nested objects merge likewise.
  fileprivate func merging(_ other: JSONValue) -> JSONValue {
    guard case .object(var merged) = self, case .object(let additions) = other else { return other }
    for member in additions.members {
      merged[member.key] = merged[member.key]?.merging(member.value) ?? member.value
    }
    return .object(merged)
  }
}
