package import Base

/// One instant on both clocks of a device. Timers and intervals go by the monotonic one; what is written into records
/// and compared with a schedule is the wall clock, which its user may set and which may be wrong.
package struct Moment: Hashable, Sendable {
  package let monotonic: MonotonicInstant
  package let wall: WallInstant

  package init(monotonic: MonotonicInstant, wall: WallInstant) {
    self.monotonic = monotonic
    self.wall = wall
  }

  /// The moment so much later, when nobody sets the clock in between.
  package func advanced(by span: Nanoseconds) -> Moment {
    Moment(monotonic: monotonic + span, wall: wall.advanced(byMilliseconds: span.wholeMilliseconds))
  }
}
