package import Base
package import Contract

/// A position as the operating system hands it over.
package struct Fix: Equatable, Sendable {
  package var coords: Coordinates
  /// When the receiver computed it, by its own clock.
  package var timestamp: WallInstant
  /// When the device had it, by its own clock (SDK §5.1); nil until then.
  package var receivedAt: WallInstant?
  /// Made up by a test tool of the platform.
  package var isMock = false

  package init(coords: Coordinates, timestamp: WallInstant) {
    self.coords = coords
    self.timestamp = timestamp
  }

  /// Handed over again, it stays one that was received before.
  package func received(at instant: WallInstant) -> Fix {
    var fix = self
    fix.receivedAt = receivedAt ?? instant
    return fix
  }
}

/// One instant on both clocks of a device. Timers and intervals go by the monotonic one; what is written into records
/// and compared with a schedule is the wall clock, which its user may set and which may be wrong.
package struct Moment: Hashable, Sendable {
  package let monotonic: MonotonicInstant
  package let wall: WallInstant

  package init(monotonic: MonotonicInstant, wall: WallInstant) {
    self.monotonic = monotonic
    self.wall = wall
  }

  /// The moment so much later, if the clock is not set in between.
  package func advanced(by span: Nanoseconds) -> Moment {
    Moment(monotonic: monotonic + span, wall: wall.advanced(byMilliseconds: span.wholeMilliseconds))
  }
}

/// Why a location was taken: the SDK's TSLocationType, whose number stands in the log (SDK §4.4).
package enum RecordKind: Int, CaseIterable, Sendable {
  case motionChange, tracking, current, sample, watch, geofence, polygon, heartbeat, motionState, odometer, stream
}
