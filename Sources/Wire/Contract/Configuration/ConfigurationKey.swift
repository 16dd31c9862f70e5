package import JSON

/// One row of the table: a key's names, and how its value passes between JSON and the configuration.
package struct ConfigurationKey: Sendable {
  /// What a value is measured against and why it could not be taken as it was.
  enum Objection: Equatable {
    /// The old value stays.
    case wrongType
    /// An element of a list is none of the allowed ones; the old value stays.
    case unknownElement(String)
    /// The value is none of the allowed ones: the default takes its place.
    case notAllowed(default: String)
    /// The value lies outside the limits: the nearest limit takes its place.
    case clamped(to: Double)
    /// An object lacks keys that it must have; the old value stays.
    case incomplete(missing: [String])
  }

  /// The name inside its group.
  package let name: String
  /// What a value must be, for messages.
  package let expectation: String
  package private(set) var group = ConfigurationGroup.root
  /// The name outside every group; nil when it may not stand there.
  package private(set) var flatName: String?
  /// Further names outside every group, read but not written.
  package private(set) var aliases: [String] = []
  /// Nil when the key counts on both. The other platform takes the value too, without effect, and does not repeat it in
  /// its state, so that one document fits both.
  package private(set) var platform: DevicePlatform?

  /// Nil when the key is not set.
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

  /// `group.name`, by which changes and warnings are reported.
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
