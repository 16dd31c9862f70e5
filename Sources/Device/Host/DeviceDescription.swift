import Base
package import Contract

/// Which phone this is: what never changes while an app is installed on it.
package struct DeviceDescription: Equatable, Sendable {
  package let platform: DevicePlatform
  package let model: String
  package let manufacturer: String
  /// Of the operating system.
  package let version: String
  /// Of every request.
  package let userAgent: String

  /// Without a `userAgent` of its own a device says what SDK §8.1.4 wants.
  package init(
    platform: DevicePlatform, model: String, manufacturer: String, version: String, userAgent: String? = nil
  ) {
    self.platform = platform
    self.model = model
    self.manufacturer = manufacturer
    self.version = version
    self.userAgent = userAgent ?? "BGGeoSim/1 (\(platform.rawValue))"
  }
}

/// The numbers of a host.
enum HostRules {
  /// How many commands of one answer are carried out: the last ones (SDK §10.2).
  static let commandsMax = 100
  /// How often rows that have grown too old are looked for, apart from start and resume (SDK §7.4).
  static let purgeInterval = Nanoseconds.seconds(3_600)
  /// Beyond, nothing grows old.
  static let daysMax = 36_500
}
