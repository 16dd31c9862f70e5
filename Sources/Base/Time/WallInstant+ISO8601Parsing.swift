extension WallInstant {
  /// Reads a date and time as devices write it: RFC 3339, and besides a space instead of `T`, an offset without colon
  /// (`+0200`) or without minutes (`-07`), and no fraction or one of 1 to 9 digits, cut to milliseconds. Nil for
  /// everything else: no offset at all (nobody knows the zone), a field out of range, anything before or behind, or an
  /// instant outside the years 0001 to 9999 in UTC.
  ///
  /// Second 60 is a leap second, accepted where one can be, at 23:59 UTC; as in POSIX it is the first second of the
  /// next day.
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

  /// 0 without a fraction; nil when the point has no digit or more than nine behind it.
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

  /// `Z`, or an offset from UTC of at most 23:59 (RFC 3339 §5.6).
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
