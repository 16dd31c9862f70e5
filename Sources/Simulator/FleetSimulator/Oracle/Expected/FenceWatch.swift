import Base
import Contract

/// A fence of one device: where the device truly is, what the SDK has said of it, and what it has still to say.
struct FenceWatch {
  /// What has not been told yet.
  struct Owed {
    let isEntry: Bool
    let since: MonotonicInstant
    /// Nil while the app is down.
    var due: MonotonicInstant?
    var isPutOff = false
    /// The SDK is to know it and not to tell it.
    var isSilent = false
  }

  let truth: TrueFence
  /// The true side; where it is uncertain, the side before.
  var isInside: Bool
  /// Since when it has been inside, or has been a fence of which the SDK knows.
  var insideSince: MonotonicInstant
  /// What the SDK said last, or knows without telling; nil: unknown.
  var told: Bool? = false
  var owed: Owed?
  /// When a dwelling has to be told at the latest, and may be told at the earliest; nil: none is to come.
  var dwellDue: MonotonicInstant?
  var dwellEarliest: MonotonicInstant?
  var hasDwelt = false

  var fence: Geofence { truth.fence }

  /// What the SDK need not tell it knows all the same, after a while.
  func isSilent(_ owed: Owed) -> Bool {
    owed.isSilent || (owed.isEntry ? !fence.notifyOnEntry : !fence.notifyOnExit)
  }
}
