import Base

/// A scanner that reads a line of text from left to right.
struct TextScanner {
  private(set) var rest: Substring

  init(_ text: Substring) { rest = text }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func skip(_ text: String) -> Bool {
    guard rest.utf8.starts(with: text.utf8) else { return false }
    rest = Substring(rest.utf8.dropFirst(text.utf8.count))
    return true
  }

  /// Skips past the next occurrence; does not move when there is none.
  @discardableResult
  mutating func pass(_ text: String) -> Bool { upTo(text) != nil }

  /// Returns the text before the next occurrence, and skips past it.
  mutating func upTo(_ text: String) -> Substring? {
    let needle = Array(text.utf8)
    var position = rest.utf8.startIndex
    while position < rest.utf8.endIndex {
      if rest.utf8[position...].starts(with: needle) {
        let before = rest[..<position]
        rest = rest[rest.utf8.index(position, offsetBy: needle.count)...]
        return before
      }
      position = rest.utf8.index(after: position)
    }
    return nil
  }

  /// Reads a decimal number with optional sign, fraction and exponent; Java writes small numbers as `2.0E-4`.
  mutating func number() -> Double? {
    let bytes = rest.utf8
    var end = bytes.startIndex
    func pass(_ accepted: String) -> Bool {
      guard end < bytes.endIndex, accepted.utf8.contains(bytes[end]) else { return false }
      end = bytes.index(after: end)
      return true
    }
    func passDigits() -> Bool {
      let first = end
      while pass("0123456789") {}
      return end > first
    }
    _ = pass("+-")
    guard passDigits() else { return nil }
    var last = end
    if pass("."), passDigits() { last = end }
    end = last
    if pass("eE") {
      _ = pass("+-")
      if passDigits() { last = end }
    }
    guard let value = Double(String(rest[..<last])), value.isFinite else { return nil }
    rest = rest[last...]
    return value
  }

  /// Finds a label anywhere in the rest and reads the number after it.
  mutating func number(after label: String) -> Double? {
    var ahead = self
    guard ahead.pass(label), let value = ahead.number() else { return nil }
    self = ahead
    return value
  }

  /// Returns the text before the end of an open bracket, including nested brackets.
  mutating func upToClosing(_ opening: Character, _ closing: Character) -> Substring? {
    var depth = 1
    for index in rest.indices {
      if rest[index] == opening { depth += 1 }
      if rest[index] == closing { depth -= 1 }
      guard depth == 0 else { continue }
      let inner = rest[..<index]
      rest = rest[rest.index(after: index)...]
      return inner
    }
    return nil
  }

  mutating func integer() -> Int? {
    number().flatMap { Int(exactly: $0) }
  }

  mutating func integer(after label: String) -> Int? {
    number(after: label).flatMap { Int(exactly: $0) }
  }

  /// Reads up to the next space or the end.
  mutating func word() -> Substring {
    let word = rest.prefix { $0 != " " && $0 != "\n" }
    rest = rest.dropFirst(word.count)
    return word
  }
}

/// The time of a fix in the phone's language: `2026-07-28, 2:34:22 PM …`, `28.07.26, 14.34.22 …`,
/// `2022/03/14 15:48:12 …`. The order of a date's parts cannot be determined from one line, so only the time of day is
/// read; the day is the one nearest to the expected instant.
enum SpokenTime {
  /// Nil when the text has no time of day. `expected` is the instant of the fix, as far as the rest of the line shows it.
  static func read(_ text: Substring, near expected: WallInstant) -> WallInstant? {
    guard let clock = lastClock(in: text) else { return nil }
    let midnight = expected.millisecondsSince1970 - expected.millisecondOfDay
    let inHour = Int64(clock.minute * 60 + clock.second) * 1_000
    var best: WallInstant?
    for hour in hours(of: clock.hour, mark: clock.mark) {
      for day: Int64 in [-1, 0, 1] {
        let time = midnight + day * WallInstant.millisecondsPerDay + Int64(hour) * 3_600_000 + inHour
        guard let candidate = WallInstant(exactly: time) else { continue }
        if let best, distance(best, expected) <= distance(candidate, expected) { continue }
        best = candidate
      }
    }
    return best
  }

  private static func distance(_ one: WallInstant, _ other: WallInstant) -> Int64 {
    abs(one.milliseconds(since: other))
  }

  private struct Clock {
    let hour: Int
    let minute: Int
    let second: Int
    /// The text after the time, which contains AM or PM in some languages.
    let mark: String
  }

  /// In other languages than English AM or PM may precede or follow the time, as any word.
  private static func hours(of hour: Int, mark: String) -> [Int] {
    guard (1...12).contains(hour) else { return [hour] }
    switch mark {
    case "AM": return [hour % 12]
    case "PM": return [hour % 12 + 12]
    default: return [hour, hour % 12 + 12]
    }
  }

  /// Three numbers with colons, or the last three with full stops, because a date may have those too.
  private static func lastClock(in text: Substring) -> Clock? {
    let characters = Array(text)
    for separator: Character in [":", "."] {
      for start in characters.indices.reversed() {
        if start > 0, characters[start - 1].wholeNumberValue != nil { continue }
        if let clock = clock(in: characters[start...], separator: separator) { return clock }
      }
    }
    return nil
  }

  private static func clock(in text: ArraySlice<Character>, separator: Character) -> Clock? {
    var rest = text
    func number() -> Int? {
      let digits = rest.prefix(3).prefix { $0.wholeNumberValue.map { (0...9).contains($0) } ?? false }
      rest = rest.dropFirst(digits.count)
      return (1...2).contains(digits.count) ? digits.reduce(0) { $0 * 10 + ($1.wholeNumberValue ?? 0) } : nil
    }
    func skipSeparator() -> Bool { rest.popFirst() == separator }
    guard let hour = number(), hour < 24, skipSeparator(), let minute = number(), minute < 60, skipSeparator(),
      let second = number(), second < 61, rest.first != separator
    else { return nil }
    let mark = rest.drop(while: \.isWhitespace).prefix { $0.isLetter || $0 == "." }.filter(\.isLetter)
    return Clock(hour: hour, minute: minute, second: second, mark: String(mark).uppercased())
  }
}
