import Base

/// In the grammar of the configuration, for the log.
extension ScheduleEntry: CustomStringConvertible {
  package var description: String {
    let suffix = mode == .location ? "" : " \(mode.rawValue)"
    switch recurrence {
    case .weekly(let days, let start, let length):
      let list = (1...7).filter { days.contains(dayOfWeek: $0) }.map(String.init).joined(separator: ",")
      return "\(list) \(ScheduleEntry.clock(start))-\(ScheduleEntry.clock(start + length))\(suffix)"
    case .once(let start, let end):
      let date = ScheduleEntry.date(start)
      guard end - start <= ScheduleEntry.minutesPerDay else {
        return "\(date)-\(ScheduleEntry.clock(start)) \(ScheduleEntry.date(end))-\(ScheduleEntry.clock(end))\(suffix)"
      }
      return "\(date) \(ScheduleEntry.clock(start))-\(ScheduleEntry.clock(end))\(suffix)"
    }
  }

  private static func clock(_ minute: Int) -> String {
    let ofDay = minute - day(ofMinute: minute) * minutesPerDay
    return "\(padded(ofDay / 60, 2)):\(padded(ofDay % 60, 2))"
  }

  private static func date(_ minute: Int) -> String {
    let date = CivilDate(daysSince1970: day(ofMinute: minute))
    return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
