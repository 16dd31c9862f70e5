package import Base

/// All entries of `app.schedule` that are well-formed. Where windows overlap, tracking is on, and `location` wins
/// (SDK §16.2).
package struct Schedule: Equatable, Sendable {
  /// A search for the next change looks no further.
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

  /// The first instant after this one at which something else is on, within seven days. A window that begins or ends
  /// inside another of its mode, or where the next one begins, changes nothing.
  package func nextChange(after instant: WallInstant, in zone: ZoneRules) -> WallInstant? {
    let today = Schedule.day(of: instant, in: zone)
    let horizon = Schedule.horizon(of: instant)
    var boundaries: [WallInstant] = []
    for entry in entries {
      for day in entry.days(in: today - 2...today + Schedule.horizonDays + 1) {
        guard let window = entry.window(onDay: day, in: zone) else { continue }
        boundaries += [window.start, window.end].filter { instant < $0 && $0 <= horizon }
      }
    }
    let current = mode(at: instant, in: zone)
    return boundaries.sorted().first { mode(at: $0, in: zone) != current }
  }

  static func horizon(of instant: WallInstant) -> WallInstant {
    Schedule.instant(Int64(horizonDays) * WallInstant.millisecondsPerDay, after: instant)
  }

  /// Not beyond the end of the calendar.
  static func instant(_ milliseconds: Int64, after instant: WallInstant) -> WallInstant {
    ZoneRules.nearest(to: instant.millisecondsSince1970 + milliseconds)
  }

  private static func day(of instant: WallInstant, in zone: ZoneRules) -> Int {
    ScheduleEntry.day(ofMinute: Int((Double(zone.localMilliseconds(at: instant)) / 60_000).rounded(.down)))
  }
}

/// A span of time in which a schedule has tracking on. The start is part of it, the end is not (SDK §16.2).
package struct ScheduleWindow: Equatable, Sendable {
  package let start: WallInstant
  package let end: WallInstant

  func contains(_ instant: WallInstant) -> Bool { start <= instant && instant < end }
}

/// What a window of a schedule switches on.
package enum ScheduleMode: String, CaseIterable, Sendable {
  case location, geofence
}
