/// A date and time of day in UTC, in milliseconds, as the SDK sends them. Always within the years 0001 to 9999, so that every
/// value has an ISO-8601 text with a four-digit year. Leap seconds do not count, as in POSIX.
@frozen @usableFromInline
package struct WallInstant: Hashable, Comparable, Sendable {
  @usableFromInline package let millisecondsSince1970: Int64

  /// 0001-01-01T00:00:00.000Z.
  @inlinable package static var earliest: WallInstant { WallInstant(unchecked: -62_135_596_800_000) }
  /// 9999-12-31T23:59:59.999Z.
  @inlinable package static var latest: WallInstant { WallInstant(unchecked: 253_402_300_799_999) }

  @inlinable init(unchecked millisecondsSince1970: Int64) { self.millisecondsSince1970 = millisecondsSince1970 }

  /// For numbers from the program itself; a number outside the years 0001 to 9999 is a programming error.
  @inlinable package init(millisecondsSince1970: Int64) {
    self.init(unchecked: millisecondsSince1970)
    precondition(self >= .earliest && self <= .latest, "a wall instant lies within the years 0001 to 9999")
  }

  /// For untrusted numbers: nil when they are outside the years 0001 to 9999.
  package init?(exactly millisecondsSince1970: Int64) {
    self.init(unchecked: millisecondsSince1970)
    guard self >= .earliest && self <= .latest else { return nil }
  }

  @inlinable package static func < (left: WallInstant, right: WallInstant) -> Bool {
    left.millisecondsSince1970 < right.millisecondsSince1970
  }

  /// Returns the instant this many milliseconds later. For numbers from the program itself: the instant must be within the range of
  /// the type.
  @inlinable package func advanced(byMilliseconds milliseconds: Int64) -> WallInstant {
    WallInstant(millisecondsSince1970: millisecondsSince1970 + milliseconds)
  }

  /// Returns the instant this many milliseconds later; nil outside the range of the type. For untrusted numbers.
  package func moved(byMilliseconds milliseconds: Int64) -> WallInstant? {
    let (sum, isOverflow) = millisecondsSince1970.addingReportingOverflow(milliseconds)
    return isOverflow ? nil : WallInstant(exactly: sum)
  }

  @inlinable package func milliseconds(since earlier: WallInstant) -> Int64 {
    millisecondsSince1970 - earlier.millisecondsSince1970
  }
}

extension WallInstant {
  /// Reads a date and time as devices write it: RFC 3339, and also a space instead of `T`, an offset without colon (`+0200`) or
  /// without minutes (`-07`), and an optional fraction of 1 to 9 digits, truncated to milliseconds. Nil for everything else: no
  /// offset (the zone is unknown), a field out of range, extra characters, or an instant outside the years 0001 to 9999 in UTC.
  ///
  /// Second 60 is a leap second, accepted where one can occur, at 23:59 UTC; as in POSIX it is the first second of the next
  /// day.
  package init?(iso8601 text: Span<UInt8>) {
    var position = 0
    guard
      let year = text.number(digits: 4, at: &position), text.skip("-", at: &position),
      let month = text.number(digits: 2, at: &position), text.skip("-", at: &position),
      let day = text.number(digits: 2, at: &position),
      text.skip("T", at: &position) || text.skip("t", at: &position) || text.skip(" ", at: &position),
      let hour = text.number(digits: 2, at: &position), text.skip(":", at: &position),
      let minute = text.number(digits: 2, at: &position), text.skip(":", at: &position),
      let second = text.number(digits: 2, at: &position),
      let millisecond = text.fractionInMilliseconds(at: &position),
      let offset = text.offsetInMinutes(at: &position), position == text.count,
      let date = CivilDate(year: year, month: month, day: day), hour <= 23, minute <= 59, second <= 60
    else { return nil }

    let minuteOfDay = hour * 60 + minute - offset
    if second == 60 && (minuteOfDay + 1) % 1_440 != 0 { return nil }
    let seconds = Int64(date.daysSince1970) * 86_400 + Int64(minuteOfDay * 60 + second)
    self.init(exactly: seconds * 1_000 + Int64(millisecond))
  }
}

extension Span<UInt8> {
  fileprivate func skip(_ character: Unicode.Scalar, at position: inout Int) -> Bool {
    guard position < count, self[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private func digit(at position: Int) -> Int? {
    guard position < count else { return nil }
    let value = self[position] &- UInt8(ascii: "0")
    return value <= 9 ? Int(value) : nil
  }

  fileprivate func number(digits: Int, at position: inout Int) -> Int? {
    var value = 0
    for _ in 0..<digits {
      guard let digit = digit(at: position) else { return nil }
      value = value * 10 + digit
      position += 1
    }
    return value
  }

  /// Returns 0 without a fraction; nil when the point is followed by no digit or by more than nine.
  fileprivate func fractionInMilliseconds(at position: inout Int) -> Int? {
    guard skip(".", at: &position) else { return 0 }
    var value = 0
    var digits = 0
    while let digit = digit(at: position) {
      if digits < 3 { value = value * 10 + digit }
      digits += 1
      position += 1
    }
    switch digits {
    case 1: return value * 100
    case 2: return value * 10
    case 3...9: return value
    default: return nil
    }
  }

  /// Reads `Z`, or an offset from UTC of at most 23:59 (RFC 3339 §5.6).
  fileprivate func offsetInMinutes(at position: inout Int) -> Int? {
    if skip("Z", at: &position) || skip("z", at: &position) { return 0 }
    let isWest = skip("-", at: &position)
    guard isWest || skip("+", at: &position), let hours = number(digits: 2, at: &position), hours <= 23 else {
      return nil
    }
    var minutes = 0
    if position < count {
      _ = skip(":", at: &position)
      guard let number = number(digits: 2, at: &position), number <= 59 else { return nil }
      minutes = number
    }
    return isWest ? -(hours * 60 + minutes) : hours * 60 + minutes
  }
}

extension WallInstant {
  /// `2026-07-28T18:34:22.563Z`.
  package var iso8601Text: String {
    var bytes: [UInt8] = []
    append(iso8601To: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends 24 bytes, `2026-07-28T18:34:22.563Z`: the form in which the SDK writes every time.
  package func append(iso8601To bytes: inout [UInt8]) {
    let date = civilDate
    let millisecond = Int(millisecondOfDay)
    bytes.append(addingCapacity: 24) { text in
      text.append(digits: date.year / 100)
      text.append(digits: date.year % 100)
      text.append(UInt8(ascii: "-"))
      text.append(digits: date.month)
      text.append(UInt8(ascii: "-"))
      text.append(digits: date.day)
      text.append(UInt8(ascii: "T"))
      text.append(timeOfSecond: millisecond / 1_000)
      text.append(UInt8(ascii: "."))
      text.append(UInt8(ascii: "0") + UInt8(millisecond % 1_000 / 100))
      text.append(digits: millisecond % 100)
      text.append(UInt8(ascii: "Z"))
    }
  }
}

extension OutputSpan<UInt8> {
  /// Appends two digits of a number below 100.
  mutating func append(digits number: Int) {
    append(UInt8(ascii: "0") + UInt8(number / 10))
    append(UInt8(ascii: "0") + UInt8(number % 10))
  }

  mutating func append(timeOfSecond second: Int) {
    append(digits: second / 3_600)
    append(UInt8(ascii: ":"))
    append(digits: second / 60 % 60)
    append(UInt8(ascii: ":"))
    append(digits: second % 60)
  }
}
