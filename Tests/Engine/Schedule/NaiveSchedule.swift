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
  private let modes: [ScheduleMode?]
  /// The minutes at which something else is on than a minute before.
  let changes: [Int]

  init(_ entries: [Entry], zone: ZoneRules, from start: WallInstant, days: Int) {
    let first = Int(start.millisecondsSince1970 / 60_000) - 3 * 1_440
    self.first = first
    // What the clock shows at each minute, in minutes since 1970; of times that come twice the first.
    var shown = (0..<(days + 14) * 1_440).map { first + $0 + NaiveSchedule.offsetMinutes(zone, minute: first + $0) }
    for index in 1..<shown.count { shown[index] = max(shown[index], shown[index - 1]) }
    var modes = [ScheduleMode?](repeating: nil, count: shown.count)
    for entry in entries {
      for day in shown[0] / 1_440 - 1...shown[shown.count - 1] / 1_440 + 1 {
        // 1970-01-01 was a Thursday, day 5.
        guard entry.day.map({ $0 == day }) ?? entry.daysOfWeek.contains((day + 4) % 7 + 1) else { continue }
        let begin = NaiveSchedule.firstIndex(in: shown, showing: day * 1_440 + entry.startMinute)
        let end = NaiveSchedule.firstIndex(
          in: shown, showing: day * 1_440 + entry.startMinute + entry.lengthMinutes)
        guard begin < end else { continue }
        for index in begin..<end where modes[index] != .location { modes[index] = entry.mode }
      }
    }
    self.modes = modes
    changes = modes.indices.dropFirst().filter { modes[$0] != modes[$0 - 1] }.map { first + $0 }
  }

  func mode(atMinute minute: Int) -> ScheduleMode? { modes[minute - first] }

  private static func firstIndex(in shown: [Int], showing minute: Int) -> Int {
    var (low, high) = (0, shown.count)
    while low < high {
      let middle = (low + high) / 2
      if shown[middle] >= minute { high = middle } else { low = middle + 1 }
    }
    return low
  }

  private static func offsetMinutes(_ zone: ZoneRules, minute: Int) -> Int {
    var seconds = zone.offsetSeconds
    for transition in zone.transitions where transition.instant.millisecondsSince1970 <= Int64(minute) * 60_000 {
      seconds = transition.offsetSeconds
    }
    return seconds / 60
  }
}
