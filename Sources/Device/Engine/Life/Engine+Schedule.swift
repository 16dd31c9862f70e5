import Base
import Contract
import Vocabulary

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
    var scheduler = Scheduler(Schedule(configuration.app.schedule), in: zone)
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
    guard state.isSchedulerEnabled else { return }
    if configuration.app.schedule.isEmpty {
      stopSchedule(into: &effects)
    } else {
      resumeSchedule(at: now, into: &effects)
    }
  }

  mutating func takeZone(_ zone: ZoneRules, at now: Moment, into effects: inout [Effect]) {
    self.zone = zone
    wakeSchedule(at: now, into: &effects)
  }

  /// For whatever woke the device. Android does not need it: its alarms are timers.
  mutating func evaluateSchedule(at now: Moment, into effects: inout [Effect]) {
    if profile.schedulesOnWakeOnly { wakeSchedule(at: now, into: &effects) }
  }

  /// Whatever has changed or not, there is an alarm afterwards, or the schedule would never be looked at again.
  mutating func wakeSchedule(at now: Moment, into effects: inout [Effect]) {
    guard state.isSchedulerEnabled, var scheduler else { return }
    let change = scheduler.move(to: zone, at: now.wall) { drawLateness() }
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
      stop(at: now, into: &effects)
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
