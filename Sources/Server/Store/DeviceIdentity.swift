import Base

/// The device of the records: its name within a run. Runs separate parallel tests on one server; the run of ordinary traffic is
/// the empty string.
package struct DeviceIdentity: Sendable {
  package let run: String
  package let name: String

  /// Names are kept in memory and in indexes; no identifier that people give to devices is near this length.
  package static let nameBytesMax = 255

  package init(run: String = "", name: String) {
    self.run = run
    self.name = name
  }
}

/// Compares names as the databases do (`ExactText`).
extension DeviceIdentity: Hashable {
  package static func == (one: DeviceIdentity, other: DeviceIdentity) -> Bool {
    one.name.isExactly(other.name) && one.run.isExactly(other.run)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(exactly: name)
    hasher.combine(exactly: run)
  }
}
