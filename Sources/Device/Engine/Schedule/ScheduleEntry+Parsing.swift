import Base

extension ScheduleEntry {
  /// An entry as it stands in `app.schedule`. Words are separated by one or more spaces.
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

  /// `6-2` goes on over the end of the week: 6, 7, 1, 2 (the sources leave this open).
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

  /// In minutes of the day. An end that does not come after the start is that of the next day, so that `00:00` is the
  /// end of the day itself.
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

  /// In days since 1970.
  private static func date(_ word: Substring, of text: String) throws(ScheduleError) -> Int {
    let parts = word.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, let year = number(parts[0], digits: 4...4), let month = number(parts[1], digits: 2...2),
      let day = number(parts[2], digits: 2...2), let date = CivilDate(year: year, month: month, day: day)
    else { throw ScheduleError(.date, at: word, of: text) }
    return date.daysSince1970
  }

  /// In minutes since 1970.
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
