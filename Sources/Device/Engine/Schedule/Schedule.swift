package import Base

/// All entries of `app.schedule` that are well-formed. Where windows overlap, tracking is on, and `location` wins
/// (behaviour §16.2).
package struct Schedule: Equatable, Sendable {
  /// A search for the next alarm looks no further.
  package static let horizonDays = 7

  package private(set) var entries: [ScheduleEntry] = []
  /// Entries that are ignored, to be warned about.
  package private(set) var errors: [ScheduleError] = []

  package init(_ texts: [String]) {
    for text in texts {
      do throws(ScheduleError) {
        entries.append(try ScheduleEntry(parsing: text))
      } catch {
        errors.append(error)
      }
    }
  }

  /// What is on at an instant; nil for nothing.
  package func mode(at instant: WallInstant, in zone: ZoneRules) -> ScheduleMode? {
    let today = Schedule.day(of: instant, in: zone)
    var found: ScheduleMode?
    for entry in entries where found != .location {
      // A window is a day long at most, and a day with a change of the clocks some hours longer.
      for day in entry.days(in: today - 2...today + 1) {
        if let window = entry.window(onDay: day, in: zone), window.contains(instant) { found = entry.mode }
      }
    }
    return found
  }

  /// The first alarm after an instant, within seven days.
  package func nextAlarm(after instant: WallInstant, in zone: ZoneRules) -> ScheduleAlarm? {
    let today = Schedule.day(of: instant, in: zone)
    var next: WallInstant?
    var (starting, ending): (Int?, Int?)
    for (index, entry) in entries.enumerated() {
      for day in entry.days(in: today - 2...today + Schedule.horizonDays + 1) {
        guard let window = entry.window(onDay: day, in: zone) else { continue }
        for boundary in [window.start, window.end] where boundary > instant {
          guard next.map({ boundary <= $0 }) ?? true else { continue }
          if boundary != next { (next, starting, ending) = (boundary, nil, nil) }
          if boundary == window.start { starting = starting ?? index } else { ending = ending ?? index }
        }
      }
    }
    guard let next, next <= Schedule.horizon(of: instant), let index = starting ?? ending else { return nil }
    let before = mode(at: ZoneRules.nearest(to: next.millisecondsSince1970 - 1), in: zone)
    let after = mode(at: next, in: zone)
    let action: ScheduleAlarm.Action =
      if let after { starting != nil || after != before ? .turnOn(after) : .none } else { .turnOff }
    return ScheduleAlarm(instant: next, action: action, entryIndex: index)
  }

  static func horizon(of instant: WallInstant) -> WallInstant {
    ZoneRules.nearest(to: instant.millisecondsSince1970 + Int64(horizonDays) * WallInstant.millisecondsPerDay)
  }

  private static func day(of instant: WallInstant, in zone: ZoneRules) -> Int {
    ScheduleEntry.day(ofMinute: Int((Double(zone.localMilliseconds(at: instant)) / 60_000).rounded(.down)))
  }
}
