import Base

/// The time at the head of an entry.
enum LogHead {
  /// `2026-07-28 14:33:46.653 …`
  static func ios(_ line: Substring) -> (WallInstant, Substring)? {
    guard let (time, rest) = date(line, years: true) else { return nil }
    return (time, rest)
  }

  /// `07-28 14:33:46.653 INFO [Class method] …`; the year is not in the log.
  static func android(_ line: Substring) -> (WallInstant, Substring)? {
    guard let (time, rest) = date(line, years: false) else { return nil }
    let levels = ["DEBUG", "INFO", "WARN", "ERROR"]
    guard let level = levels.first(where: { rest.hasPrefix($0 + " [") }) else { return nil }
    return (time, rest.dropFirst(level.count + 1))
  }

  /// `07-28 14:33:46.653`, in the year that brings it nearest.
  static func instant(ofMonthAndClock text: Substring, near expected: WallInstant) -> WallInstant? {
    guard let (time, _) = date(text, years: false) else { return nil }
    return time.moved(toYear: expected.civilDate.year)
  }

  /// The year that entries without one are given.
  static let assumedYear = 2_000

  private static func date(_ line: Substring, years: Bool) -> (WallInstant, Substring)? {
    let length = years ? 23 : 18
    let bytes = line.utf8
    guard bytes.count >= length else { return nil }
    let end = bytes.index(bytes.startIndex, offsetBy: length)
    let stamp = bytes[..<end]
    let text = years ? "\(Substring(stamp))Z" : "\(assumedYear)-\(Substring(stamp))Z"
    guard let time = WallInstant(iso8601: text.utf8.span) else { return nil }
    let rest = line[end...]
    return (time, rest.first == " " ? rest.dropFirst() : rest)
  }
}

extension WallInstant {
  /// The same day and time of another year; the 29th of February may become the 1st of March.
  func moved(toYear year: Int) -> WallInstant {
    let old = civilDate
    guard old.year != year,
      let date = CivilDate(year: year, month: old.month, day: old.day) ?? CivilDate(year: year, month: 3, day: 1)
    else { return self }
    return WallInstant(date).advanced(byMilliseconds: millisecondOfDay)
  }
}
