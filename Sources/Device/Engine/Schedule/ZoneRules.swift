package import Base

/// Local time: a fixed offset from UTC, or one that changes at known instants (daylight saving, and moves of the device).
package struct ZoneRules: Equatable, Sendable {
  /// From this instant on, local time has this offset from UTC.
  package struct Transition: Equatable, Sendable {
    package let instant: WallInstant
    package let offsetSeconds: Int

    package init(at instant: WallInstant, offsetSeconds: Int) {
      self.instant = instant
      self.offsetSeconds = offsetSeconds
    }
  }

  /// The limit of ISO 8601 and java.time; the zones of the world lie within −12 and +14 hours.
  package static let largestOffsetSeconds = 18 * 3_600
  package static let utc = ZoneRules(offsetSeconds: 0)

  /// The offset before the first transition.
  package let offsetSeconds: Int
  /// In the order of time.
  package let transitions: [Transition]

  package init(offsetSeconds: Int, transitions: [Transition] = []) {
    let offsets = [offsetSeconds] + transitions.map(\.offsetSeconds)
    precondition(
      offsets.allSatisfy { $0.magnitude <= ZoneRules.largestOffsetSeconds }, "an offset is at most 18 hours")
    precondition(
      zip(transitions, transitions.dropFirst()).allSatisfy { $0.instant < $1.instant }, "transitions are in order")
    self.offsetSeconds = offsetSeconds
    self.transitions = transitions
  }

  /// Returns local time in milliseconds, as if it were UTC: whole days since 1970 and the time of day.
  func localMilliseconds(at instant: WallInstant) -> Int64 {
    instant.millisecondsSince1970 + offsetMilliseconds(afterTransitions: transitionsPassed(at: instant))
  }

  /// Returns the first instant at which local time is this time or later. A skipped time becomes the first valid
  /// minute, and of a repeated time the first is meant (SDK §16.1).
  func firstInstant(showing localMilliseconds: Int64) -> WallInstant {
    let earliest = localMilliseconds - Int64(ZoneRules.largestOffsetSeconds) * 1_000
    var passed = transitionsPassed(at: ZoneRules.nearest(to: earliest))
    while true {
      var instant = localMilliseconds - offsetMilliseconds(afterTransitions: passed)
      if passed > 0 { instant = max(instant, transitions[passed - 1].instant.millisecondsSince1970) }
      guard passed < transitions.count, instant >= transitions[passed].instant.millisecondsSince1970 else {
        return ZoneRules.nearest(to: instant)
      }
      passed += 1
    }
  }

  private func offsetMilliseconds(afterTransitions passed: Int) -> Int64 {
    Int64(passed == 0 ? offsetSeconds : transitions[passed - 1].offsetSeconds) * 1_000
  }

  private func transitionsPassed(at instant: WallInstant) -> Int {
    transitions.indexBehind { $0.instant <= instant }
  }

  /// Clamped, because schedules may name the first and the last day of the calendar, and some zones are beyond them.
  static func nearest(to milliseconds: Int64) -> WallInstant {
    WallInstant(exactly: milliseconds) ?? (milliseconds < 0 ? .earliest : .latest)
  }
}
