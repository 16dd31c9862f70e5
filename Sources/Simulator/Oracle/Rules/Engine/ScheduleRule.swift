import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Vocabulary

/// I20: a schedule turns tracking on inside its windows and off outside, in the right mode, by the device's own local time:
/// Android at the minute or, without exact alarms, within ten minutes; iOS when something wakes it, at the latest with the
/// first record and a background fetch (AppConfig `schedule`; SDK §16.2, §16.3). The windows follow the documented grammar.
final class ScheduleRule: Rule {
  override class var invariant: Invariant { .schedule }
  override class var interest: Interest { [.told, .inserted, .life, .course] }
  override class var absence: String { "no window of a schedule began or ended on a device that followed it" }

  /// The devices that have a schedule.
  private var timetables: [Int: Timetable] = [:]
  /// Devices that are on according to their saved state and reports: a schedule may start on such a device.
  private let isOn: PerDevice<Bool>

  required init(_ ledger: Ledger) {
    isOn = PerDevice(false, in: ledger.space)
    super.init(ledger)
  }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    if case .kept(let state) = event { isOn[device] = state.isEnabled }
    if case .told(.engine(.enabledChange(let isEnabled))) = event { isOn[device] = isEnabled }
    if case .configured(let configuration) = event { configure(configuration, context) }
    guard timetables[device] != nil else { return }
    judge(context)
    switch event {
    case .asked(.startSchedule), .told(.commanded(.startSchedule)): begin(context)
    case .asked(.stopSchedule), .told(.commanded(.stopSchedule)):
      timetables[device]?.follows = false
      timetables[device]?.stoppedAt = context.now.monotonic
    case .asked(let command), .told(.commanded(let command)): overrule(by: command, device)
    case .closed, .killed:
      timetables[device]?.end(isStopped: ledger.pages[device].terms?.stopsOnTerminate ?? true)
      // State that the store could not write is lost with the process, possibly including that the schedule is on.
      if case .killed = event, !ledger.truth.lives[device].isSound(since: context.now.monotonic) {
        timetables[device]?.follows = false
        timetables[device]?.stoppedAt = nil
      }
    case .launched(let launch): timetables[device]?.begin(launch, at: context.now)
    case .opened: timetables[device]?.open(at: context.now)
    case .kept(let state):
      if ledger.pages[device].aliveSince == nil {
        timetables[device]?.actual = !state.isEnabled ? .off : state.trackingMode == .location ? .location : .geofences
      }
    case .told(.engine(.schedule(let state))):
      if let stoppedAt = timetables[device]?.stoppedAt, stoppedAt < context.now.monotonic {
        judgeStop(stoppedAt, context)
      }
      turn(!state.isEnabled ? .off : state.trackingMode == .location ? .location : .geofences, context)
    case .told(.engine(.enabledChange(let isEnabled))):
      if !isEnabled { turn(.off, context) } else if timetables[device]?.actual == .off { turn(nil, context) }
    // The record of a fault is no position, which would wake the device.
    case .queue(.inserted(_, _, let uuid, _, _)):
      if !ledger.truth.lives[device].isPoisoned(at: context.now.monotonic) { record(uuid, context) }
    case .healed: timetables[device]?.follows = false
    default: break
    }
    publish(context)
  }

  private func configure(_ configuration: Configuration, _ context: EventContext) {
    let (device, schedule) = (context.device, ExpectedSchedule(configuration.app.schedule))
    guard !schedule.isEmpty else { return timetables[device] = nil }
    // No document says which configuration refuses a start, the saved one or that of the app.
    let life = ledger.truth.lives[device]
    if let launch = life.launch, life.runsSince == context.now.monotonic,
      let kept = timetables[device]?.terms.configuration,
      launch.isRefused(by: kept) != launch.isRefused(by: configuration)
    {
      timetables[device]?.follows = false
    }
    if timetables[device]?.schedule == schedule {
      timetables[device]?.terms = Timetable.Terms(configuration)
      return
    }
    var timetable = Timetable(schedule, ledger.expectedZone, Timetable.Terms(configuration), at: context.now)
    timetable.follows = life.isScheduled && timetables[device]?.follows ?? true
    timetable.stoppedAt = timetables[device]?.stoppedAt
    if let known = timetables[device] {
      (timetable.actual, timetable.onSince) = (known.actual, known.onSince)
      timetable.isOverruled = true
    } else {
      timetable.actual = isOn[device] ? nil : .off
      if timetable.follows { begin(&timetable, context) }
    }
    timetables[device] = timetable
  }

  /// Begins with the first schedule that is known of a device. Where the launch of this instant brings it, as the saved
  /// configuration had none, it begins as the launch does.
  private func begin(_ timetable: inout Timetable, _ context: EventContext) {
    let life = ledger.truth.lives[context.device]
    guard let launch = life.launch, life.runsSince == context.now.monotonic else {
      return timetable.expect(since: context.now)
    }
    timetable.begin(launch, at: context.now)
    // No document says whether the configuration that was saved refuses a start by the system, and it is unknown here.
    if launch.isInBackground { timetable.isOverruled = true }
  }

  /// Notes a command, which determines the task until the next window begins or ends.
  private func overrule(by command: Command, _ device: Int) {
    switch command {
    case .start: timetables[device]?.actual = .location
    case .startGeofences: timetables[device]?.actual = .geofences
    case .stop: timetables[device]?.actual = .off
    default: return
    }
    timetables[device]?.isOverruled = true
    // No document says how a schedule that waits for the user reacts.
    if command != .stop && timetables[device]?.waitsForUser == true { timetables[device]?.follows = false }
  }

  /// Starts a schedule; has no effect on one that is on. Only one that was on before a boot waits for the user (SDK §16.3.1,
  /// §16.3.8).
  private func begin(_ context: EventContext) {
    timetables[context.device]?.stoppedAt = nil
    guard timetables[context.device]?.follows == false else { return }
    timetables[context.device]?.open(at: context.now)
    timetables[context.device]?.follows = true
    timetables[context.device]?.isOverruled = false
    timetables[context.device]?.expect(since: context.now)
  }

  /// Judges a change by a schedule that was stopped (BGGeo `stopSchedule`).
  private func judgeStop(_ stoppedAt: MonotonicInstant, _ context: EventContext) {
    timetables[context.device]?.stoppedAt = nil
    guard ledger.truth.lives[context.device].isUndisturbed else { return }
    flag(context, nil, "tracking was turned on or off by a schedule that was stopped at \(stoppedAt.clockText)")
  }

  /// Advances the time.
  private func judge(_ context: EventContext) {
    guard var timetable = timetables[context.device] else { return }
    for late in timetable.advance(to: context.now, isRunning: ledger.pages[context.device].aliveSince != nil) {
      ledger.violations.flag(Self.invariant, context.device, at: late.due, late.text)
    }
    exercised += timetable.takeTurns()
    timetables[context.device] = timetable
  }

  /// Notes a reported change; nil: on, in an unknown mode.
  private func turn(_ goal: TrackingGoal?, _ context: EventContext) {
    guard let timetable = timetables[context.device] else { return }
    if timetable.actual == .off && goal != .off { timetables[context.device]?.onSince = context.now }
    timetables[context.device]?.actual = goal
    if timetable.follows && timetable.waitsForUser && goal != .off {
      return flag(context, nil, "turned on after a reboot, before its user has opened the app: startOnBoot")
    }
    if goal == .off, timetables[context.device]?.endByItself(at: context.now) == true { return }
    guard timetable.follows, !timetable.isOverruled, goal != timetable.actual, let goal,
      !timetable.allows(goal, at: context.now)
    else { return }
    flag(
      context, nil,
      goal == .off
        ? "turned off inside a window" : "turned on outside the windows of its schedule, or in the wrong mode")
  }

  private func record(_ uuid: UUID128, _ context: EventContext) {
    if timetables[context.device]?.recordsAgain(at: context.now.monotonic) == true {
      timetables[context.device]?.isTold = true
      return flag(context, uuid, "recorded again after a window of its schedule has begun or ended")
    }
    guard let timetable = timetables[context.device], timetable.follows, !timetable.isOverruled, !timetable.isTold,
      !timetable.allowsRecords(at: context.now),
      !ledger.truth.lives[context.device].mayRecordOdometer(at: context.now.monotonic)
    else { return }
    timetables[context.device]?.isTold = true
    flag(context, uuid, "recorded outside the windows of its schedule")
  }

  /// Publishes the task for other rules.
  private func publish(_ context: EventContext) {
    let timetable = timetables[context.device]
    ledger.truth.lives[context.device].scheduled = timetable.flatMap {
      $0.follows && !$0.isOverruled ? $0.settled : nil
    }
  }
}
