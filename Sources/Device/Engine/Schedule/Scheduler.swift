package import Base
package import Contract
import Vocabulary

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

/// How late a platform acts upon an alarm (SDK §16.3; the sources give words, the numbers are our choice).
package enum AlarmDelay {
  /// Android, when it may set exact alarms.
  static let exact = Nanoseconds.seconds(1)
  /// Android otherwise.
  static let inexact = Nanoseconds.seconds(600)

  /// `fraction` is a draw of 0 ..< 1. Nil on iOS, which sets no alarms: its scheduler looks at the clock whenever
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

  /// Tracking stays as it is.
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

  /// A new schedule restarts a running scheduler; an empty one ends it and leaves tracking alone.
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

  /// For whatever woke the device. Android does not need it: its alarms are timers.
  mutating func evaluateSchedule(at now: Moment, into effects: inout [Effect]) {
    if profile.schedulesOnWakeOnly { wakeSchedule(at: now, into: &effects) }
  }

  /// Whatever has changed or not, there is an alarm afterwards, or the schedule would never be looked at again.
  mutating func wakeSchedule(at now: Moment, into effects: inout [Effect]) {
    guard state.isSchedulerEnabled, var scheduler else { return }
    let change = scheduler.move(to: phone.zone, at: now.wall) { drawLateness() }
    self.scheduler = scheduler
    if let change { follow(change.mode, at: now, into: &effects) }
    setAlarm(at: now)
  }

  /// What the schedule wants is done unless it is so already, and the app is told.
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

  /// The alarm that is set is as exact as alarms are from now on.
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
