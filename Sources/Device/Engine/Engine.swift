package import Contract

/// The SDK's brain: what happens to a device in, what it does out. It knows no clock, no socket, no file and no thread.
package struct Engine: Sendable {
  package private(set) var configuration: Configuration

  package init(configuration: Configuration) {
    self.configuration = configuration
  }
}
