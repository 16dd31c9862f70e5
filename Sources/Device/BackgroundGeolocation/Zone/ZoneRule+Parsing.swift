extension ZoneRule {
  /// Nil when the text is no such rule. Without days of change they are those of the United States, as with the C
  /// library.
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

    /// Three letters or more, or anything between angle brackets.
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

    /// `hh[:mm[:ss]]` with a sign, in seconds.
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

    /// Behind UTC: west of Greenwich is positive.
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
