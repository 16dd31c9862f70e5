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
