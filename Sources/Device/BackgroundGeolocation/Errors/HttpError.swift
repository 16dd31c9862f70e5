import Upload

/// Why `DataStore.sync` failed.
public enum HttpError: Int, Error, CaseIterable, Sendable {
  /// `http.url` is nothing to upload to.
  case invalidUrl = 1
  /// No network, or no answer.
  case networkConnection = 2
  /// An upload was running; it takes the records along.
  case syncInProgress = 3
  /// An answer that is no success; the records wait for the next trigger.
  case response = 4
  /// Redirects are not followed.
  case redirect = 5

  init?(_ error: SyncError) { self.init(rawValue: error.rawValue) }
}
