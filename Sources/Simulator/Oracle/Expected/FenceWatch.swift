import Base
import Contract
import Vocabulary

/// A fence of one device: the device's true side, the SDK's last report, and the report that it owes.
struct FenceWatch {
  /// A report that is owed.
  struct Owed {
    let isEntry: Bool
    let since: MonotonicInstant
    /// Nil while the app is down.
    var due: MonotonicInstant?
    var isPutOff = false
    /// Whether the SDK must know of the crossing without reporting it.
    var isSilent = false
  }

  /// A stay begins with the crossing, which the SDK reports once it has a position.
  static let search = Nanoseconds.seconds(60)
  static let dwellPatience = Nanoseconds.seconds(120)

  let truth: TrueFence
  /// The true side; where it is uncertain, the side before.
  var isInside: Bool
  /// The time since which the device has been inside, or the SDK has known the fence.
  var insideSince: MonotonicInstant
  /// The side that the SDK reported last, or knows without reporting; nil: unknown.
  var told: Bool? = false
  /// Whether the store may have failed to save the SDK's state at that report.
  var isUnsaved = false
  /// The difference between wall clock and run time at that report.
  var clock: Int64 = 0
  var owed: Owed?
  /// Until when the first position may be searched for, after monitoring has begun without an initial trigger.
  var silentUntil: MonotonicInstant?
  /// The latest and the earliest time of a dwell event; nil: none is due.
  var dwellDue: MonotonicInstant?
  var dwellEarliest: MonotonicInstant?
  /// The end of the loitering delay of a visit that the SDK has begun when it was certain, and perhaps earlier.
  private(set) var dwellEnd = MonotonicInstant(nanoseconds: 0)
  var hasDwelt = false

  var fence: Geofence { truth.fence }

  /// The engine waits for at most ten years, too.
  private var stay: Nanoseconds { .milliseconds(Int64(min(max(fence.loiteringDelayMilliseconds, 0), 3.2e11))) }

  /// The time at which the loitering delay began.
  var visitBegan: MonotonicInstant? { dwellEarliest.map { $0 - stay } }

  /// Reports whether the visit may be over: without notifyOnExit, an exit at the rim is not reported.
  func mayHaveEnded(_ life: TrueLife, at instant: MonotonicInstant) -> Bool {
    guard !fence.notifyOnExit, let visitBegan else { return false }
    return life.mayHaveLeft(truth, since: visitBegan, until: instant)
  }

  /// Notes the side that the SDK knows. An unreported entry may have been known as long as it has been true.
  mutating func settle(_ isInside: Bool, at instant: MonotonicInstant, since told: MonotonicInstant? = nil) {
    let wasInside = self.told
    self.told = isInside
    if owed?.isEntry == isInside { owed = nil }
    if !isInside {
      endVisit()
    } else if wasInside != true {
      guard fence.notifyOnDwell, self.isInside, !hasDwelt else { return }
      dwellEarliest = (told ?? min(instant, insideSince)) + stay
      dwellEnd = instant + stay
      dwellDue = dwellEnd + FenceWatch.dwellPatience
    }
  }

  /// Expects a dwell event. Only the wall clock measures a stay across the end of a process; a clock that was set back
  /// lengthens the stay.
  mutating func expectDwell(at context: EventContext) {
    let setBack = Nanoseconds.milliseconds(max(0, clock - context.clockLead))
    // A new process first searches for its position.
    dwellDue = max(dwellEnd + setBack, context.now.monotonic + FenceWatch.search) + FenceWatch.dwellPatience
  }

  mutating func endVisit() { (dwellDue, dwellEarliest, hasDwelt) = (nil, nil, false) }

  /// Notes a reported entry. Without notifyOnExit, a second entry proves that the SDK detected an exit in between.
  mutating func enterAgain() {
    guard told == true, !fence.notifyOnExit else { return }
    (told, dwellDue, dwellEarliest, hasDwelt) = (nil, nil, nil, false)
  }

  /// Notes a reported dwell event. Without notifyOnEntry it proves that the SDK has the device inside, perhaps
  /// before that is certain.
  mutating func dwell() {
    (dwellDue, hasDwelt) = (nil, true)
    guard !fence.notifyOnEntry else { return }
    told = true
    if owed?.isEntry == true { owed = nil }
  }

  /// Reports whether the SDK learns of the crossing after a while without having to report it.
  func isSilent(_ owed: Owed) -> Bool {
    owed.isSilent || (owed.isEntry ? !fence.notifyOnEntry : !fence.notifyOnExit)
  }
}
