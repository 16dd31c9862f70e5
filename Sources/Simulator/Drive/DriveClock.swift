package import Base
package import Vocabulary

/// The clock of a phone that lives faster than the wall clock, except while it waits for the network: the network's time
/// is real, and time limits mean what they say. With a factor of 1 it is the wall clock.
package struct DriveClock: Sendable {
  private let factor: Double
  private let start: WallInstant
  /// Where real time and the phone's were together the last time the pace has changed.
  private var realBase: MonotonicInstant
  private var base = MonotonicInstant(nanoseconds: 0)
  private var pace: Double

  package init(factor: Double, wall: WallInstant, real: MonotonicInstant) {
    precondition(factor > 0, "time goes forward")
    self.factor = factor
    start = wall
    realBase = real
    pace = factor
  }

  package func now(at real: MonotonicInstant) -> Moment {
    let elapsed = Nanoseconds(Int64(Double((real - realBase).count) * pace))
    let monotonic = base + elapsed
    return Moment(
      monotonic: monotonic,
      wall: start.advanced(byMilliseconds: (monotonic - MonotonicInstant(nanoseconds: 0)).wholeMilliseconds))
  }

  package mutating func waitsForNetwork(_ isWaiting: Bool, at real: MonotonicInstant) {
    let wanted = isWaiting ? min(factor, 1) : factor
    guard wanted != pace else { return }
    base = now(at: real).monotonic
    realBase = real
    pace = wanted
  }

  /// How long in real time until an instant of the phone; not negative.
  package func span(until instant: MonotonicInstant, at real: MonotonicInstant) -> Nanoseconds {
    let left = Double((instant - now(at: real).monotonic).count) / pace
    return Nanoseconds(Int64(max(0, left).rounded(.up)))
  }
}
