import Base
import DeviceLog
import Formats

/// The year of a log that tells months and days alone, as those of Android do.
struct LogYear {
  /// As the reader has it, in years of its own.
  let last: WallInstant
  let route: RouteRecording

  /// How far the clock of a phone may be ahead of UTC, of which its log says nothing.
  private static let zoneMillisecondsMax: Int64 = 14 * 3_600_000

  init(last: WallInstant, of route: RouteRecording) { (self.last, self.route) = (last, route) }

  /// The last year in which nothing of the log is later than the file. A 29th of February lies in a leap year.
  func latest(by written: WallInstant) -> Int {
    let end = written.advanced(byMilliseconds: LogYear.zoneMillisecondsMax)
    var year = end.civilDate.year
    if last.moved(toYear: year) > end { year -= 1 }
    // Of nine years in a row one at least has that day.
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
