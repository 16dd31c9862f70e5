import Base
import Support
import Testing

@testable import Engine

@Suite struct ScheduleTests {
  private static func instant(minute: Int) -> WallInstant { WallInstant(millisecondsSince1970: Int64(minute) * 60_000) }

  private static func compare(_ texts: [String], _ naive: [NaiveSchedule.Entry], _ note: String) {
    for week in TestZones.weeks {
      let schedule = Schedule(texts)
      #expect(schedule.errors == [], "\(note)")
      let reference = NaiveSchedule(naive, zone: week.zone, from: week.start, days: 7)
      let first = Int(week.start.millisecondsSince1970 / 60_000)
      for minute in first..<first + 7 * 1_440 {
        let instant = instant(minute: minute)
        guard schedule.mode(at: instant, in: week.zone) == reference.mode(atMinute: minute) else {
          Issue.record("\(note) \(texts) in \(week.name) at \(instant)")
          return
        }
      }
      for minute in stride(from: first, to: first + 7 * 1_440, by: 211) {
        let change = schedule.nextChange(after: instant(minute: minute), in: week.zone)
        let next = reference.changes.first { $0 > minute }
        let expected = next.flatMap { $0 <= minute + 7 * 1_440 ? instant(minute: $0) : nil }
        #expect(change == expected, "\(note) \(texts) in \(week.name) after \(instant(minute: minute))")
      }
    }
  }

  /// Every minute of a quiet week and of eight weeks in which the clocks change.
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func everyMinuteOfAWeekIsThatOfANaiveReference(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var texts: [String] = []
    var naive: [NaiveSchedule.Entry] = []
    for _ in 0...generator.index(below: 3) {
      // Starts and ends near the hours at which clocks change are more likely than chance would have it.
      func minute() -> Int {
        generator.chance(0.5) ? generator.index(below: 8) * 30 : generator.index(below: 1_440)
      }
      let (start, end) = (minute(), minute())
      let days = (1...7).filter { _ in generator.chance(0.6) }
      let mode: ScheduleMode = generator.chance(0.4) ? .geofence : .location
      guard !days.isEmpty else { continue }
      func clock(_ minute: Int) -> String { "\(minute / 60):\(minute % 60 < 10 ? "0" : "")\(minute % 60)" }
      texts.append("\(days.map(String.init).joined(separator: ",")) \(clock(start))-\(clock(end)) \(mode)")
      naive.append(
        NaiveSchedule.Entry(
          daysOfWeek: days, day: nil, startMinute: start,
          lengthMinutes: end > start ? end - start : end - start + 1_440,
          mode: mode))
    }
    Self.compare(texts, naive, "seed \(seed)")
  }

  @Test func literalDatesTrackOnTheirDaysOnly() {
    let day = Int(TestZones.instant(2026, 3, 28).millisecondsSince1970 / 86_400_000)
    Self.compare(
      ["2026-03-28 22:00-02:30", "2026-03-29-02:15 2026-04-01-02:45 geofence"],
      [
        NaiveSchedule.Entry(daysOfWeek: [], day: day, startMinute: 1_320, lengthMinutes: 270, mode: .location),
        NaiveSchedule.Entry(
          daysOfWeek: [], day: day + 1, startMinute: 135, lengthMinutes: 3 * 1_440 + 30, mode: .geofence),
      ], "literal dates")
  }

  @Test func startsAreInclusiveAndEndsAreNot() {
    let schedule = Schedule(["1 9:00-17:00"])
    let sunday = TestZones.instant(2026, 11, 15, 9)
    func mode(_ milliseconds: Int64) -> ScheduleMode? {
      schedule.mode(at: sunday.advanced(byMilliseconds: milliseconds), in: .utc)
    }
    #expect(mode(-1) == nil && mode(0) == .location)
    #expect(mode(28_800_000 - 1) == .location && mode(28_800_000) == nil)
  }

  /// "2,4,6 20:00-00:00" ends with the day on which it began, "23:59" a minute earlier.
  @Test func midnightAsEndIsThatOfTheSameDay() {
    let monday = TestZones.instant(2026, 11, 16, 23, 59)
    for (text, isOn) in [("2 20:00-00:00", true), ("2 20:00-23:59", false)] {
      let schedule = Schedule([text])
      #expect((schedule.mode(at: monday, in: .utc) != nil) == isOn)
      #expect(schedule.mode(at: monday.advanced(byMilliseconds: 60_000), in: .utc) == nil)
    }
  }

  @Test func aTimeThatIsSkippedIsTheFirstMinuteAfterwards() {
    let schedule = Schedule(["1 2:30-4:00"])
    let change = TestZones.instant(2026, 3, 29, 1)
    #expect(schedule.mode(at: change.advanced(byMilliseconds: -1), in: TestZones.berlin) == nil)
    #expect(schedule.mode(at: change, in: TestZones.berlin) == .location)
    #expect(Schedule(["1 2:10-2:50"]).mode(at: change, in: TestZones.berlin) == nil, "all of it is skipped")
  }

  @Test func ofATimeThatComesTwiceTheFirstIsMeant() {
    let schedule = Schedule(["1 2:30-4:00", "1 0:00-2:15"])
    let twoO = TestZones.instant(2026, 10, 25, 0)
    var instant = twoO
    for minute in [15, 30, 180] as [Int64] {
      let change = twoO.advanced(byMilliseconds: minute * 60_000)
      #expect(schedule.nextChange(after: instant, in: TestZones.berlin) == change)
      instant = change
    }
  }

  @Test func theSearchLooksSevenDaysAhead() {
    let schedule = Schedule(["2026-06-20 9:00-17:00"])
    let start = TestZones.instant(2026, 6, 20, 9)
    let week: Int64 = 7 * 86_400_000
    #expect(schedule.nextChange(after: start.advanced(byMilliseconds: -week - 1), in: .utc) == nil)
    #expect(schedule.nextChange(after: start.advanced(byMilliseconds: -week), in: .utc) == start)
  }
}
