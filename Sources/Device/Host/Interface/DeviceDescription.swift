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

  package init(platform: DevicePlatform, model: String, manufacturer: String, version: String, userAgent: String) {
    self.platform = platform
    self.model = model
    self.manufacturer = manufacturer
    self.version = version
    self.userAgent = userAgent
  }
}
