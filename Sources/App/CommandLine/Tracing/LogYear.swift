import Base
import DeviceLog
import Formats

/// The year of a log without years, such as those of Android.
struct LogYear {
  /// The last time in the log, in the reader's assumed years.
  let last: WallInstant
  let route: RouteRecording

  /// The maximum offset of a phone's clock from UTC, which its log does not show.
  private static let zoneMillisecondsMax: Int64 = 14 * 3_600_000

  init(last: WallInstant, of route: RouteRecording) { (self.last, self.route) = (last, route) }

  /// Returns the last year in which no entry is later than the file. A 29 February is in a leap year.
  func latest(by written: WallInstant) -> Int {
    let end = written.advanced(byMilliseconds: LogYear.zoneMillisecondsMax)
    var year = end.civilDate.year
    if last.moved(toYear: year) > end { year -= 1 }
    // At least one of nine successive years has that day.
    return (0..<9).lazy.map { year - $0 }.first(where: hasAllDays) ?? year
  }

  private func hasAllDays(_ year: Int) -> Bool {
    let added = year - last.civilDate.year
    return route.points.compactMap(\.time?.civilDate).allSatisfy { date in
      CivilDate(year: date.year + added, month: date.month, day: date.day) != nil
    }
  }

  func route(endingIn year: Int) throws(RouteError) -> RouteRecording {
    let added = year - last.civilDate.year
    let points = route.points.map { point in
      RoutePoint(
        place: point.place, elevation: point.elevation,
        time: point.time.map { $0.moved(toYear: $0.civilDate.year + added) }, at: point.spot)
    }
    return try RouteRecording(points: points, end: FileSpot(line: 1))
  }
}
