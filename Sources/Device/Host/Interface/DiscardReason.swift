/// Why a record leaves the queue without an upload (SDK §7.4).
package enum DiscardReason: String, CaseIterable, Sendable {
  /// There were too many.
  case evicted
  /// It had grown too old.
  case expired
  /// The app destroyed it, or took it with a sync where there is no url.
  case destroyed
}
