package import Base

/// A schedule at work (SDK §16.3): tells, whenever the device is awake, whether what the schedule wants has changed
/// since it was asked last. What the app does by hand between two changes stays.
package struct Scheduler: Equatable, Sendable {
  /// What the schedule wants from now on; nil for nothing.
  package struct Change: Equatable, Sendable {
    package let mode: ScheduleMode?
  }

  package private(set) var schedule: Schedule
  package private(set) var zone: ZoneRules
  /// When the schedule was looked at last; nil while the scheduler is off.
  private var evaluated: WallInstant?
  /// What it wanted then.
  private var wanted: ScheduleMode?
  /// When it wants something else; nil when it does not within the horizon.
  private var nextChange: WallInstant?
  /// How late the platform's alarm comes.
  var latenessMilliseconds: Int64 = 0

  package init(_ schedule: Schedule, in zone: ZoneRules) {
    self.schedule = schedule
    self.zone = zone
  }

  package var isOn: Bool { evaluated != nil }

  /// When the schedule is to be looked at again: at the next change, or else at the horizon. Nil while it is off.
  package var nextAlarm: WallInstant? {
    evaluated.map { Schedule.instant(latenessMilliseconds, after: nextChange ?? Schedule.horizon(of: $0)) }
  }

  /// `startSchedule()`, and after a restart of the device: what is to be on now. `lateness` is drawn for every change
  /// that is found; a platform without alarms gives zero.
  package mutating func start(at now: WallInstant, lateness: () -> Nanoseconds = { .zero }) -> ScheduleMode? {
    evaluated = now
    wanted = schedule.mode(at: now, in: zone)
    nextChange = schedule.nextChange(after: now, in: zone)
    latenessMilliseconds = lateness().wholeMilliseconds
    return wanted
  }

  /// `stopSchedule()`: tracking stays as it is.
  package mutating func stop() {
    evaluated = nil
    nextChange = nil
  }

  /// For every occasion on which the device is awake; cheap between alarms. Nil when nothing has changed since the last
  /// one. A change counts when it was slept through, too, even when another has taken it back since.
  package mutating func wake(at now: WallInstant, lateness: () -> Nanoseconds = { .zero }) -> Change? {
    guard let evaluated, let nextAlarm else { return nil }
    let isSetBack = now < evaluated
    guard isSetBack || now >= nextAlarm else { return nil }
    let hasPassed = !isSetBack && nextChange != nil
    return look(at: now, isChanged: hasPassed, lateness: lateness)
  }

  /// The clocks on the wall have moved: the device is in another zone, or they were set.
  package mutating func move(
    to zone: ZoneRules, at now: WallInstant, lateness: () -> Nanoseconds = { .zero }
  ) -> Change? {
    guard isOn else {
      self.zone = zone
      return nil
    }
    guard zone != self.zone else { return wake(at: now, lateness: lateness) }
    self.zone = zone
    return look(at: now, isChanged: false, lateness: lateness)
  }

  private mutating func look(at now: WallInstant, isChanged: Bool, lateness: () -> Nanoseconds) -> Change? {
    let old = wanted
    let mode = start(at: now, lateness: lateness)
    return isChanged || mode != old ? Change(mode: mode) : nil
  }
}

extension Scheduler {
  /// How long a device that sets alarms sleeps before it looks at its clock again; nil while the scheduler is off.
  ///
  /// Alarms of the schedule are times on the wall and timers count elapsed time. The clock on the wall may run slower or
  /// faster, so a device sleeps nine tenths of the way, then nine tenths of the rest, and so meets the minute; and at
  /// most an hour, so that a clock which was set without notice is found out.
  package func spanToNextLook(at now: WallInstant) -> Nanoseconds? {
    guard let nextAlarm else { return nil }
    let rest = max(Scheduler.leastSleepMilliseconds, nextAlarm.milliseconds(since: now))
    guard rest > Scheduler.exactMilliseconds else { return .milliseconds(rest) }
    return .milliseconds(min(rest - rest / 10, Scheduler.mostSleepMilliseconds))
  }

  private static let exactMilliseconds: Int64 = 1_000
  private static let leastSleepMilliseconds: Int64 = 10
  private static let mostSleepMilliseconds: Int64 = 3_600_000
}
