package import Base

/// A schedule at work (behaviour §16.3): tells, whenever the device is awake, which alarm has passed. What the app does
/// by hand between two alarms stays.
package struct Scheduler: Equatable, Sendable {
  package private(set) var schedule: Schedule
  package private(set) var zone: ZoneRules
  /// Up to here all alarms have been acted upon; nil while the scheduler is off.
  private var evaluated: WallInstant?
  /// When a device that can set alarms wants to be woken; nil when there is none within seven days, or none at all.
  package private(set) var nextAlarm: ScheduleAlarm?

  package init(_ schedule: Schedule, in zone: ZoneRules) {
    self.schedule = schedule
    self.zone = zone
  }

  package var isOn: Bool { evaluated != nil }

  /// `startSchedule()`, and after a restart of the device: what is to be on now.
  package mutating func start(at now: WallInstant) -> ScheduleMode? {
    evaluated = now
    nextAlarm = schedule.nextAlarm(after: now, in: zone)
    return schedule.mode(at: now, in: zone)
  }

  /// `stopSchedule()`: tracking stays as it is.
  package mutating func stop() {
    evaluated = nil
    nextAlarm = nil
  }

  /// For every occasion on which the device is awake; cheap between alarms. The last alarm that passed and that asks
  /// for something. After the clock was set back, everything is evaluated anew.
  package mutating func wake(at now: WallInstant) -> ScheduleAlarm? {
    guard var instant = evaluated else { return nil }
    guard instant <= now else { return setBack(to: now) }
    guard now >= nextAlarm?.instant ?? Schedule.horizon(of: instant) else { return nil }
    var found: ScheduleAlarm?
    while instant < now {
      let alarm = schedule.nextAlarm(after: instant, in: zone)
      instant = alarm?.instant ?? Schedule.horizon(of: instant)
      if let alarm, instant <= now, alarm.action != .none { found = alarm }
    }
    _ = start(at: now)
    return found
  }

  /// A change of `app.schedule`: the new one is evaluated at once, and an empty one ends it.
  package mutating func replace(_ schedule: Schedule, at now: WallInstant) -> ScheduleMode? {
    self.schedule = schedule
    guard isOn else { return nil }
    guard !schedule.entries.isEmpty else {
      stop()
      return nil
    }
    return start(at: now)
  }

  private mutating func setBack(to now: WallInstant) -> ScheduleAlarm? {
    let mode = start(at: now)
    return ScheduleAlarm(instant: now, action: mode.map { .turnOn($0) } ?? .turnOff, entryIndex: nil)
  }
}
