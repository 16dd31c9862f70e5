package import Base

/// What an engine has to do to keep records. One thread owns it; time is a parameter.
package protocol Store: AnyObject {
  /// Does the whole group in one transaction and returns a result for each job, in order. When it returns, everything but
  /// `unavailable` is on disk; when the group cannot be committed, nothing of it is, and all results are `unavailable`.
  func apply(_ group: [StoreJob], now: WallInstant) -> [StoreResult]

  /// A small step of the work that has no place in a group: indexes, retention, checkpoints. True when more is waiting.
  func maintain(now: WallInstant) -> Bool

  /// Why the last group or step failed; nil when it did not. `maintain` finds out by itself when the trouble is over.
  var outage: StoreOutage? { get }

  /// Leaves everything in the main file. No call may follow.
  func close()
}
