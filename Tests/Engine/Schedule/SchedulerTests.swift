import Base
import Contract
import Testing

@testable import Engine

@Suite struct SchedulerTests {
  private typealias Change = Scheduler.Change

  /// Sunday 15 November 2026, UTC.
  private static func sunday(_ hour: Int, _ minute: Int = 0) -> WallInstant {
    TestZones.instant(2026, 11, 15).advanced(byMilliseconds: Int64(hour * 60 + minute) * 60_000)
  }

  private static func started(_ texts: [String], at instant: WallInstant) -> Scheduler {
    var scheduler = Scheduler(Schedule(texts), in: .utc)
    _ = scheduler.start(at: instant)
    return scheduler
  }

  /// What an hourly look finds, by the hour.
  private static func changes(_ texts: [String], _ hours: ClosedRange<Int>) -> [Int: Change] {
    var scheduler = started(texts, at: sunday(hours.lowerBound))
    var changes: [Int: Change] = [:]
    for hour in hours { changes[hour] = scheduler.wake(at: sunday(hour)) }
    return changes
  }

  @Test func startingEvaluatesAtOnce() {
    for (hour, mode) in [(8, nil), (9, .geofence), (17, nil)] as [(Int, ScheduleMode?)] {
      var scheduler = Scheduler(Schedule(["1 9:00-17:00 geofence"]), in: .utc)
      #expect(scheduler.wake(at: Self.sunday(hour)) == nil, "an idle scheduler does nothing")
      #expect(scheduler.start(at: Self.sunday(hour)) == mode)
    }
  }

  @Test func nothingHappensBetweenChangesSoThatWhatIsDoneByHandStays() {
    var scheduler = Self.started(["1 9:00-17:00"], at: Self.sunday(8))
    #expect(scheduler.nextAlarm == Self.sunday(9))
    for minute in 0..<60 { #expect(scheduler.wake(at: Self.sunday(8, minute)) == nil) }
    #expect(scheduler.wake(at: Self.sunday(9, 3)) == Change(mode: .location), "late, but not lost")
    for minute in 4..<480 { #expect(scheduler.wake(at: Self.sunday(9, minute)) == nil) }
    #expect(scheduler.wake(at: Self.sunday(17)) == Change(mode: nil))
    #expect(scheduler.wake(at: Self.sunday(17)) == nil)
    #expect(scheduler.nextAlarm == Self.sunday(7 * 24 + 9))
  }

  /// SDK §16.2: adjacent windows of one mode do not stop in between.
  @Test func adjacentWindowsAreOne() {
    #expect(
      Self.changes(["1-7 22:00-00:00", "1-7 00:00-06:00"], 21...32)
        == [22: Change(mode: .location), 30: Change(mode: nil)])
  }

  @Test func aWindowInsideAnotherOfItsModeChangesNothing() {
    #expect(
      Self.changes(["1 9:00-17:00", "1 12:00-13:00"], 8...18) == [9: Change(mode: .location), 17: Change(mode: nil)])
  }

  @Test func locationWinsWhileItLastsAndGeofencesGoOnAfterwards() {
    #expect(
      Self.changes(["1 9:00-17:00 geofence", "1 12:00-13:00"], 8...18)
        == [
          9: Change(mode: .geofence), 12: Change(mode: .location), 13: Change(mode: .geofence), 17: Change(mode: nil),
        ])
  }

  @Test func aMissedScheduleChangeAppliesEvenWhenItWasReversed() {
    var scheduler = Self.started(["1-7 9:00-17:00"], at: Self.sunday(8))
    #expect(scheduler.wake(at: Self.sunday(3 * 24 + 10)) == Change(mode: .location))
    #expect(scheduler.wake(at: Self.sunday(4 * 24 + 10)) == Change(mode: .location))
    #expect(scheduler.wake(at: Self.sunday(5 * 24 + 20)) == Change(mode: nil))
  }

  /// The alarm is never missing, and never in the past.
  @Test func aChangeBeyondTheHorizonIsFoundByLookingAgainThere() {
    var scheduler = Self.started(["2026-12-24 9:00-17:00"], at: Self.sunday(8))
    var looks: [WallInstant] = []
    var changes: [WallInstant: Change] = [:]
    while looks.count < 8, let next = scheduler.nextAlarm {
      looks.append(next)
      changes[next] = scheduler.wake(at: next)
    }
    let week = 7 * 24
    #expect(
      looks == [1, 2, 3, 4, 5].map { Self.sunday(8 + $0 * week) } + [
        TestZones.instant(2026, 12, 24, 9), TestZones.instant(2026, 12, 24, 17), TestZones.instant(2026, 12, 31, 17),
      ])
    #expect(
      changes == [
        TestZones.instant(2026, 12, 24, 9): Change(mode: .location),
        TestZones.instant(2026, 12, 24, 17): Change(mode: nil),
      ])
    var sleeper = Self.started(["2026-12-24-9:00 2027-04-01-17:00"], at: Self.sunday(8))
    #expect(sleeper.wake(at: TestZones.instant(2027, 3, 1)) == Change(mode: .location))
  }

  @Test func aClockThatIsSetBackIsLookedAtAnew() {
    var scheduler = Self.started(["1 9:00-17:00"], at: Self.sunday(18))
    #expect(scheduler.wake(at: Self.sunday(12)) == Change(mode: .location))
    #expect(scheduler.wake(at: Self.sunday(11)) == nil, "what is done by hand stays")
    #expect(scheduler.wake(at: Self.sunday(8)) == Change(mode: nil))
    #expect(scheduler.nextAlarm == Self.sunday(9))
  }

  @Test func anotherZoneCountsWhenItChangesWhatIsOn() {
    var scheduler = Self.started(["1 9:00-17:00"], at: Self.sunday(8))
    #expect(scheduler.move(to: ZoneRules(offsetSeconds: 1_800), at: Self.sunday(8)) == nil)
    #expect(scheduler.nextAlarm == Self.sunday(8, 30))
    #expect(
      scheduler.move(to: ZoneRules(offsetSeconds: 3_600), at: Self.sunday(8, 10)) == Change(mode: .location))
    #expect(scheduler.move(to: .utc, at: Self.sunday(8, 20)) == Change(mode: nil))
  }

  @Test func aStoppedSchedulerIsOff() {
    var scheduler = Self.started(["1 9:00-17:00"], at: Self.sunday(8))
    scheduler.stop()
    #expect(!scheduler.isOn && scheduler.nextAlarm == nil && scheduler.spanToNextLook(at: Self.sunday(8)) == nil)
    #expect(scheduler.wake(at: Self.sunday(12)) == nil)
    #expect(scheduler.move(to: ZoneRules(offsetSeconds: 3_600), at: Self.sunday(12)) == nil && !scheduler.isOn)
  }

  /// Whatever a clock within a tenth of the truth does, a handful of looks meets the minute.
  @Test(arguments: [-100_000, -300, -20, 0, 20, 300, 100_000])
  func aClockThatRunsWronglyIsMetOnTheMinute(partsPerMillion: Int64) {
    let start = Self.sunday(8)
    var scheduler = Self.started(["2 9:00-17:00"], at: start)
    var elapsed: Int64 = 0
    var looks = 0
    var found: WallInstant?
    while found == nil, looks < 60,
      let span = scheduler.spanToNextLook(at: start.advanced(byMilliseconds: shown(elapsed)))
    {
      elapsed += span.wholeMilliseconds
      looks += 1
      let now = start.advanced(byMilliseconds: shown(elapsed))
      if scheduler.wake(at: now) != nil { found = now }
    }
    func shown(_ elapsed: Int64) -> Int64 { elapsed + elapsed * partsPerMillion / 1_000_000 }
    let late = found?.milliseconds(since: Self.sunday(33)) ?? .max
    #expect((0...101).contains(late), "after \(looks) looks")
    #expect(looks < 40, "25 hours, one look in each and some near the end")
  }

  /// SDK §16.3: at most a second with exact alarms, ten minutes without, and none at all on iOS.
  @Test func alarmsAreLate() {
    #expect(AlarmDelay.draw(0.5, on: .ios, isExact: true) == nil)
    #expect(AlarmDelay.draw(0.5, on: .android, isExact: true) == .milliseconds(500))
    #expect(AlarmDelay.draw(0.5, on: .android, isExact: false) == .seconds(300))
    var scheduler = Scheduler(Schedule(["1 9:00-17:00"]), in: .utc)
    _ = scheduler.start(at: Self.sunday(8)) { .seconds(180) }
    #expect(scheduler.nextAlarm == Self.sunday(9, 3))
    #expect(scheduler.wake(at: Self.sunday(9, 2)) == nil)
    #expect(scheduler.wake(at: Self.sunday(9, 3)) == Change(mode: .location))
  }
}
