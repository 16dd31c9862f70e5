import Base
package import JSON

/// The configuration of an app, group by group (SDK §2). Names, limits and parsing are in `ConfigurationTable`; defaults and
/// units are documented at the properties.
///
/// A copy costs a few pointers. Reading one property fetches its whole group: code that runs for every fix caches the group, or
/// the values it needs, and refreshes them when a key of the group is among the changed ones.
package struct Configuration: Equatable, Sendable {
  package let platform: DevicePlatform
  @Shared package var geolocation: GeolocationSettings
  @Shared package var app: AppSettings
  @Shared package var http: HTTPSettings
  @Shared package var persistence: PersistenceSettings
  @Shared package var activity: ActivitySettings
  @Shared package var authorization: AuthorizationSettings
  @Shared package var logger: LoggerSettings

  /// The pace with which `start` begins. Part of no group; a reset does not change it.
  package var isMoving = false

  /// Creates the defaults of the platform. All configurations made here share their groups.
  package init(platform: DevicePlatform) {
    switch platform {
    case .ios: self = .iosDefaults
    case .android: self = .androidDefaults
    }
  }

  private static let iosDefaults = Configuration(defaultsOf: .ios)
  private static let androidDefaults = Configuration(defaultsOf: .android)

  private init(defaultsOf platform: DevicePlatform) {
    self.platform = platform
    geolocation = GeolocationSettings(platform: platform)
    app = AppSettings(platform: platform)
    http = HTTPSettings()
    persistence = PersistenceSettings()
    activity = ActivitySettings(platform: platform)
    authorization = AuthorizationSettings()
    logger = LoggerSettings()
  }

  /// Returns the groups in which the two differ, in the order of the table. Shared groups are not compared.
  func differingGroups(from other: Configuration) -> [ConfigurationGroup] {
    ConfigurationGroup.allCases.filter { group in
      switch group {
      case .root: isMoving != other.isMoving
      case .geolocation, .filter: _geolocation != other._geolocation
      case .app: _app != other._app
      case .http: _http != other._http
      case .persistence: _persistence != other._persistence
      case .activity: _activity != other._activity
      case .authorization: _authorization != other._authorization
      case .logger: _logger != other._logger
      }
    }
  }
}

/// A value in an immutable box that copies share until one of them gets another value. A simulator holds ten thousand
/// configurations that differ in little more than their tokens.
@propertyWrapper
package struct Shared<Value: Equatable & Sendable>: Equatable, Sendable {
  private final class Box: Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }

  private var box: Box

  package init(wrappedValue: Value) { box = Box(wrappedValue) }

  /// Setting an equal value keeps the box, so that a change without effect keeps the sharing.
  package var wrappedValue: Value {
    get { box.value }
    set { if newValue != box.value { box = Box(newValue) } }
  }

  package static func == (left: Shared, right: Shared) -> Bool {
    left.box === right.box || left.box.value == right.box.value
  }
}

extension Configuration {
  /// `setConfig`: applies the keys of the document. An invalid key causes a warning and does not affect the others.
  package mutating func apply(_ document: JSONValue) -> ConfigurationChange {
    guard case .object(let members) = document else {
      return ConfigurationChange(changedKeys: [], warnings: [.notAnObject(found: document.kindName)])
    }
    let result = ConfigurationDocument(applying: members, to: self)
    return settle(result.configuration, warnings: result.warnings)
  }

  /// `config.edit`: changes properties in one step. Values beyond their limits are moved to them; values that a document cannot
  /// express, such as a distance that is not finite, are ignored.
  package mutating func edit(_ change: (inout Configuration) -> Void) -> ConfigurationChange {
    var draft = self
    change(&draft)
    let warnings = draft.clamp(since: self)
    return settle(draft, warnings: warnings)
  }

  /// Applies a draft that began as `base`, except for keys that the draft has not changed and that have changed meanwhile,
  /// through a new token or a command of the server.
  package mutating func take(_ draft: Configuration, since base: Configuration) {
    var merged = draft
    for key in keysInGroups(differingFrom: base) where key.read(draft) == key.read(base) {
      if let value = key.read(self) { _ = key.write(value, to: &merged) }
    }
    self = merged
  }

  /// Resets everything to the defaults except the pace.
  package mutating func reset() -> ConfigurationChange {
    settle(defaultsKeepingPace, warnings: [])
  }

  /// Keys whose values differ, as `group.key`, in the order of the table.
  package func changedKeys(since old: Configuration) -> [String] {
    keysInGroups(differingFrom: old).filter { $0.read(self) != $0.read(old) }.map(\.path)
  }

  var defaultsKeepingPace: Configuration {
    var defaults = Configuration(platform: platform)
    defaults.isMoving = isMoving
    return defaults
  }

  /// Makes the draft the configuration, in one step, and returns the change.
  mutating func settle(_ draft: Configuration, warnings: [ConfigurationWarning]) -> ConfigurationChange {
    let changed = draft.changedKeys(since: self)
    self = draft
    return ConfigurationChange(changedKeys: changed, warnings: warnings + combinationWarnings(changed: changed))
  }

  /// Clamps properties that code has set without the limits of the table.
  mutating func clamp(since old: Configuration) -> [ConfigurationWarning] {
    var warnings: [ConfigurationWarning] = []
    for key in keysInGroups(differingFrom: old) {
      guard let value = key.read(self), let warning = key.write(value, to: &self) else { continue }
      warnings.append(warning)
      if case .wrongType = warning, let kept = key.read(old) { _ = key.write(kept, to: &self) }
    }
    return warnings
  }

  private func keysInGroups(differingFrom old: Configuration) -> [ConfigurationKey] {
    let groups = differingGroups(from: old)
    return groups.isEmpty ? [] : ConfigurationTable.all.filter { groups.contains($0.group) }
  }
}

/// Reads a configuration document with keys in groups, flat keys, or both. Keys take effect in the order of the document, so
/// the last occurrence of a key counts. Objects that are groups merge; every other value replaces the old one unless its row
/// specifies otherwise (SDK §1).
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
    case .wrongElements(let indices, let expected, let found):
      .wrongType("\(path)[\(indices.map(String.init).joined(separator: ", "))]", expected: expected, found: found)
    case .notAllowed(let fallback): .notAllowed(path, expected: expectation, default: fallback)
    case .clamped(let limit): .clamped(path, to: limit)
    case .incomplete(let missing): .incomplete(path, missing: missing)
    }
  }
}

/// The effects of a document on a configuration.
package struct ConfigurationChange: Equatable, Sendable {
  /// The keys with a new value as `group.key`, in the order of the table. Each is an event to which parts of an engine listen
  /// (SDK §1).
  package var changedKeys: [String]
  /// In the order of the document, followed by warnings about combinations.
  package var warnings: [ConfigurationWarning]

  package init(changedKeys: [String], warnings: [ConfigurationWarning]) {
    self.changedKeys = changedKeys
    self.warnings = warnings
  }
}

/// A part of a configuration document that did not take effect as written. Keys are given with their groups, `http.url`.
package enum ConfigurationWarning: Equatable, Sendable {
  /// The document is not an object; nothing changed.
  case notAnObject(found: String)
  /// Ignored. `nearest` is the known key that was probably meant.
  case unknownKey(String, nearest: String?)
  /// The old value stays; of a list with `key[1]` the other elements are taken.
  case wrongType(String, expected: String, found: String)
  /// The default replaced the value.
  case notAllowed(String, expected: String, default: String)
  /// The nearest limit replaced the value.
  case clamped(String, to: Double)
  /// The object lacks keys it must have; the old value stays.
  case incomplete(String, missing: [String])
  /// The key is only valid in the call of `ready`.
  case readyOnly(String)
  /// Records stay in the queue: the url is not http or https, or has no host.
  case unusableURL(String)
  case spaceInURL(String)
  /// The key has no effect because of another one.
  case withoutEffect(String, because: String)
  /// No field of the refresh request would contain the refresh token.
  case refreshTokenNotSent
  /// The `transistorAuthorizationToken` of a ready document is incomplete; it is ignored.
  case unusableToken(FieldError)
}

extension ConfigurationWarning: CustomStringConvertible {
  /// The message for a device's log, in the SDK's words where it has some.
  package var description: String {
    switch self {
    case .notAnObject(let found): "The configuration must be an object, not \(found)"
    case .unknownKey(let key, nearest: _): "Unknown configuration key: \(key)"
    case .wrongType(let key, let expected, let found): "\(key) must be \(expected), not \(found)"
    case .notAllowed(let key, let expected, let fallback): "\(key) must be \(expected); using \(fallback)"
    case .clamped(let key, let limit): "\(key) is out of range; using \(limit)"
    case .incomplete(let key, let missing): "\(key) lacks \(missing.joined(separator: ", "))"
    case .readyOnly(let key): "\(key) counts only in ready"
    case .unusableURL(let key): "\(key) must be an http or https url with a host"
    case .spaceInURL(let key): "\(key) contains a space"
    case .withoutEffect(let key, let other): "\(key) has no effect because of \(other)"
    case .unusableToken(let error): "\(ReadyKey.transistorAuthorizationToken): \(error)"
    case .refreshTokenNotSent:
      "authorization.refreshPayload must contain \(TokenPlaceholder.refreshToken) in one of its values"
    }
  }

  /// The message for the writer of the document.
  package var explanation: String {
    if case .unknownKey(_, let nearest?) = self { "\(description) (did you mean \(nearest)?)" } else { description }
  }
}

extension Configuration {
  /// The groups. Applied to the defaults of the platform they result in this configuration again, except for the pace.
  package var groups: JSONObject {
    var document = JSONObject()
    for group in ConfigurationGroup.topLevel {
      var members = members(of: group)
      if group == .geolocation { members["filter"] = .object(self.members(of: .filter)) }
      document[group.rawValue] = .object(members)
    }
    return document
  }

  /// The parts of the groups that differ from the platform's defaults. Applied to these they result in this configuration
  /// again, except for the pace.
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

  /// The groups, with their keys repeated outside them, as apps written for version 4 expect. Tokens and the filter are only in
  /// their groups. The engine adds the rest of the SDK's state (`enabled`, `odometer` …).
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
