package import Base
package import Contract

/// A position as the operating system delivers it.
package struct Fix: Equatable, Sendable {
  package var coords: Coordinates
  /// The time at which the receiver computed it, by its own clock.
  package var timestamp: WallInstant
  /// The time at which the device received it, by its own clock (SDK §5.1); nil until then.
  package var receivedAt: WallInstant?
  /// Whether a test tool of the platform made it up.
  package var isMock = false

  package init(coords: Coordinates, timestamp: WallInstant) {
    self.coords = coords
    self.timestamp = timestamp
  }

  /// Sets the time of reception unless it is set already.
  package func received(at instant: WallInstant) -> Fix {
    var fix = self
    fix.receivedAt = receivedAt ?? instant
    return fix
  }
}

/// One instant on both clocks of a device. Timers and intervals use the monotonic clock; records and schedules use the
/// wall clock, which the user may set and which may be wrong.
package struct Moment: Hashable, Sendable {
  package let monotonic: MonotonicInstant
  package let wall: WallInstant

  package init(monotonic: MonotonicInstant, wall: WallInstant) {
    self.monotonic = monotonic
    self.wall = wall
  }

  /// The moment after a span, if the wall clock is not set in between.
  package func advanced(by span: Nanoseconds) -> Moment {
    Moment(monotonic: monotonic + span, wall: wall.advanced(byMilliseconds: span.wholeMilliseconds))
  }
}

/// The reason why a location was taken: the SDK's TSLocationType, whose number is in the log (SDK §4.4).
package enum RecordKind: Int, CaseIterable, Sendable {
  case motionChange, tracking, current, sample, watch, geofence, polygon, heartbeat, motionState, odometer, stream
}
