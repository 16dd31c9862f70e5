/// A log on its way to a server (SDK §20.5).
package struct LogUpload: Equatable, Sendable {
  package let url: String
  /// The log, compressed with gzip.
  package let gzip: [UInt8]
  /// The SDK's state as JSON.
  package let state: [UInt8]
  package let model: String
  package let manufacturer: String
  /// Of the operating system.
  package let version: String

  package init(url: String, gzip: [UInt8], state: [UInt8], model: String, manufacturer: String, version: String) {
    self.url = url
    self.gzip = gzip
    self.state = state
    self.model = model
    self.manufacturer = manufacturer
    self.version = version
  }
}
