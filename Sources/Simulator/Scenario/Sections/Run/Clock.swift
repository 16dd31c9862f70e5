package import Base

/// The time of a run.
package struct Clock: Equatable, Sendable {
  package var mode = ClockMode.virtual
  package var latency = LatencySource.measured
  /// For `accelerated` only.
  package var factor = 60.0
  package var start = WallInstant(millisecondsSince1970: 1_772_433_000_000)
  /// The UTC offset in `start`, which is the devices' local time.
  package var zoneOffsetSeconds = 0
  /// The changes of the devices' UTC offset, in order.
  package var zoneChanges: [ZonedInstant] = []
  package var duration = Nanoseconds.seconds(600)
  /// How long all faults are ended before the oracle judges.
  package var settle = Nanoseconds.seconds(300)
  package var timestamps = TimestampRule.pinned

  package init() {}

  /// The dates that the clocks of a run may show. The century before each end of the calendar is for what is counted from
  /// them, as the expiry of a token.
  package static let dates =
    WallInstant.earliest.advanced(byMilliseconds: century)...WallInstant.latest.advanced(byMilliseconds: -century)

  private static let century: Int64 = 36_525 * WallInstant.millisecondsPerDay
}

extension Clock: ScenarioSection {
  static let table = Table<Clock>(
    "clock", "How time passes.",
    [
      .key(
        "mode", \.mode, .choice,
        "How time advances: simulated (virtual), simulated with a real server (lockstep), or with the wall clock (accelerated, realtime)."
      ),
      .key(
        "latency", \.latency, .choice,
        "Virtual time that a request takes in lockstep: the measured time, or that of the modelled network."),
      .key("factor", \.factor, .number(0.001...100_000), "Speed of `accelerated` runs, as a multiple of real time."),
      .key(
        "start", \.zonedStart, .zonedInstant,
        """
        Date and time at which the run begins; plans and schedules use its time zone. All clocks of a run stay within \
        the years 0101 to 9899.
        """),
      .key(
        "zoneChanges", \.zoneChanges, .list(of: .zonedInstant, count: 0...100),
        """
        Changes of the UTC offset, each as a date and time in the zone that begins then: \
        "2026-03-29T03:00:00+02:00".
        """),
      .key("duration", \.duration, .duration, "Duration of the drives."),
      .key(
        "settle", \.settle, .duration,
        "Time without faults after the drives, in which queues drain; in real time for `accelerated` runs."),
      .key("timestamps", \.timestamps, .choice, "Whether records carry simulated time or are shifted to today."),
    ])
}

extension Clock {
  fileprivate var zonedStart: ZonedInstant {
    get { ZonedInstant(instant: start, offsetSeconds: zoneOffsetSeconds) }
    set { (start, zoneOffsetSeconds) = (newValue.instant, newValue.offsetSeconds) }
  }
}

/// The clock of a run.
package enum ClockMode: String, CaseIterable, Sendable {
  /// Everything is simulated, including the link and the server's clock.
  case virtual
  /// Virtual time that waits for the answers of a real server.
  case lockstep
  /// The wall clock times a factor; network time is not scaled.
  case accelerated
  case realtime
}

/// The latency of requests in the virtual time of lockstep.
package enum LatencySource: String, CaseIterable, Sendable {
  case measured
  case modelled
}

/// The date of records.
package enum TimestampRule: String, CaseIterable, Sendable {
  /// The date of the simulated clock.
  case pinned
  /// The date of the wall clock at the start, for servers that reject old data.
  case shiftToNow = "shift-to-now"
}
