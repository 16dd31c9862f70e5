import Contract

/// What of the configuration decides whether a flush begins, so that a trigger that begins none reads no more than this.
struct UploadPolicy {
  enum Destination {
    /// No url: the HTTP service is off.
    case none
    /// A url to which nothing can be sent.
    case unusable
    case usable
  }

  let destination: Destination
  let autoSync: Bool
  let defersOnCellular: Bool
  let isLogging: Bool
  /// Rows that an automatic flush waits for, at least 1.
  let threshold: Int

  init(_ configuration: Configuration) {
    let http = configuration.http
    destination = http.url.isEmpty ? .none : http.uploadURL == nil ? .unusable : .usable
    autoSync = http.autoSync
    defersOnCellular = http.disableAutoSyncOnCellular
    isLogging = configuration.logger.logLevel != .off
    threshold = max(1, http.autoSyncThreshold)
  }
}
