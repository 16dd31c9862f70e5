import Base
package import Contract

/// The properties of a phone that never change while an app is installed on it.
package struct DeviceDescription: Equatable, Sendable {
  package let platform: DevicePlatform
  package let model: String
  package let manufacturer: String
  /// The version of the operating system.
  package let version: String
  /// The `User-Agent` of every request.
  package let userAgent: String

  /// Without `userAgent`, the device sends the one of SDK §8.1.4.
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

/// The constants of a host.
enum HostRules {
  /// The maximum number of commands of one answer that are executed: the last ones (SDK §10.2).
  static let commandsMax = 100
  /// The interval between purges of expired rows, apart from those at start and resume (SDK §7.4).
  static let purgeInterval = Nanoseconds.seconds(3_600)
  /// Above this, records never expire.
  static let daysMax = 36_500
}
