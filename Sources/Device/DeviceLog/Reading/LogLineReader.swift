import Base
import Contract

/// One entry of a text log as it stands there: its head and what follows until the next head.
struct LogLines {
  let line: Int
  let time: WallInstant
  /// Behind the time, with all following lines, without blank lines at the end.
  let text: Substring
}

/// Cuts a text log of either platform into entries. Lines before the first head, and lines that were cut or garbled, go
/// with the entry before them.
struct LogLineReader: Sequence, IteratorProtocol {
  private let lines: [Substring]
  private let platform: DevicePlatform
  private var position = 0
  /// Android writes no years: after December comes January of the next one.
  private var year = LogHead.assumedYear
  private var lastMonth = 1

  init(_ text: String, platform: DevicePlatform) {
    lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    self.platform = platform
  }

  private func head(_ line: Substring) -> (WallInstant, Substring)? {
    platform == .ios ? LogHead.ios(line) : LogHead.android(line)
  }

  mutating func next() -> LogLines? {
    while position < lines.count {
      let first = position
      position += 1
      guard let (time, rest) = head(lines[first]) else { continue }
      while position < lines.count, head(lines[position]) == nil { position += 1 }
      var last = position - 1
      while last > first, lines[last].isEmpty { last -= 1 }
      let dated = platform == .ios ? time : inYear(time)
      let text = last > first ? rest.base[rest.startIndex..<lines[last].endIndex] : rest
      return LogLines(line: first + 1, time: dated, text: text)
    }
    return nil
  }

  private mutating func inYear(_ time: WallInstant) -> WallInstant {
    let month = time.civilDate.month
    if lastMonth == 12, month == 1 { year += 1 }
    lastMonth = month
    return time.moved(toYear: year)
  }

  /// Lines of the text, whether they belong to an entry or not.
  var lineCount: Int { lines.count }
}

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
