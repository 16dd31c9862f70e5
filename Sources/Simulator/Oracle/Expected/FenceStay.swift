import Base
import Contract

/// A stay in a fence as the SDK knows it, and the dwell event that it owes for it: one for each visit, after `loiteringDelay`
/// inside, also while the app is down (Geofence 276, 290; SDK §15.3.4).
struct FenceStay {
  private let delay: Nanoseconds
  /// The earliest time at which the delay has begun; nil where the SDK knows of no stay.
  private(set) var began: MonotonicInstant?
  /// The end of the delay if it began when the stay was certain.
  private var end = MonotonicInstant(nanoseconds: 0)
  /// The latest time of the dwell event; nil: none is due.
  private(set) var due: MonotonicInstant?
  private var hasDwelt = false

  static let patience = Nanoseconds.seconds(120)
  /// A stay begins with the crossing, which the SDK reports once it has a position (SDK §15.3.1).
  static let search = Nanoseconds.seconds(60)

  init(_ fence: Geofence) {
    // The engine waits for at most ten years, too.
    delay = .milliseconds(Int64(min(max(fence.loiteringDelayMilliseconds, 0), 3.2e11)))
  }

  /// The earliest time of the dwell event.
  var earliest: MonotonicInstant? { began.map { $0 + delay } }

  /// Whether its dwell event is still to come.
  var isAwaited: Bool { began != nil && !hasDwelt }

  /// Begins a stay that is certain at `instant`, and may have begun before.
  mutating func begin(at instant: MonotonicInstant, notBefore began: MonotonicInstant) {
    guard !hasDwelt else { return }
    (self.began, end) = (began, instant + delay)
    due = end + FenceStay.patience
  }

  /// Expects the dwell event again after an interruption. A clock that was set back lengthens the delay (only the wall clock
  /// measures a stay across the end of a process), and a new process first searches for its position.
  mutating func resume(at now: MonotonicInstant, setBack: Nanoseconds) {
    due = max(end + setBack, now + FenceStay.search) + FenceStay.patience
  }

  /// Expects nothing while the app is down or nothing is monitored.
  mutating func suspend() { due = nil }

  /// Notes that its beginning is unknown.
  mutating func forgetBeginning() { began = nil }

  mutating func dwell() { (due, hasDwelt) = (nil, true) }

  mutating func leave() { (due, began, hasDwelt) = (nil, nil, false) }

  /// Returns the deadline that has passed before the instant; the stay then owes nothing more.
  mutating func takeMissed(before instant: MonotonicInstant) -> MonotonicInstant? {
    guard let due, due < instant else { return nil }
    dwell()
    return due
  }
}
