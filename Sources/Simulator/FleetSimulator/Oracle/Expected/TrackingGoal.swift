import Base

/// What the SDK of a device is to do.
enum TrackingGoal: Equatable, Sendable {
  case off
  case location
  case geofences
}

/// What it is to do, and since when there has been time enough for it.
struct Expectation: Equatable {
  let goal: TrackingGoal
  let since: MonotonicInstant
}
