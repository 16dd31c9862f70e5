import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Vocabulary

/// I20: a schedule turns tracking on inside its windows and off outside; Android is late by ten minutes at most, iOS by
/// what it takes until something wakes it (behaviour §16.3).
final class ScheduleRule: Rule {
  override class var invariant: Invariant { .schedule }
  override class var interest: Interest { [.told, .queue, .life] }

  private struct Timetable {
    let schedule: Schedule
    var isOn = false
    var isTold = false
  }

  /// Only of devices that have a schedule.
  private var timetables: [Int: Timetable] = [:]

  /// How late Android acts upon an alarm at most.
  private static let delay = Nanoseconds.seconds(600)

  override var reasonNotJudged: String? { timetables.contains { $0.value.isOn } ? nil : "no device follows a schedule" }

  override func see(_ happening: Happening, _ sighting: Sighting) {
    let device = sighting.device
    switch happening {
    case .configured(let configuration):
      let texts = configuration.app.schedule
      timetables[device] = texts.isEmpty ? nil : Timetable(schedule: Schedule(texts))
    case .told(.engine(.schedule(let state))):
      timetables[device]?.isOn = true
      turn(isEnabled: state.isEnabled, sighting)
    case .told(.commanded): timetables[device] = nil
    case .queue(.inserted(_, _, let uuid, _, _)): record(uuid, sighting)
    default: break
    }
  }

  private func turn(isEnabled: Bool, _ sighting: Sighting) {
    guard let timetable = timetables[sighting.device] else { return }
    if isEnabled != (timetable.schedule.mode(at: sighting.now.wall, in: ledger.zone) != nil) {
      blame(sighting, nil, isEnabled ? "turned on outside the windows of its schedule" : "turned off inside a window")
    }
  }

  private func record(_ uuid: UUID128, _ sighting: Sighting) {
    guard let timetable = timetables[sighting.device], timetable.isOn, !timetable.isTold,
      ledger.pages[sighting.device].terms?.platform == .android
    else { return }
    let before = sighting.now.wall.advanced(byMilliseconds: -ScheduleRule.delay.wholeMilliseconds)
    let isInside = [before, sighting.now.wall].contains {
      timetable.schedule.mode(at: $0, in: ledger.zone) != nil
    }
    if !isInside {
      timetables[sighting.device]?.isTold = true
      blame(sighting, uuid, "recorded outside the windows of its schedule")
    }
  }
}
