import Base
import Engine

/// A zone for all years, as POSIX has it in the variable TZ and a zone file in its last line (RFC 9636 §3.3.1):
/// `CET-1CEST,M3.5.0,M10.5.0/3`.
struct ZoneRule: Equatable {
  /// A day of a year and a time on the clock before the change, in seconds, which may lie on another day.
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

  /// Ahead of UTC.
  let standardSeconds: Int
  /// Nil without daylight saving time.
  let daylight: (seconds: Int, start: Change, end: Change)?

  /// A schedule that looks further ahead meets clocks that do not change any more.
  private static let lastYear = 2_100

  static func == (left: ZoneRule, right: ZoneRule) -> Bool {
    left.standardSeconds == right.standardSeconds && left.daylight?.seconds == right.daylight?.seconds
      && left.daylight?.start == right.daylight?.start && left.daylight?.end == right.daylight?.end
  }

  /// The transitions of the past, and from the last of them on those of the rule.
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
  /// Since 1970, on the clock before the change.
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
