/// The network as the device sees it.
package enum Connectivity: Hashable, Sendable {
  case none, cellular, wifi

  package var isConnected: Bool { self != .none }
}

/// A cause of an upload of the queue (SDK §8.5).
package enum FlushTrigger: String, CaseIterable, Hashable, Sendable {
  case insert, motionChange, appResume, appPause, ready, start, connectivity, heartbeat, backgroundFetch, configuration
  /// `sync()`, called by the app.
  case manual
}

extension FlushTrigger {
  /// Whether it retries failed uploads regardless of the threshold (SDK §8.5.3).
  package var isRetry: Bool {
    switch self {
    case .insert, .appResume, .ready, .connectivity, .heartbeat, .backgroundFetch: true
    case .motionChange, .appPause, .start, .configuration, .manual: false
    }
  }
}
