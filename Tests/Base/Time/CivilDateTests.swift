import Base
import Testing

@Suite struct CivilDateTests {
  /// Walks the calendar day by day, knowing nothing but the lengths of the months and the Gregorian rule.
  private struct Walker {
    var year: Int
    var month = 1
    var day = 1
    var dayOfWeek: Int

    var monthLength: Int {
      if month == 2 {
        let isLeap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
        return isLeap ? 29 : 28
      }
      return [31, 0, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    mutating func goOn() {
      dayOfWeek = dayOfWeek == 7 ? 1 : dayOfWeek + 1
      day += 1
      guard day > monthLength else { return }
      day = 1
      month += 1
      guard month > 12 else { return }
      month = 1
      year += 1
    }
  }

  @Test func everyDayFrom1600To2400IsTheOneAWalkMeets() {
    // 1600-01-01 was a Saturday, 135,140 days before the epoch: 370 years, 90 of them leap years (1600 … 1968 but 1700,
    // 1800 and 1900).
    var walker = Walker(year: 1600, dayOfWeek: 7)
    var number = -(370 * 365 + 90)
    var wrong: [Int] = []
    while walker.year <= 2400 {
      let date = CivilDate(daysSince1970: number)
      let built = CivilDate(year: walker.year, month: walker.month, day: walker.day)
      let agrees =
        date == built && date.daysSince1970 == number && date.dayOfWeek == walker.dayOfWeek
        && (date.year, date.month, date.day) == (walker.year, walker.month, walker.day)
      if !agrees { wrong.append(number) }
      if walker.day == walker.monthLength {
        let beyond = CivilDate(year: walker.year, month: walker.month, day: walker.day + 1)
        if beyond != nil { wrong.append(number) }
      }
      walker.goOn()
      number += 1
    }
    #expect(wrong.isEmpty)
    #expect(CivilDate(daysSince1970: 0) == CivilDate(year: 1970, month: 1, day: 1))
  }

  @Test func theEndsOfTheRangeAreReached() {
    let first = CivilDate(year: 1, month: 1, day: 1)
    let last = CivilDate(year: 9999, month: 12, day: 31)
    #expect(first?.daysSince1970 == -719_162)
    #expect(last?.daysSince1970 == 2_932_896)
    #expect(CivilDate(daysSince1970: -719_162) == first)
    #expect(CivilDate(daysSince1970: 2_932_896) == last)
    // The proleptic calendar begins with a Monday and ends with a Friday.
    #expect(first?.dayOfWeek == 2)
    #expect(last?.dayOfWeek == 6)
  }

  @Test func aDayThatDoesNotExistIsRefused() {
    for (year, month, day) in [(0, 1, 1), (10_000, 1, 1), (2026, 0, 1), (2026, 13, 1), (2026, 1, 0), (2026, 4, 31)] {
      #expect(CivilDate(year: year, month: month, day: day) == nil, "\(year)-\(month)-\(day)")
    }
    #expect(CivilDate(year: .max, month: .max, day: .max) == nil)
    #expect(CivilDate(year: .min, month: .min, day: .min) == nil)
  }
}
