/// What begins an upload of the queue (SDK §8.5).
package enum FlushTrigger: String, CaseIterable, Hashable, Sendable {
  case insert, motionChange, appResume, appPause, ready, start, connectivity, heartbeat, backgroundFetch, configuration
  /// `sync()`: asked for by the app itself.
  case manual
}
