/// Why `sync()` failed: the SDK's TSHttpServiceError, and the device's own store (SDK §4.6).
package enum SyncError: Int, Error, CaseIterable, Sendable {
  /// `http.url` is no url to upload to.
  case invalidURL = 1
  /// No network, or no answer.
  case networkConnection = 2
  /// A flush was running already; it takes these records along.
  case inProgress = 3
  /// An answer that is no success.
  case response = 4
  case redirect = 5
  /// The store cannot be read or written.
  case store = -1

  init(status: Int) {
    self = status == 0 ? .networkConnection : 300..<400 ~= status ? .redirect : .response
  }
}
