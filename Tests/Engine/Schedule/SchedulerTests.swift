import Base
import Contract
import Testing

@testable import Engine

@Suite struct SchedulerTests {
  /// Sunday 15 November 2026, UTC.
  private static func sunday(_ hour: Int, _ minute: Int = 0) -> WallInstant {
    TestZones.instant(2026, 11, 15).advanced(byMilliseconds: Int64(hour * 60 + minute) * 60_000)
  }

  private static func started(_ texts: [String], at instant: WallInstant) -> Scheduler {
    var scheduler = Scheduler(Schedule(texts), in: .utc)
    _ = scheduler.start(at: instant)
    return scheduler
  }

  @Test func startingEvaluatesAtOnce() {
    for (hour, mode) in [(8, nil), (9, .geofence), (17, nil)] as [(Int, ScheduleMode?)] {
      var scheduler = Scheduler(Schedule(["1 9:00-17:00 geofence"]), in: .utc)
      #expect(scheduler.wake(at: Self.sunday(hour)) == nil, "an idle scheduler does nothing")
      #expect(scheduler.start(at: Self.sunday(hour)) == mode)
    }
  }

  @Test func nothingHappensBetweenAlarmsSoThatWhatIsDoneByHandStays() {
    var scheduler = Self.started(["1 9:00-17:00"], at: Self.sunday(8))
    #expect(scheduler.nextAlarm?.instant == Self.sunday(9))
    for minute in 0..<60 { #expect(scheduler.wake(at: Self.sunday(8, minute)) == nil) }
    #expect(scheduler.wake(at: Self.sunday(9, 3))?.action == .turnOn(.location), "late, but not lost")
    for minute in 4..<480 { #expect(scheduler.wake(at: Self.sunday(9, minute)) == nil) }
    #expect(scheduler.wake(at: Self.sunday(17))?.action == .turnOff)
    #expect(scheduler.wake(at: Self.sunday(17)) == nil)
    #expect(scheduler.nextAlarm?.instant == Self.sunday(7 * 24 + 9))
  }

  /// Adjacent windows of one mode do not stop in between (behaviour §16.2).
  @Test func adjacentWindowsDoNotStopInBetween() {
    var scheduler = Self.started(["1-7 22:00-00:00", "1-7 00:00-06:00"], at: Self.sunday(21))
    var actions: [ScheduleAlarm.Action] = []
    for minute in 0..<720 {
      if let alarm = scheduler.wake(at: Self.sunday(21, minute)) { actions.append(alarm.action) }
    }
    #expect(actions == [.turnOn(.location), .turnOn(.location), .turnOff])
  }

  @Test func theEndOfAnInnerWindowAsksForNothing() {
    var scheduler = Self.started(["1 9:00-17:00", "1 12:00-13:00"], at: Self.sunday(8))
    var actions: [Int: ScheduleAlarm.Action] = [:]
    for hour in 8...18 {
      if let alarm = scheduler.wake(at: Self.sunday(hour)) { actions[hour] = alarm.action }
    }
    #expect(actions == [9: .turnOn(.location), 12: .turnOn(.location), 17: .turnOff])
  }

  @Test func locationWinsWhileItLastsAndGeofencesGoOnAfterwards() {
    var scheduler = Self.started(["1 9:00-17:00 geofence", "1 12:00-13:00"], at: Self.sunday(8))
    var actions: [Int: ScheduleAlarm.Action] = [:]
    for hour in 8...18 {
      if let alarm = scheduler.wake(at: Self.sunday(hour)) { actions[hour] = alarm.action }
    }
    #expect(
      actions == [9: .turnOn(.geofence), 12: .turnOn(.location), 13: .turnOn(.geofence), 17: .turnOff])
  }

  @Test func theLastOfSeveralAlarmsThatWereSleptThroughCounts() {
    var scheduler = Self.started(["1-7 9:00-17:00"], at: Self.sunday(8))
    #expect(scheduler.wake(at: Self.sunday(3 * 24 + 10))?.action == .turnOn(.location))
    #expect(scheduler.wake(at: Self.sunday(5 * 24 + 20))?.action == .turnOff)
  }

  @Test func anAlarmBeyondTheHorizonIsFoundByWakingLater() {
    var scheduler = Self.started(["2026-12-24 9:00-17:00"], at: Self.sunday(8))
    #expect(scheduler.nextAlarm == nil)
    var actions: [ScheduleAlarm.Action] = []
    for hour in 9..<60 * 24 {
      if let alarm = scheduler.wake(at: Self.sunday(hour)) { actions.append(alarm.action) }
    }
    #expect(actions == [.turnOn(.location), .turnOff])
    var sleeper = Self.started(["2026-12-24 9:00-17:00"], at: Self.sunday(8))
    #expect(sleeper.wake(at: TestZones.instant(2027, 3, 1))?.action == .turnOff)
  }

  @Test func aClockThatIsSetBackIsEvaluatedAnew() {
    var scheduler = Self.started(["1 9:00-17:00"], at: Self.sunday(18))
    #expect(scheduler.wake(at: Self.sunday(12))?.action == .turnOn(.location))
    #expect(scheduler.wake(at: Self.sunday(8))?.action == .turnOff)
    #expect(scheduler.nextAlarm?.instant == Self.sunday(9))
  }

  @Test func aNewScheduleRestartsARunningSchedulerAndAnEmptyOneEndsIt() {
    var scheduler = Self.started(["1 9:00-17:00"], at: Self.sunday(8))
    #expect(scheduler.replace(Schedule(["1 7:00-8:30"]), at: Self.sunday(8)) == .location)
    #expect(scheduler.nextAlarm?.instant == Self.sunday(8, 30))
    #expect(scheduler.replace(Schedule([]), at: Self.sunday(8)) == nil)
    #expect(!scheduler.isOn && scheduler.nextAlarm == nil)
    #expect(scheduler.replace(Schedule(["1 7:00-8:30"]), at: Self.sunday(8)) == nil)
    #expect(!scheduler.isOn, "a scheduler that was never started stays off")
  }

  /// Behaviour §16.3: at most a second with exact alarms, ten minutes without, and none at all on iOS.
  @Test func alarmsAreLate() {
    #expect(AlarmDelay.draw(0.5, on: .ios, isExact: true) == nil)
    #expect(AlarmDelay.draw(0.5, on: .android, isExact: true) == .milliseconds(500))
    #expect(AlarmDelay.draw(0.5, on: .android, isExact: false) == .seconds(300))
  }
}
