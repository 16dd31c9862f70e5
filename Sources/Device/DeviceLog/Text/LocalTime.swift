import Base

/// A wall clock reading in the device's own time, for the heads of lines and the times inside them.
struct LocalTime {
  let date: CivilDate
  let hour: Int
  let minute: Int
  let second: Int
  let millisecond: Int

  init(_ instant: WallInstant, utcOffsetMinutes: Int) {
    let local = WallInstant(exactly: instant.millisecondsSince1970 + Int64(utcOffsetMinutes) * 60_000) ?? instant
    date = local.civilDate
    let ofDay = Int(local.millisecondOfDay)
    hour = ofDay / 3_600_000
    minute = ofDay / 60_000 % 60
    second = ofDay / 1_000 % 60
    millisecond = ofDay % 1_000
  }

  /// `2026-07-28 14:33:46.653`
  var full: String {
    "\(padded(date.year, 4))-\(monthAndDay) \(clock)"
  }

  /// `07-28`
  var monthAndDay: String { "\(padded(date.month, 2))-\(padded(date.day, 2))" }

  /// `14:33:46.653`
  var clock: String { "\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2)).\(padded(millisecond, 3))" }

  /// `2026-07-28, 2:34:22 PM`
  var spoken: String {
    let twelve = hour % 12 == 0 ? 12 : hour % 12
    return "\(padded(date.year, 4))-\(monthAndDay), \(twelve):\(padded(minute, 2)):\(padded(second, 2)) "
      + (hour < 12 ? "AM" : "PM")
  }

  private func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
