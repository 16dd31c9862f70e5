package import Base

/// The well-formed entries of `app.schedule`. In overlapping windows tracking is on, and `location` takes precedence
/// (SDK §16.2).
package struct Schedule: Equatable, Sendable {
  /// The horizon of a search for the next change.
  package static let horizonDays = 7

  package private(set) var entries: [ScheduleEntry] = []
  /// The ignored entries, which are warned about.
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

  /// Returns the mode at an instant; nil for none.
  package func mode(at instant: WallInstant, in zone: ZoneRules) -> ScheduleMode? {
    let today = Schedule.day(of: instant, in: zone)
    var found: ScheduleMode?
    for entry in entries where found != .location {
      // A window lasts at most a day, or some hours longer when the clocks change.
      for day in entry.days(in: today - 2...today + 1) {
        if let window = entry.window(onDay: day, in: zone), window.contains(instant) { found = entry.mode }
      }
    }
    return found
  }

  /// Returns the first later instant within seven days at which the mode differs. The start or end of a window inside
  /// another one of its mode, or adjacent to it, is not a change.
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

  /// Clamped to the end of the calendar.
  static func instant(_ milliseconds: Int64, after instant: WallInstant) -> WallInstant {
    ZoneRules.nearest(to: instant.millisecondsSince1970 + milliseconds)
  }

  private static func day(of instant: WallInstant, in zone: ZoneRules) -> Int {
    ScheduleEntry.day(ofMinute: Int((Double(zone.localMilliseconds(at: instant)) / 60_000).rounded(.down)))
  }
}

/// A period in which a schedule has tracking on, including the start and excluding the end (SDK §16.2).
package struct ScheduleWindow: Equatable, Sendable {
  package let start: WallInstant
  package let end: WallInstant

  func contains(_ instant: WallInstant) -> Bool { start <= instant && instant < end }
}

/// The tracking mode of a schedule's window.
package enum ScheduleMode: String, CaseIterable, Sendable {
  case location, geofence
}
