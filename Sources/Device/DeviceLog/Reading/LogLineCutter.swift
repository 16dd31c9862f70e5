package import Base
import Contract

/// One raw entry of a text log: its head and what follows until the next head.
struct LogLines {
  let line: Int
  let time: WallInstant
  /// The text after the time, with all following lines, but without blank lines at the end.
  let text: Substring
}

/// Splits a text log of either platform into entries, line by line. Lines before the first head are skipped; truncated
/// or corrupt lines belong to the entry before them.
struct LogLineCutter {
  /// Determined by the first line with a head; a log may begin in the middle of an entry.
  private(set) var platform: DevicePlatform?
  /// The number of lines so far, whether they belong to an entry or not.
  private(set) var lineCount = 0
  private var head: (line: Int, time: WallInstant)?
  private var text = ""
  /// Pending blank lines, which belong to the entry only when another line follows.
  private var blankCount = 0
  /// Android logs no years: January after December is in the next year.
  private var year = LogHead.assumedYear
  private var lastMonth = 1

  /// No entry of a device is longer; a file that only begins like a log must not exhaust the memory.
  private static let entryBytesMax = 1 << 20

  /// Takes a line. Returns the previous entry when the line begins another one.
  mutating func take(_ line: Substring) -> LogLines? {
    // A log that was copied by way of an editor may begin with a byte-order mark.
    let isMarked = lineCount == 0 && line.unicodeScalars.first == "\u{FEFF}"
    let line = isMarked ? Substring(line.unicodeScalars.dropFirst()) : line
    lineCount += 1
    guard let (time, rest) = headOf(line) else {
      add(line)
      return nil
    }
    let before = finish()
    head = (lineCount, platform == .ios ? time : inYear(time))
    text = String(rest)
    return before
  }

  /// Returns the last entry.
  mutating func finish() -> LogLines? {
    guard let (line, time) = head else { return nil }
    head = nil
    blankCount = 0
    return LogLines(line: line, time: time, text: text[...])
  }

  private mutating func add(_ line: Substring) {
    guard head != nil else { return }
    if line.isEmpty {
      blankCount += 1
      return
    }
    guard text.utf8.count + blankCount + line.utf8.count < Self.entryBytesMax else { return }
    for _ in 0...blankCount { text += "\n" }
    text += line
    blankCount = 0
  }

  private mutating func headOf(_ line: Substring) -> (WallInstant, Substring)? {
    switch platform {
    case .ios: return LogHead.ios(line)
    case .android: return LogHead.android(line)
    case nil:
      if let head = LogHead.ios(line) {
        platform = .ios
        return head
      }
      guard let head = LogHead.android(line) else { return nil }
      platform = .android
      return head
    }
  }

  private mutating func inYear(_ time: WallInstant) -> WallInstant {
    let month = time.civilDate.month
    if lastMonth == 12, month == 1 { year += 1 }
    lastMonth = month
    return time.moved(toYear: year)
  }
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

  /// Parses `07-28 14:33:46.653`, in the year nearest to the expected instant.
  static func instant(ofMonthAndClock text: Substring, near expected: WallInstant) -> WallInstant? {
    guard let (time, _) = date(text, years: false) else { return nil }
    return time.moved(toYear: expected.civilDate.year)
  }

  /// The year assigned to entries without one.
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
  package func moved(toYear year: Int) -> WallInstant {
    let old = civilDate
    guard old.year != year,
      let date = CivilDate(year: year, month: old.month, day: old.day) ?? CivilDate(year: year, month: 3, day: 1)
    else { return self }
    return WallInstant(date).advanced(byMilliseconds: millisecondOfDay)
  }
}
