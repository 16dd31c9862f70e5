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
  /// For each minute nothing, a `geofence` or a `location`, which wins.
  private let modes: [Int]
  private static let (geofence, location) = (1, 2)
  /// The minutes at which something else is on than a minute before.
  let changes: [Int]

  /// Without the optimizer, loops over ranges take ten times as long as these, and there are millions of minutes.
  init(_ entries: [Entry], zone: ZoneRules, from start: WallInstant, days: Int) {
    first = Int(start.millisecondsSince1970 / 60_000) - 3 * 1_440
    let shown = NaiveSchedule.shown(zone, from: first, count: (days + 14) * 1_440)
    var modes = [Int](repeating: 0, count: shown.count)
    for entry in entries {
      let mode = entry.mode == .location ? NaiveSchedule.location : NaiveSchedule.geofence
      for day in shown[0] / 1_440 - 1...shown[shown.count - 1] / 1_440 + 1 {
        // 1970-01-01 was a Thursday, day 5.
        guard entry.day.map({ $0 == day }) ?? entry.daysOfWeek.contains((day + 4) % 7 + 1) else { continue }
        var index = NaiveSchedule.firstIndex(in: shown, showing: day * 1_440 + entry.startMinute)
        let end = NaiveSchedule.firstIndex(
          in: shown, showing: day * 1_440 + entry.startMinute + entry.lengthMinutes)
        while index < end {
          if modes[index] < mode { modes[index] = mode }
          index += 1
        }
      }
    }
    var (changes, index) = ([Int](), 1)
    while index < modes.count {
      if modes[index] != modes[index - 1] { changes.append(first + index) }
      index += 1
    }
    (self.modes, self.changes) = (modes, changes)
  }

  func mode(atMinute minute: Int) -> ScheduleMode? {
    switch modes[minute - first] {
    case NaiveSchedule.geofence: .geofence
    case NaiveSchedule.location: .location
    default: nil
    }
  }

  /// What the clock shows at each minute, in minutes since 1970; of times that come twice the first.
  private static func shown(_ zone: ZoneRules, from first: Int, count: Int) -> [Int] {
    var (shown, offsetSeconds, passed) = ([Int](), zone.offsetSeconds, 0)
    shown.reserveCapacity(count)
    while shown.count < count {
      let minute = first + shown.count
      while passed < zone.transitions.count,
        zone.transitions[passed].instant.millisecondsSince1970 <= Int64(minute) * 60_000
      {
        offsetSeconds = zone.transitions[passed].offsetSeconds
        passed += 1
      }
      let time = minute + offsetSeconds / 60
      if let last = shown.last, last > time { shown.append(last) } else { shown.append(time) }
    }
    return shown
  }

  private static func firstIndex(in shown: [Int], showing minute: Int) -> Int {
    var (low, high) = (0, shown.count)
    while low < high {
      let middle = (low + high) / 2
      if shown[middle] >= minute { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
