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
