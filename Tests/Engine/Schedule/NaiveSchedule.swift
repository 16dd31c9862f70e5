import Base

@testable import Engine

/// A schedule worked out by going through every minute of some weeks with a clock on the wall, and nothing else.
struct NaiveSchedule {
  /// A window as the grammar means it, with the day of its beginning left open when it comes every week.
  struct Entry {
    var daysOfWeek: [Int]
    /// Since 1970; nil for entries of every week.
    var day: Int?
    var startMinute: Int
    var lengthMinutes: Int
    var mode: ScheduleMode
  }

  private let first: Int
  /// What the clock shows at each minute, in minutes since 1970.
  private let shown: [Int]
  private let modes: [ScheduleMode?]
  /// The minutes at which windows begin or end.
  let boundaries: [Int]

  init(_ entries: [Entry], zone: ZoneRules, from start: WallInstant, days: Int) {
    let first = Int(start.millisecondsSince1970 / 60_000) - 3 * 1_440
    self.first = first
    shown = (0..<(days + 14) * 1_440).map { first + $0 + NaiveSchedule.offsetMinutes(zone, minute: first + $0) }
    var modes = [ScheduleMode?](repeating: nil, count: shown.count)
    var boundaries: Set<Int> = []
    for entry in entries {
      for day in shown[0] / 1_440...shown[shown.count - 1] / 1_440 + 1 {
        // 1970-01-01 was a Thursday, day 5.
        guard entry.day.map({ $0 == day }) ?? entry.daysOfWeek.contains((day + 4) % 7 + 1) else { continue }
        let begin = NaiveSchedule.firstIndex(in: shown, showing: day * 1_440 + entry.startMinute)
        let end = NaiveSchedule.firstIndex(
          in: shown, showing: day * 1_440 + entry.startMinute + entry.lengthMinutes)
        guard begin < end else { continue }
        for index in begin..<end where modes[index] != .location { modes[index] = entry.mode }
        boundaries.formUnion([first + begin, first + end])
      }
    }
    self.modes = modes
    self.boundaries = boundaries.sorted()
  }

  func mode(atMinute minute: Int) -> ScheduleMode? { modes[minute - first] }

  private static func firstIndex(in shown: [Int], showing minute: Int) -> Int {
    shown.firstIndex { $0 >= minute } ?? shown.count
  }

  private static func offsetMinutes(_ zone: ZoneRules, minute: Int) -> Int {
    var seconds = zone.offsetSeconds
    for transition in zone.transitions where transition.instant.millisecondsSince1970 <= Int64(minute) * 60_000 {
      seconds = transition.offsetSeconds
    }
    return seconds / 60
  }
}
