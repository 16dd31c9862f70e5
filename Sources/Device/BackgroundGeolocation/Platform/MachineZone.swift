import Base
import Engine
import FoundationEssentials

/// The time zone of the machine, determined as the C library does (tzset(3)).
enum MachineZone {
  /// UTC when no zone is set. Read once for each platform; a new platform sees a changed zone.
  static var current: ZoneRules {
    guard let variable = ProcessInfo.processInfo.environment["TZ"] else {
      return rules(ofFile: "/etc/localtime") ?? .utc
    }
    return variable.isEmpty ? .utc : rules(named: variable) ?? .utc
  }

  /// Returns the zone of a name below /usr/share/zoneinfo, a file, or a rule; nil for anything else.
  static func rules(named name: String) -> ZoneRules? {
    let name = name.first == ":" ? String(name.dropFirst()) : name
    guard !name.isEmpty else { return nil }
    let path = name.first == "/" ? name : "/usr/share/zoneinfo/\(name)"
    return rules(ofFile: path) ?? ZoneRule(name)?.rules(after: [])
  }

  private static func rules(ofFile path: String) -> ZoneRules? {
    do {
      return ZoneFile.rules(in: Array(try Data(contentsOf: URL(filePath: path))))
    } catch {
      // An unreadable file gives no zone; the caller reports it.
      return nil
    }
  }
}

/// A file of the zone database, TZif (RFC 9636).
enum ZoneFile {
  private static let headerLength = 44

  /// The counts in the header, in their order there.
  private struct Counts {
    let utc, standard, leaps, times, types, characters: Int

    func length(timeSize: Int) -> Int {
      times * (timeSize + 1) + types * 6 + characters + leaps * (timeSize + 4) + standard + utc
    }
  }

  /// Returns nil for any other file, and for one that counts leap seconds, which no phone's clock does.
  static func rules(in bytes: [UInt8]) -> ZoneRules? {
    var bytes = bytes[...]
    guard let version = version(bytes), let first = takeCounts(&bytes), first.leaps == 0 else { return nil }
    let firstLength = first.length(timeSize: 4)
    guard firstLength <= bytes.count else { return nil }
    // Since version 2 a second block follows with 64-bit times, and the rule for all later years.
    guard version >= UInt8(ascii: "2") else { return rules(bytes, first, timeSize: 4, rule: nil) }
    bytes = bytes.dropFirst(firstLength)
    guard self.version(bytes) != nil, let second = takeCounts(&bytes), second.leaps == 0 else { return nil }
    let length = second.length(timeSize: 8)
    guard length <= bytes.count else { return nil }
    let footer = bytes.dropFirst(length).split(separator: UInt8(ascii: "\n")).first
    let text = footer.map { String(decoding: $0, as: UTF8.self) } ?? ""
    let rule = ZoneRule(text)
    guard text.isEmpty || rule != nil else { return nil }
    return rules(bytes, second, timeSize: 8, rule: rule)
  }

  private static func version(_ bytes: ArraySlice<UInt8>) -> UInt8? {
    guard bytes.count >= headerLength, bytes.starts(with: Array("TZif".utf8)) else { return nil }
    return bytes[bytes.startIndex + 4]
  }

  private static func takeCounts(_ bytes: inout ArraySlice<UInt8>) -> Counts? {
    let numbers = stride(from: 20, to: headerLength, by: 4).map { Int(number(bytes, at: $0, size: 4)) }
    bytes = bytes.dropFirst(headerLength)
    // Far above any real zone, and low enough that no sum overflows.
    guard numbers.allSatisfy({ (0...100_000).contains($0) }) else { return nil }
    return Counts(
      utc: numbers[0], standard: numbers[1], leaps: numbers[2], times: numbers[3], types: numbers[4],
      characters: numbers[5])
  }

  private static func rules(
    _ block: ArraySlice<UInt8>, _ counts: Counts, timeSize: Int, rule: ZoneRule?
  ) -> ZoneRules? {
    let typesStart = counts.times * (timeSize + 1)
    let offsets = (0..<counts.types).map { Int(number(block, at: typesStart + $0 * 6, size: 4)) }
    let limit = ZoneRules.largestOffsetSeconds
    guard var before = offsets.first, offsets.allSatisfy({ $0.magnitude <= limit }) else { return nil }
    var transitions: [ZoneRules.Transition] = []
    for index in 0..<counts.times {
      let type = Int(block[block.startIndex + counts.times * timeSize + index])
      guard type < offsets.count else { return nil }
      let seconds = number(block, at: index * timeSize, size: timeSize)
      let (milliseconds, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000)
      guard !isTooFar, let instant = WallInstant(exactly: milliseconds) else {
        if seconds < 0 { before = offsets[type] }
        continue
      }
      guard transitions.last.map({ $0.instant < instant }) ?? true else { return nil }
      transitions.append(ZoneRules.Transition(at: instant, offsetSeconds: offsets[type]))
    }
    return rule?.rules(before: before, after: transitions) ?? ZoneRules(offsetSeconds: before, transitions: transitions)
  }

  /// Reads a signed, big-endian number; the offset must be within the block.
  private static func number(_ bytes: ArraySlice<UInt8>, at offset: Int, size: Int) -> Int64 {
    let start = bytes.startIndex + offset
    let isNegative = bytes[start] & 0x80 != 0
    return bytes[start..<start + size].reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) }
  }
}

/// A zone for all years, as in the POSIX variable TZ and in the last line of a zone file (RFC 9636 §3.3.1):
/// `CET-1CEST,M3.5.0,M10.5.0/3`.
struct ZoneRule: Equatable {
  /// A day of the year and the local time before the change in seconds, which may fall on another day.
  struct Change: Equatable {
    enum Day: Equatable {
      /// 1 to 365; 29 February is never counted.
      case julian(Int)
      /// 0 to 365.
      case ordinal(Int)
      /// `week` 5 is the last; `day` 0 is Sunday.
      case weekday(month: Int, week: Int, day: Int)
    }

    var day: Day
    var seconds = 7_200
  }

  /// The offset from UTC.
  let standardSeconds: Int
  /// Nil without daylight saving time.
  let daylight: (seconds: Int, start: Change, end: Change)?

  /// The last year with computed transitions: a schedule beyond it sees no further change.
  private static let lastYear = 2_100

  static func == (left: ZoneRule, right: ZoneRule) -> Bool {
    left.standardSeconds == right.standardSeconds && left.daylight?.seconds == right.daylight?.seconds
      && left.daylight?.start == right.daylight?.start && left.daylight?.end == right.daylight?.end
  }

  /// Returns the past transitions, followed by those of the rule.
  func rules(before offsetSeconds: Int? = nil, after past: [ZoneRules.Transition]) -> ZoneRules {
    var transitions = past
    let start = past.last?.instant
    var current = past.last?.offsetSeconds ?? offsetSeconds ?? standardSeconds
    func change(at seconds: Int, to offset: Int) {
      guard let instant = WallInstant(exactly: Int64(seconds) * 1_000), instant > start ?? .earliest,
        transitions.last.map({ $0.instant < instant }) ?? true, offset != current
      else { return }
      transitions.append(ZoneRules.Transition(at: instant, offsetSeconds: offset))
      current = offset
    }
    if let daylight {
      for year in (start?.civilDate.year ?? 1_970)...max(ZoneRule.lastYear, start?.civilDate.year ?? 0) {
        let changes = [
          (daylight.start.second(of: year) - standardSeconds, daylight.seconds),
          (daylight.end.second(of: year) - daylight.seconds, standardSeconds),
        ]
        for (second, offset) in changes.sorted(by: { $0.0 < $1.0 }) { change(at: second, to: offset) }
      }
    }
    return ZoneRules(offsetSeconds: offsetSeconds ?? standardSeconds, transitions: transitions)
  }
}

extension ZoneRule.Change {
  /// The instant of the change in seconds since 1970, in local time before the change.
  func second(of year: Int) -> Int { dayNumber(of: year) * 86_400 + seconds }

  private func dayNumber(of year: Int) -> Int {
    switch day {
    case .julian(let day):
      let isAfterLeapDay = day >= 60 && CivilDate(year: year, month: 2, day: 29) != nil
      return first(of: 1, year) + day - 1 + (isAfterLeapDay ? 1 : 0)
    case .ordinal(let day): return first(of: 1, year) + day
    case .weekday(let month, let week, let day):
      let first = first(of: month, year)
      let weekday = CivilDate(daysSince1970: first).dayOfWeek - 1
      var found = first + (day - weekday + 7) % 7 + (week - 1) * 7
      let next = month == 12 ? self.first(of: 1, year + 1) : self.first(of: month + 1, year)
      while found >= next { found -= 7 }
      return found
    }
  }

  private func first(of month: Int, _ year: Int) -> Int {
    CivilDate(year: year, month: month, day: 1)?.daysSince1970 ?? 0
  }
}

extension ZoneRule {
  /// Nil when the text is not such a rule. Without dates of change the rules of the United States apply, as in the C library.
  init?(_ text: String) {
    var reader = Reader(rest: text.utf8[...])
    guard reader.skipName(), let west = reader.offset() else { return nil }
    standardSeconds = -west
    guard !reader.rest.isEmpty else {
      daylight = nil
      return
    }
    guard reader.skipName() else { return nil }
    var seconds = standardSeconds + 3_600
    if let first = reader.rest.first, first != UInt8(ascii: ",") {
      guard let west = reader.offset() else { return nil }
      seconds = -west
    }
    var changes = (Change(day: .weekday(month: 3, week: 2, day: 0)), Change(day: .weekday(month: 11, week: 1, day: 0)))
    if !reader.rest.isEmpty {
      guard reader.skip(","), let start = reader.change(), reader.skip(","), let end = reader.change(),
        reader.rest.isEmpty
      else { return nil }
      changes = (start, end)
    }
    guard max(standardSeconds.magnitude, seconds.magnitude) <= 18 * 3_600 else { return nil }
    daylight = (seconds, changes.0, changes.1)
  }

  private struct Reader {
    var rest: Substring.UTF8View.SubSequence

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard rest.first == UInt8(ascii: character) else { return false }
      rest = rest.dropFirst()
      return true
    }

    /// Skips three or more letters, or any text in angle brackets.
    mutating func skipName() -> Bool {
      if skip("<") {
        let name = rest.prefix { $0 != UInt8(ascii: ">") }
        rest = rest.dropFirst(name.count)
        return !name.isEmpty && skip(">")
      }
      let name = rest.prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) }
      rest = rest.dropFirst(name.count)
      return name.count >= 3
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int? {
      let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      guard (1...3).contains(digits.count) else { return nil }
      rest = rest.dropFirst(digits.count)
      let number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
      return range.contains(number) ? number : nil
    }

    /// Reads `hh[:mm[:ss]]` with an optional sign, in seconds.
    mutating func time(hours: ClosedRange<Int>) -> Int? {
      let isNegative = skip("-")
      if !isNegative { _ = skip("+") }
      guard let hour = number(hours) else { return nil }
      var seconds = hour * 3_600
      for unit in [60, 1] where skip(":") {
        guard let count = number(0...59) else { return nil }
        seconds += count * unit
      }
      return isNegative ? -seconds : seconds
    }

    /// Reads an offset; positive is west of Greenwich, behind UTC.
    mutating func offset() -> Int? { time(hours: 0...18).flatMap { $0.magnitude <= 18 * 3_600 ? $0 : nil } }

    mutating func change() -> Change? {
      guard let day = day() else { return nil }
      var change = Change(day: day)
      if skip("/") {
        guard let seconds = time(hours: 0...167) else { return nil }
        change.seconds = seconds
      }
      return change
    }

    private mutating func day() -> Change.Day? {
      if skip("J") { return number(1...365).map { .julian($0) } }
      guard skip("M") else { return number(0...365).map { .ordinal($0) } }
      guard let month = number(1...12), skip("."), let week = number(1...5), skip("."), let day = number(0...6) else {
        return nil
      }
      return .weekday(month: month, week: week, day: day)
    }
  }
}
