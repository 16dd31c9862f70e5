import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Vocabulary

/// I20: a schedule turns tracking on inside its windows and off outside, in the right mode, by the device's own clock on the
/// wall: Android at the minute or, without exact alarms, within ten minutes; iOS when something wakes it, a background fetch
/// at the latest (AppConfig `schedule`; SDK §16.2, §16.3). The windows are read from the document.
final class ScheduleRule: Rule {
  override class var invariant: Invariant { .schedule }
  override class var interest: Interest { [.told, .inserted, .life, .course] }
  override class var absence: String { "no window of a schedule began or ended on a device that followed it" }

  /// Only of devices that have a schedule.
  private var timetables: [Int: Timetable] = [:]

  override func see(_ happening: Happening, _ sighting: Sighting) {
    let device = sighting.device
    if case .configured(let configuration) = happening { configure(configuration, sighting) }
    guard timetables[device] != nil else { return }
    judge(sighting)
    switch happening {
    case .asked(.startSchedule), .told(.commanded(.startSchedule)): begin(sighting)
    case .asked(.stopSchedule), .told(.commanded(.stopSchedule)): timetables[device]?.follows = false
    case .asked(let command), .told(.commanded(let command)): overrule(by: command, device)
    case .closed, .killed:
      timetables[device]?.end(isStopped: ledger.pages[device].terms?.stopsOnTerminate ?? true)
    case .launched(let launch): timetables[device]?.begin(launch, at: sighting.now.monotonic)
    case .kept(let state):
      if ledger.pages[device].aliveSince == nil {
        timetables[device]?.actual = !state.isEnabled ? .off : state.trackingMode == .location ? .location : .geofences
      }
    case .told(.engine(.schedule(let state))):
      turn(!state.isEnabled ? .off : state.trackingMode == .location ? .location : .geofences, sighting)
    case .told(.engine(.enabledChange(let isEnabled))):
      if !isEnabled { turn(.off, sighting) } else if timetables[device]?.actual == .off { turn(nil, sighting) }
    case .queue(.inserted(_, _, let uuid, _, _)): record(uuid, sighting)
    case .healed: timetables[device]?.follows = false
    default: break
    }
    publish(sighting)
  }

  private func configure(_ configuration: Configuration, _ sighting: Sighting) {
    let (device, schedule) = (sighting.device, ExpectedSchedule(configuration.app.schedule))
    guard !schedule.isEmpty else { return timetables[device] = nil }
    if timetables[device]?.schedule == schedule {
      timetables[device]?.terms = Timetable.Terms(configuration)
      return
    }
    var timetable = Timetable(schedule, ledger.expectedZone, Timetable.Terms(configuration), at: sighting.now)
    timetable.follows = ledger.truth.lives[device].isScheduled
    if let known = timetables[device] {
      timetable.actual = known.actual
      timetable.isOverruled = true
    } else if timetable.follows {
      timetable.expect(since: sighting.now.monotonic)
    }
    timetables[device] = timetable
  }

  /// Until the next window begins or ends it is as was asked.
  private func overrule(by command: Command, _ device: Int) {
    switch command {
    case .start: timetables[device]?.actual = .location
    case .startGeofences: timetables[device]?.actual = .geofences
    case .stop: timetables[device]?.actual = .off
    default: return
    }
    timetables[device]?.isOverruled = true
  }

  /// Nothing for a schedule that is on.
  private func begin(_ sighting: Sighting) {
    guard timetables[sighting.device]?.follows == false else { return }
    timetables[sighting.device]?.follows = true
    timetables[sighting.device]?.isOverruled = false
    timetables[sighting.device]?.expect(since: sighting.now.monotonic)
  }

  /// Time has gone on.
  private func judge(_ sighting: Sighting) {
    guard var timetable = timetables[sighting.device] else { return }
    for late in timetable.advance(to: sighting.now, isRunning: ledger.pages[sighting.device].aliveSince != nil) {
      ledger.violations.blame(Self.invariant, sighting.device, at: late.due, late.text)
    }
    exercised += timetable.takeTurns()
    timetables[sighting.device] = timetable
  }

  /// The SDK has told of a change; nil: it is on, in an unknown mode.
  private func turn(_ goal: TrackingGoal?, _ sighting: Sighting) {
    guard let timetable = timetables[sighting.device] else { return }
    timetables[sighting.device]?.actual = goal
    guard timetable.follows, !timetable.isOverruled, goal != timetable.actual, let goal,
      !timetable.allows(goal, at: sighting.now)
    else { return }
    blame(
      sighting, nil,
      goal == .off
        ? "turned off inside a window" : "turned on outside the windows of its schedule, or in the wrong mode")
  }

  private func record(_ uuid: UUID128, _ sighting: Sighting) {
    guard let timetable = timetables[sighting.device], timetable.follows, !timetable.isOverruled, !timetable.isTold,
      !timetable.allowsRecords(at: sighting.now),
      !ledger.truth.lives[sighting.device].mayRecordOdometer(at: sighting.now.monotonic)
    else { return }
    timetables[sighting.device]?.isTold = true
    blame(sighting, uuid, "recorded outside the windows of its schedule")
  }

  /// For rules that ask what a device is to do.
  private func publish(_ sighting: Sighting) {
    let timetable = timetables[sighting.device]
    ledger.truth.lives[sighting.device].scheduled = timetable.flatMap {
      $0.follows && !$0.isOverruled ? $0.settled : nil
    }
  }
}
