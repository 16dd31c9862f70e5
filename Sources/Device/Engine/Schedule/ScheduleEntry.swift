package import Base

/// One entry of `app.schedule` (SDK §16.1): when a device tracks, by the clock on its wall.
package struct ScheduleEntry: Equatable, Sendable {
  /// Times are whole minutes of the day, or since the beginning of 1970.
  enum Recurrence: Equatable, Sendable {
    /// On each of these days; 1 to 1,440 minutes long, so that it may end on the next day.
    case weekly(days: DaySet, startMinute: Int, lengthMinutes: Int)
    /// The end is not part of it.
    case once(startMinute: Int, endMinute: Int)
  }

  static let minutesPerDay = 1_440

  let recurrence: Recurrence
  package let mode: ScheduleMode

  init(_ recurrence: Recurrence, mode: ScheduleMode) {
    self.recurrence = recurrence
    self.mode = mode
  }

  /// Whether no window of it comes again: a literal date in the past.
  package func isExpired(at instant: WallInstant, in zone: ZoneRules) -> Bool {
    switch recurrence {
    case .weekly: false
    case .once(_, let end): ScheduleEntry.instant(ofMinute: end, in: zone) <= instant
    }
  }

  /// The days on which a window of this entry may begin, when only those that begin on some days matter. Literal dates
  /// are few, and their windows may be years long.
  func days(in range: ClosedRange<Int>) -> ClosedRange<Int> {
    switch recurrence {
    case .weekly: return range
    case .once(let start, _):
      let day = ScheduleEntry.day(ofMinute: start)
      return day...day
    }
  }

  /// Nil when none begins on this day since 1970, or when the clocks skip all of it.
  func window(onDay day: Int, in zone: ZoneRules) -> ScheduleWindow? {
    let minutes: (start: Int, end: Int)
    switch recurrence {
    case .weekly(let days, let start, let length):
      guard days.contains(dayOfWeek: DaySet.dayOfWeek(ofDay: day)) else { return nil }
      let first = day * ScheduleEntry.minutesPerDay + start
      minutes = (first, first + length)
    case .once(let start, let end): minutes = (start, end)
    }
    let start = ScheduleEntry.instant(ofMinute: minutes.start, in: zone)
    let end = ScheduleEntry.instant(ofMinute: minutes.end, in: zone)
    return start < end ? ScheduleWindow(start: start, end: end) : nil
  }

  /// Rounded down before 1970, too.
  static func day(ofMinute minute: Int) -> Int {
    let day = minute / minutesPerDay
    return minute % minutesPerDay < 0 ? day - 1 : day
  }

  private static func instant(ofMinute minute: Int, in zone: ZoneRules) -> WallInstant {
    zone.firstInstant(showing: Int64(minute) * 60_000)
  }
}
