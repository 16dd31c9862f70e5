package import Base
import DeviceLog

/// The offset of the phone's clock from UTC. A log has local times without a zone, but some entries contain a UTC instant
/// beside the local one.
package struct LogZone: Equatable, Sendable {
  /// The first line with this offset.
  struct Stretch: Equatable, Sendable {
    var line: Int
    var offsetMinutes: Int
  }

  private(set) var stretches: [Stretch] = []
  /// Added to the years that the reader assigned to a log without years.
  private(set) var years = 0
  /// The year of the last entry, where no entry names one and that of the file is taken.
  private(set) var assumedYear: Int?
  private var votes: [Int] = []

  /// The number of entries that must agree before another offset counts, because one of them may be late.
  private static let votesNeeded = 3
  private static let quarter: Int64 = 900_000

  package init() {}

  /// The offset that the user gives instead of the log.
  package init(offsetMinutes: Int) { stretches = [Stretch(line: 0, offsetMinutes: offsetMinutes)] }

  /// Whether the log or the user has provided it.
  package var isKnown: Bool { !stretches.isEmpty }

  /// The offset at the end of the log.
  package var offsetMinutes: Int { stretches.last?.offsetMinutes ?? 0 }

  /// Follows an entry. With `keepsOffset` only the year is determined, because the user has given the offset.
  mutating func take(_ passage: LogPassage, keepsOffset: Bool) {
    guard let instant = LogZone.instant(in: passage.text) else { return }
    if passage.time.civilDate.year < LogZone.firstRealYear {
      years = instant.civilDate.year - passage.time.civilDate.year
    }
    guard !keepsOffset, let offset = offset(of: passage.time, at: instant) else { return }
    guard !stretches.isEmpty else {
      stretches = [Stretch(line: 0, offsetMinutes: offset)]
      return
    }
    guard offset != offsetMinutes else {
      votes = []
      return
    }
    if votes.last.map({ $0 != offset }) ?? false { votes = [] }
    votes.append(offset)
    guard votes.count == LogZone.votesNeeded else { return }
    stretches.append(Stretch(line: passage.line, offsetMinutes: offset))
    votes = []
  }

  /// Takes the last year in which a log without years does not end behind the file, whose day is one of that year.
  mutating func assumeYear(of last: WallInstant, writtenBy written: WallInstant) {
    let date = last.civilDate
    guard date.year < LogZone.firstRealYear, years == 0 else { return }
    let end = written.advanced(byMilliseconds: LogZone.offsetMillisecondsMax)
    let latest = end.civilDate.year
    let year = (0..<LogZone.yearsToLeapDay).lazy.map { latest - $0 }.first { year in
      CivilDate(year: year, month: date.month, day: date.day) != nil && last.moved(toYear: year) <= end
    }
    guard let year else { return }
    (assumedYear, years) = (year, year - date.year)
  }

  /// Returns the last instant that a local time may have for which this one was taken.
  func latest(_ instant: WallInstant) -> WallInstant {
    isKnown ? instant : instant.moved(byMilliseconds: -LogZone.offsetMillisecondsMin) ?? instant
  }

  /// The bounds of the offset of a phone's clock from UTC.
  private static let offsetMillisecondsMin: Int64 = -12 * 3_600_000
  private static let offsetMillisecondsMax: Int64 = 14 * 3_600_000
  /// One of nine successive years has a 29 February, and the first of them may be too late.
  private static let yearsToLeapDay = 10

  /// No phone with the SDK is older; logs without years have earlier ones.
  package static let firstRealYear = 2_010

  /// Offsets are multiples of a quarter of an hour, at most 14 hours from UTC.
  private func offset(of local: WallInstant, at instant: WallInstant) -> Int? {
    let apart = dated(local).milliseconds(since: instant)
    let quarters = Int64((Double(apart) / Double(LogZone.quarter)).rounded())
    guard quarters.magnitude <= 56, (apart - quarters * LogZone.quarter).magnitude <= 120_000 else { return nil }
    return Int(quarters) * 15
  }

  private func dated(_ local: WallInstant) -> WallInstant {
    years == 0 ? local : local.moved(toYear: local.civilDate.year + years)
  }

  /// Returns the instant of a line with that local time.
  package func instant(of local: WallInstant, line: Int) -> WallInstant {
    let stretch = stretches.last { $0.line <= line } ?? stretches.first
    let offset = Int64(stretch?.offsetMinutes ?? 0) * 60_000
    return WallInstant(exactly: dated(local).millisecondsSince1970 - offset) ?? local
  }

  /// Returns a UTC instant in an entry, if it is the time of the entry itself or a few seconds older.
  private static func instant(in text: String) -> WallInstant? {
    let bytes = text.utf8
    if let rest = bytes.behind("state_updated_at=") { return epoch(rest, unit: 1_000) }
    if let rest = bytes.behind(", time: ") { return epoch(rest, unit: 1) }
    if let rest = bytes.behind("timestamp = \"") { return iso(rest.prefix { $0 != UInt8(ascii: "\"") }) }
    guard let rest = bytes.behind(" start:"), rest.dropFirst(19).starts(with: " +0000".utf8) else { return nil }
    return iso(rest.prefix(10) + [UInt8(ascii: "T")] + rest.dropFirst(11).prefix(8) + [UInt8(ascii: "Z")])
  }

  private static func iso(_ bytes: some Sequence<UInt8>) -> WallInstant? { WallInstant(iso8601: Array(bytes).span) }

  private static func epoch(_ text: Substring.UTF8View, unit: Double) -> WallInstant? {
    let digits = text.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    guard let number = Double(Substring(digits)), number.magnitude < 1e15 else { return nil }
    return WallInstant(exactly: Int64(number * unit))
  }
}

extension String.UTF8View {
  /// Returns the text after the first occurrence of some words.
  fileprivate func behind(_ words: StaticString) -> Substring.UTF8View? {
    let needle = words.description.utf8
    guard let first = needle.first else { return nil }
    var rest = self[...]
    while let place = rest.firstIndex(of: first) {
      rest = rest[place...]
      if rest.starts(with: needle) { return rest.dropFirst(needle.count) }
      rest = rest.dropFirst()
    }
    return nil
  }
}
