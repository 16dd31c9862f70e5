/// A day of the proleptic Gregorian calendar, years 0001 to 9999.
///
/// The conversions are Howard Hinnant's, "chrono-Compatible Low-Level Date Algorithms": the year begins in March, so that the
/// leap day is its last, and 400 years, an era, always have 146,097 days.
package struct CivilDate: Hashable, Sendable {
  package let year: Int
  /// 1 to 12.
  package let month: Int
  /// 1 to 31.
  package let day: Int

  /// Returns nil when there is no such day, or it is outside the years 0001 to 9999.
  package init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month) else { return nil }
    guard day >= 1, day <= CivilDate.days(inMonth: month, ofYear: year) else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// Creates the day this many days after 1970-01-01; it must be within the years 0001 to 9999.
  package init(daysSince1970: Int) {
    precondition((-719_162...2_932_896).contains(daysSince1970), "a civil date lies within the years 0001 to 9999")
    let days = daysSince1970 + 719_468
    let era = days / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  package var daysSince1970: Int {
    let yearFromMarch = month <= 2 ? year - 1 : year
    let era = yearFromMarch / 400
    let yearOfEra = yearFromMarch - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// 1 is Sunday, 7 is Saturday, as in the SDK's schedules (SDK §16.1).
  package var dayOfWeek: Int {
    // 719,163 days before 1970-01-01 is a Sunday, and no date of the type is earlier.
    (daysSince1970 + 719_163) % 7 + 1
  }

  private static func days(inMonth month: Int, ofYear year: Int) -> Int {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension WallInstant {
  package static let millisecondsPerDay: Int64 = 86_400_000

  /// Creates midnight at the beginning of the day, UTC.
  package init(_ date: CivilDate) {
    self.init(millisecondsSince1970: Int64(date.daysSince1970) * WallInstant.millisecondsPerDay)
  }

  /// The day in UTC.
  package var civilDate: CivilDate {
    CivilDate(daysSince1970: Int((millisecondsSince1970 - millisecondOfDay) / WallInstant.millisecondsPerDay))
  }

  /// 0 to 86,399,999, UTC.
  package var millisecondOfDay: Int64 {
    let remainder = millisecondsSince1970 % WallInstant.millisecondsPerDay
    return remainder < 0 ? remainder + WallInstant.millisecondsPerDay : remainder
  }
}
