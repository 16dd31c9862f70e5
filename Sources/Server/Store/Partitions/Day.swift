/// The day of recorded time that a partition holds.
package enum Day {
  package static let milliseconds: Int64 = 86_400_000

  /// The partition of records without a time, or with an impossible one: it has the number of 1970-01-01.
  package static let odd: Int64 = 0

  /// 2000-01-01. No phone recorded anything earlier.
  private static let first: Int64 = 10_957

  /// Returns the days since 1970-01-01, or `odd` for a time before 2000 or more than `daysAhead` days after `now`.
  package static func of(_ recordedAt: Int64, now: Int64, daysAhead: Int) -> Int64 {
    let day = recordedAt / milliseconds
    return recordedAt > 0 && day >= first && day <= now / milliseconds + Int64(daysAhead) ? day : odd
  }

  package static func range(_ day: Int64) -> Range<Int64> { day * milliseconds..<(day + 1) * milliseconds }
}
