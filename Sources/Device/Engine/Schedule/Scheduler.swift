package import Base
package import Contract
import Vocabulary

/// A running schedule (SDK §16.3): whenever the device is awake, reports whether the scheduled mode has changed since
/// the last call. Manual changes by the app between two changes stay.
package struct Scheduler: Equatable, Sendable {
  /// The scheduled mode from now on; nil for none.
  package struct Change: Equatable, Sendable {
    package let mode: ScheduleMode?
  }

  package private(set) var schedule: Schedule
  package private(set) var zone: ZoneRules
  /// The last evaluation; nil while the scheduler is off.
  private var evaluated: WallInstant?
  /// The mode at that time.
  private var wanted: ScheduleMode?
  /// The next change; nil when there is none within the horizon.
  private var nextChange: WallInstant?
  /// The delay of the platform's alarm.
  var latenessMilliseconds: Int64 = 0

  package init(_ schedule: Schedule, in zone: ZoneRules) {
    self.schedule = schedule
    self.zone = zone
  }

  package var isOn: Bool { evaluated != nil }

  /// The next evaluation: at the next change, or else at the horizon. Nil while it is off.
  package var nextAlarm: WallInstant? {
    evaluated.map { Schedule.instant(latenessMilliseconds, after: nextChange ?? Schedule.horizon(of: $0)) }
  }

  /// Performs `startSchedule()`, also after a restart of the device, and returns the current mode. `lateness` is drawn
  /// for every change found; a platform without alarms returns zero.
  package mutating func start(at now: WallInstant, lateness: () -> Nanoseconds = { .zero }) -> ScheduleMode? {
    evaluated = now
    wanted = schedule.mode(at: now, in: zone)
    nextChange = schedule.nextChange(after: now, in: zone)
    latenessMilliseconds = lateness().wholeMilliseconds
    return wanted
  }

  /// Performs `stopSchedule()`: tracking is unchanged.
  package mutating func stop() {
    evaluated = nil
    nextChange = nil
  }

  /// Called whenever the device is awake; cheap between alarms. Returns nil when nothing has changed since the last
  /// call. A change that was slept through counts too, even if another one has reversed it since.
  package mutating func wake(at now: WallInstant, lateness: () -> Nanoseconds = { .zero }) -> Change? {
    guard let evaluated, let nextAlarm else { return nil }
    let isSetBack = now < evaluated
    guard isSetBack || now >= nextAlarm else { return nil }
    let hasPassed = !isSetBack && nextChange != nil
    return look(at: now, isChanged: hasPassed, lateness: lateness)
  }

  /// Handles a changed local time: another zone, or a clock that was set.
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
  /// Returns how long a device with alarms sleeps before its next look at the clock; nil while the scheduler is off.
  ///
  /// The schedule's alarms are wall-clock times, but timers count elapsed time. The wall clock may run slower or
  /// faster, so the device sleeps nine tenths of the remaining time, then nine tenths of the rest, and thus meets the
  /// minute; and at most an hour, so that a clock which was set without notice is detected.
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

/// The delay with which a platform handles an alarm (SDK §16.3; the sources are not numeric, the numbers are our choice).
package enum AlarmDelay {
  /// Android with permission for exact alarms.
  static let exact = Nanoseconds.seconds(1)
  /// Android otherwise.
  static let inexact = Nanoseconds.seconds(600)

  /// `fraction` is random in 0 ..< 1. Nil on iOS, which sets no alarms: its scheduler checks the clock whenever
  /// something else wakes the device.
  package static func draw(_ fraction: Double, on platform: DevicePlatform, isExact: Bool) -> Nanoseconds? {
    switch platform {
    case .ios: nil
    case .android: Nanoseconds(Int64(Double((isExact ? exact : inexact).count) * fraction))
    }
  }
}

/// SDK §16.3.
extension Engine {
  mutating func startSchedule(at now: Moment, into effects: inout [Effect]) {
    guard !state.isSchedulerEnabled else {
      note(.warning("startSchedule is ignored: the schedule is on already", from: .schedule), .warning, into: &effects)
      return
    }
    state.isSchedulerEnabled = true
    effects.append(.saveState)
    note(.scheduler(isOn: true), .info, into: &effects)
    resumeSchedule(at: now, into: &effects)
  }

  /// Tracking is unchanged.
  mutating func stopSchedule(into effects: inout [Effect]) {
    guard state.isSchedulerEnabled else { return }
    state.isSchedulerEnabled = false
    effects.append(.saveState)
    scheduler?.stop()
    timers.stop(.schedule)
    note(.scheduler(isOn: false), .info, into: &effects)
    guard !state.isEnabled else { return }
    demandSignificantChanges(false, into: &effects)
    demandBackgroundFetch(false, into: &effects)
  }

  /// Evaluates the configured schedule now: after `startSchedule`, and at each launch.
  mutating func resumeSchedule(at now: Moment, into effects: inout [Effect]) {
    var scheduler = Scheduler(Schedule(configuration.app.schedule), in: phone.zone)
    noteProblems(of: scheduler.schedule, into: &effects)
    let mode = scheduler.start(at: now.wall) { drawLateness() }
    self.scheduler = scheduler
    guard !scheduler.schedule.entries.isEmpty else {
      note(.warning("the schedule is empty", from: .schedule), .warning, into: &effects)
      return
    }
    follow(mode, at: now, into: &effects)
    setAlarm(at: now)
  }

  /// Applies a new schedule: restarts a running scheduler, or stops it if the schedule is empty, without changing tracking.
  mutating func replaceSchedule(at now: Moment, into effects: inout [Effect]) {
    guard state.isSchedulerEnabled, scheduler != nil else { return }
    if configuration.app.schedule.isEmpty {
      stopSchedule(into: &effects)
    } else {
      resumeSchedule(at: now, into: &effects)
    }
  }

  mutating func takeZone(_ zone: ZoneRules, at now: Moment, into effects: inout [Effect]) {
    phone.zone = zone
    wakeSchedule(at: now, into: &effects)
  }

  /// Called whenever the device is awake. Android does not need it: its alarms are timers.
  mutating func evaluateSchedule(at now: Moment, into effects: inout [Effect]) {
    if profile.schedulesOnWakeOnly { wakeSchedule(at: now, into: &effects) }
  }

  /// Always sets an alarm, or the schedule would never be evaluated again.
  mutating func wakeSchedule(at now: Moment, into effects: inout [Effect]) {
    guard state.isSchedulerEnabled, var scheduler else { return }
    let change = scheduler.move(to: phone.zone, at: now.wall) { drawLateness() }
    self.scheduler = scheduler
    if let change { follow(change.mode, at: now, into: &effects) }
    setAlarm(at: now)
  }

  /// Switches to the scheduled mode unless it is current, and notifies the app.
  private mutating func follow(_ mode: ScheduleMode?, at now: Moment, into effects: inout [Effect]) {
    switch mode {
    case .location?:
      guard !(state.isEnabled && state.trackingMode == .location) else { return }
      start(at: now, into: &effects)
    case .geofence?:
      guard !(state.isEnabled && state.trackingMode == .geofence) else { return }
      startGeofences(at: now, into: &effects)
    case nil:
      if !state.isEnabled {
        demandSignificantChanges(profile.schedulesOnWakeOnly, into: &effects)
        demandBackgroundFetch(true, into: &effects)
        return
      }
      stop(into: &effects)
    }
    note(.schedule(window: mode?.rawValue ?? "", isOn: mode != nil), .info, into: &effects)
    effects.append(.event(.schedule(state)))
  }

  /// Sets the alarm again when the exactness of alarms has changed.
  mutating func renewAlarm(at now: Moment) {
    guard state.isSchedulerEnabled, var scheduler else { return }
    scheduler.latenessMilliseconds = drawLateness().wholeMilliseconds
    self.scheduler = scheduler
    setAlarm(at: now)
  }

  private mutating func setAlarm(at now: Moment) {
    timers.stop(.schedule)
    guard !profile.schedulesOnWakeOnly, let span = scheduler?.spanToNextLook(at: now.wall) else { return }
    timers.start(.schedule, at: now.monotonic + span)
  }

  private mutating func drawLateness() -> Nanoseconds {
    guard !profile.schedulesOnWakeOnly else { return .zero }
    return AlarmDelay.draw(drawFraction(), on: profile.platform, isExact: configuration.app.scheduleUseAlarmManager)
      ?? .zero
  }

  private func noteProblems(of schedule: Schedule, into effects: inout [Effect]) {
    for error in schedule.errors { note(.warning("schedule: \(error)", from: .schedule), .warning, into: &effects) }
  }
}
