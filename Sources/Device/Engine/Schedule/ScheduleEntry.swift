import Base

/// One entry of `app.schedule` (SDK §16.1): times of tracking in local time.
package struct ScheduleEntry: Equatable, Sendable {
  /// Times are whole minutes of the day, or since the start of 1970.
  enum Recurrence: Equatable, Sendable {
    /// On each of these days; 1 to 1,440 minutes long, so it may end on the next day.
    case weekly(days: DaySet, startMinute: Int, lengthMinutes: Int)
    /// The end is excluded.
    case once(startMinute: Int, endMinute: Int)
  }

  static let minutesPerDay = 1_440

  let recurrence: Recurrence
  package let mode: ScheduleMode

  init(_ recurrence: Recurrence, mode: ScheduleMode) {
    self.recurrence = recurrence
    self.mode = mode
  }

  /// Returns the days on which a window of this entry may begin, for callers interested in a range. Literal dates are
  /// few, and their windows may last for years.
  func days(in range: ClosedRange<Int>) -> ClosedRange<Int> {
    switch recurrence {
    case .weekly: return range
    case .once(let start, _):
      let day = ScheduleEntry.day(ofMinute: start)
      return day...day
    }
  }

  /// Nil when none begins on this day since 1970, or when the clocks skip it entirely.
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

  /// Rounded down, also before 1970.
  static func day(ofMinute minute: Int) -> Int {
    let day = minute / minutesPerDay
    return minute % minutesPerDay < 0 ? day - 1 : day
  }

  private static func instant(ofMinute minute: Int, in zone: ZoneRules) -> WallInstant {
    zone.firstInstant(showing: Int64(minute) * 60_000)
  }
}

/// Days of the week: 1 is Sunday, 7 is Saturday.
struct DaySet: Equatable, Sendable {
  private var bits: UInt8 = 0

  mutating func insert(dayOfWeek day: Int) { bits |= 1 << UInt8(day) }

  func contains(dayOfWeek day: Int) -> Bool { bits & 1 << UInt8(day) != 0 }

  /// Returns the weekday of a day since 1970-01-01, which was a Thursday.
  static func dayOfWeek(ofDay day: Int) -> Int {
    let index = (day + 4) % 7
    return (index < 0 ? index + 7 : index) + 1
  }
}

extension ScheduleEntry {
  /// Parses an entry of `app.schedule`. Words are separated by one or more spaces.
  package init(parsing text: String) throws(ScheduleError) {
    let words = text.split(separator: " ")
    guard let first = words.first, words.count >= 2 else {
      throw ScheduleError(code: .form, entry: text, column: text.count + 1)
    }
    if words.count > 3 { throw ScheduleError(.form, at: words[3], of: text) }
    var mode = ScheduleMode.location
    if words.count == 3 {
      guard let named = ScheduleMode(rawValue: String(words[2])) else {
        throw ScheduleError(.mode, at: words[2], of: text)
      }
      mode = named
    }
    let hyphens = first.filter { $0 == "-" }.count
    if hyphens < 2 {
      let days = try ScheduleEntry.days(first, of: text)
      let range = try ScheduleEntry.range(words[1], of: text)
      self.init(.weekly(days: days, startMinute: range.start, lengthMinutes: range.end - range.start), mode: mode)
    } else if hyphens == 2 {
      let midnight = try ScheduleEntry.date(first, of: text) * ScheduleEntry.minutesPerDay
      let range = try ScheduleEntry.range(words[1], of: text)
      self.init(.once(startMinute: midnight + range.start, endMinute: midnight + range.end), mode: mode)
    } else {
      let start = try ScheduleEntry.dateTime(first, of: text)
      let end = try ScheduleEntry.dateTime(words[1], of: text)
      guard start < end else { throw ScheduleError(.backwards, at: words[1], of: text) }
      self.init(.once(startMinute: start, endMinute: end), mode: mode)
    }
  }

  /// Parses weekdays. `6-2` wraps around the end of the week: 6, 7, 1, 2 (the sources leave this open).
  private static func days(_ word: Substring, of text: String) throws(ScheduleError) -> DaySet {
    var days = DaySet()
    for item in word.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = item.split(separator: "-", omittingEmptySubsequences: false)
      guard let first = day(ends[0]), let last = day(ends[ends.count - 1]) else {
        throw ScheduleError(.days, at: item, of: text)
      }
      var next = first
      days.insert(dayOfWeek: next)
      while next != last {
        next = next % 7 + 1
        days.insert(dayOfWeek: next)
      }
    }
    return days
  }

  private static func day(_ word: Substring) -> Int? {
    number(word, digits: 1...1).flatMap { (1...7).contains($0) ? $0 : nil }
  }

  /// Parses a range in minutes of the day. An end not after the start is on the next day, so `00:00` is the end of the
  /// day itself.
  private static func range(_ word: Substring, of text: String) throws(ScheduleError) -> (start: Int, end: Int) {
    let times = word.split(separator: "-", omittingEmptySubsequences: false)
    guard times.count == 2 else { throw ScheduleError(.range, at: word, of: text) }
    let start = try time(times[0], of: text)
    let end = try time(times[1], of: text)
    return (start, end > start ? end : end + minutesPerDay)
  }

  private static func time(_ word: Substring, of text: String) throws(ScheduleError) -> Int {
    let parts = word.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let hour = number(parts[0], digits: 1...2), let minute = number(parts[1], digits: 2...2),
      hour <= 23, minute <= 59
    else { throw ScheduleError(.time, at: word, of: text) }
    return hour * 60 + minute
  }

  /// Parses a date as days since 1970.
  private static func date(_ word: Substring, of text: String) throws(ScheduleError) -> Int {
    let parts = word.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, let year = number(parts[0], digits: 4...4), let month = number(parts[1], digits: 2...2),
      let day = number(parts[2], digits: 2...2), let date = CivilDate(year: year, month: month, day: day)
    else { throw ScheduleError(.date, at: word, of: text) }
    return date.daysSince1970
  }

  /// Parses a date with a time as minutes since 1970.
  private static func dateTime(_ word: Substring, of text: String) throws(ScheduleError) -> Int {
    guard let hyphen = word.lastIndex(of: "-") else { throw ScheduleError(.date, at: word, of: text) }
    return try date(word[..<hyphen], of: text) * minutesPerDay + time(word[word.index(after: hyphen)...], of: text)
  }

  private static func number(_ word: Substring, digits: ClosedRange<Int>) -> Int? {
    guard digits.contains(word.utf8.count), word.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    return Int(word)
  }
}

extension ScheduleError {
  fileprivate init(_ code: Code, at word: Substring, of text: String) {
    self.init(code: code, entry: text, column: text.distance(from: text.startIndex, to: word.startIndex) + 1)
  }
}

/// An error in an entry of a schedule; the other entries apply.
package struct ScheduleError: Error, Equatable, Sendable {
  /// The expected syntax.
  package enum Code: Equatable, Sendable {
    case days, time, range, date, mode
    /// Days or a date, and a range; or two dates with times.
    case form
    /// The end of a period is not after its start.
    case backwards
  }

  package let code: Code
  package let entry: String
  /// The column of the first wrong character, from 1.
  package let column: Int
}

extension ScheduleError: CustomStringConvertible {
  package var description: String { "Schedule \"\(entry)\" ignored: column \(column): \(expectation)" }

  /// The text that is expected at the column.
  package var expectation: String {
    switch code {
    case .days: "days are 1 (Sunday) to 7 (Saturday), as in 1 or 2-6 or 2,4,6"
    case .time: "a time is H:mm, 0:00 to 23:59"
    case .range: "a range is two times, as in 9:00-17:00"
    case .date: "a date is yyyy-mm-dd, with a time yyyy-mm-dd-HH:mm, and must exist"
    case .mode: "a mode is location or geofence"
    case .form: "an entry is days and a range, a date and a range, or two dates with times; then a mode or nothing"
    case .backwards: "the end must come after the beginning"
    }
  }
}

/// The entry in the grammar of the configuration, for the log.
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
    return "\((ofDay / 60).zeroPadded(to: 2)):\((ofDay % 60).zeroPadded(to: 2))"
  }

  private static func date(_ minute: Int) -> String {
    let date = CivilDate(daysSince1970: day(ofMinute: minute))
    return "\(date.year.zeroPadded(to: 4))-\(date.month.zeroPadded(to: 2))-\(date.day.zeroPadded(to: 2))"
  }
}
