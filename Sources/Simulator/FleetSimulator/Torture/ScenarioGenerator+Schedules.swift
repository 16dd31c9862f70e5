import Base
import JSON

/// The date of a run and its schedules.
extension ScenarioGenerator {
  /// The date and time of a run's start, and the changes of the time zone around it.
  struct Calendar {
    let start: String
    /// The parts of the date, and the local minute of the day.
    let date: (year: Int, month: Int, day: Int)
    let minute: Int
    let zoneChanges: [String]
  }

  /// Returns a date in winter or around the clock changes of central Europe.
  mutating func calendar() -> Calendar {
    let hour = stream.index(below: 24)
    let minute = stream.index(below: 60)
    let time = "\(hour.zeroPadded(to: 2)):\(minute.zeroPadded(to: 2)):00"
    switch stream.index(below: 4) {
    case 0:
      let day = 26 + stream.index(below: 3)
      return Calendar(
        start: "2026-03-\(day)T\(time)+01:00", date: (2026, 3, day), minute: hour * 60 + minute,
        zoneChanges: ["2026-03-29T03:00:00+02:00"])
    case 1:
      let day = 22 + stream.index(below: 3)
      return Calendar(
        start: "2026-10-\(day)T\(time)+02:00", date: (2026, 10, day), minute: hour * 60 + minute,
        zoneChanges: ["2026-10-25T02:00:00+01:00"])
    case 2:
      return Calendar(
        start: "2026-12-28T\(time)-08:00", date: (2026, 12, 28), minute: hour * 60 + minute, zoneChanges: [])
    default:
      return Calendar(start: "2026-03-02T\(time)Z", date: (2026, 3, 2), minute: hour * 60 + minute, zoneChanges: [])
    }
  }

  /// Returns windows that begin and end during the run: adjacent, nested, across midnight, on single dates and over
  /// weeks, in both modes.
  mutating func schedule(_ calendar: Calendar) -> String {
    if stream.chance(0.3) { return overlap(calendar) }
    let entries = (0...stream.index(below: 3)).map { _ in window(calendar) }
    return "[" + entries.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
  }

  /// Returns a window of one mode that begins within one of the other, both long compared with the lateness of any system.
  private mutating func overlap(_ calendar: Calendar) -> String {
    let first = calendar.minute + stream.index(below: max(minutes / 4, 2))
    let second = first + 1 + stream.index(below: max(minutes / 4, 2))
    let last = second + max(minutes / 2, 40)
    let modes = stream.chance(0.7) ? (" location", " geofence") : (" geofence", "")
    let windows = [(first, last, modes.0), (second, last + stream.index(below: 60), modes.1)]
    let texts = windows.map { "\"1-7 \(clock($0.0 % 1_440))-\(clock($0.1 % 1_440))\($0.2)\"" }
    return "[\(texts.joined(separator: ", "))]"
  }

  /// Returns a window on a date more than a week after the start of the run.
  mutating func farWindow(_ calendar: Calendar) -> String {
    let (day, first) = (date(calendar, daysAhead: 8), stream.index(below: 1_200))
    return "\"\(day) \(clock(first))-\(clock(first + 60 + stream.index(below: 180)))\""
  }

  /// Adds clocks that are set or drift during a schedule, and a schedule that begins more than a week ahead.
  mutating func addClockTrouble(_ calendar: Calendar) throws(JSONError) {
    if isLong, minutes > 8 * 1_440, stream.chance(0.5) {
      try add("[\(farWindow(calendar))]", at: ["sdk", "config", "app", "schedule"])
    }
    guard stream.chance(0.7) else { return }
    let start = stream.index(below: minutes * 60)
    let trouble = one(of: [
      #""clockOffset": "\#(900 + stream.index(below: 6_300))s""#,
      #""clockOffset": "\#(stream.index(below: 7_200) - 3_600)s""#,
      #""clockDrift": \#(100 + stream.index(below: 200))"#,
      #""clockDrift": \#(-300 + stream.index(below: 200))"#,
    ])
    // The end of the fault would set the clock back.
    try add(
      fault: #"{ "name": "clock", "at": "\#(start)s", "for": "\#(minutes * 60)s", "device": { \#(trouble) } }"#)
  }

  private mutating func window(_ calendar: Calendar) -> String {
    let days = max(1, minutes / 1_440)
    let mode = one(of: ["", "", " location", " geofence"])
    let (first, last) = (ahead(calendar), ahead(calendar))
    switch stream.index(below: 4) {
    case 0:
      let date = date(calendar, daysAhead: stream.index(below: days + 1))
      return "\(date) \(clock(first))-\(clock(last))\(mode)"
    case 1:
      let begin = stream.index(below: days + 1)
      let end = begin + stream.index(below: days + 3)
      return
        "\(date(calendar, daysAhead: begin))-\(clock(first)) \(date(calendar, daysAhead: end + 1))-\(clock(last))\(mode)"
    default:
      let week = one(of: ["1-7", "1-7", "2-6", "1,3,5,7", "6-2", "2,4,6"])
      return "\(week) \(clock(first))-\(clock(last))\(mode)"
    }
  }

  /// Returns a minute of the day within the run, or any.
  private mutating func ahead(_ calendar: Calendar) -> Int {
    (calendar.minute + stream.index(below: min(max(minutes, 2), 1_440))) % 1_440
  }

  private func clock(_ minute: Int) -> String {
    "\((minute / 60).zeroPadded(to: 2)):\((minute % 60).zeroPadded(to: 2))"
  }

  private func date(_ calendar: Calendar, daysAhead: Int) -> String {
    let today =
      CivilDate(year: calendar.date.year, month: calendar.date.month, day: calendar.date.day)?.daysSince1970 ?? 0
    let date = CivilDate(daysSince1970: today + daysAhead)
    return "\(date.year)-\(date.month.zeroPadded(to: 2))-\(date.day.zeroPadded(to: 2))"
  }
}
