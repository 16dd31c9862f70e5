extension WallInstant {
  package static let millisecondsPerDay: Int64 = 86_400_000

  /// Midnight at the beginning of the day, UTC.
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
