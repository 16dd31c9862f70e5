import Base
import Support
import Testing

@testable import Engine

@Suite struct ScheduleGrammarTests {
  /// The examples of SDK §16.1, and what they mean.
  @Test(arguments: [
    ("1 17:30-21:00", "1 17:30-21:00"), ("2-6 09:00-17:00", "2,3,4,5,6 09:00-17:00"),
    ("2,4,6 20:00-00:00", "2,4,6 20:00-00:00"), ("2018-01-01 09:00-17:00", "2018-01-01 09:00-17:00"),
    ("2018-01-01-09:00 2019-01-01-17:00", "2018-01-01-09:00 2019-01-01-17:00"),
    ("1-7 18:00-12:00 geofence", "1,2,3,4,5,6,7 18:00-12:00 geofence"),
    ("1-7 9:00-9:30 location", "1,2,3,4,5,6,7 09:00-09:30"),
    ("6-2 9:00-10:00", "1,2,6,7 09:00-10:00"), ("1,3-5,7  9:00-9:00", "1,3,4,5,7 09:00-09:00"),
    ("2024-02-29 0:00-23:59", "2024-02-29 00:00-23:59"),
  ])
  func entriesReadAsTheyAreMeant(text: String, canonical: String) throws {
    #expect(try ScheduleEntry(parsing: text).description == canonical)
  }

  @Test(arguments: [
    ("", ScheduleError.Code.form, 1), ("2-6", .form, 4), ("1 9:00-17:00 location now", .form, 23),
    ("0 9:00-17:00", .days, 1), ("1-8 9:00-17:00", .days, 1), ("2,,4 9:00-17:00", .days, 3),
    ("2, 9:00-17:00", .days, 3), ("Mo 9:00-17:00", .days, 1), ("12 9:00-17:00", .days, 1),
    ("1 09:00", .range, 3), ("1 9:00-12:00-17:00", .range, 3), ("1 24:00-1:00", .time, 3),
    ("1 9:00-17:60", .time, 8), ("1 9:0-17:00", .time, 3), ("1 9-17", .time, 3), ("1 009:00-17:00", .time, 3),
    ("1 -1:00-2:00", .range, 3), ("1 9:00-17:00 Location", .mode, 14), ("1 9:00-17:00 both", .mode, 14),
    ("2018-02-29 9:00-17:00", .date, 1), ("2018-1-01 9:00-17:00", .date, 1), ("18-01-01 9:00-17:00", .date, 1),
    ("2018-01-01-9:00 2018-13-01-17:00", .date, 17), ("2018-01-01-9:00 17:00", .date, 17),
    ("2018-01-01-9:00 2018-01-01-9:00", .backwards, 17), ("2018-01-01-25:00 2018-01-02-9:00", .time, 12),
    ("1 ९:00-17:00", .time, 3),
  ])
  func malformedEntriesSayWhatAndWhere(text: String, code: ScheduleError.Code, column: Int) {
    #expect(throws: ScheduleError(code: code, entry: text, column: column)) {
      try ScheduleEntry(parsing: text)
    }
  }

  @Test func oneMalformedEntryDoesNotHideTheOthers() {
    let schedule = Schedule(["1 9:00-17:00", "8 9:00-17:00", "2 9:00-17:00 geofence"])
    #expect(schedule.entries.map(\.description) == ["1 09:00-17:00", "2 09:00-17:00 geofence"])
    #expect(schedule.errors.map(\.entry) == ["8 9:00-17:00"])
    let text = schedule.errors.first?.description ?? ""
    #expect(text.contains("8 9:00-17:00") && text.contains("column 1") && text.contains("7 (Saturday)"))
  }

  @Test func noTextTrapsTheParser() {
    var generator = SeededGenerator(seed: 161)
    let pieces = [
      "1", "2-6", ",", "-", ":", " ", "09:00", "17:30", "2026-03-29", "geofence", "9999-12-31", "é", "0001-01-01",
    ]
    for round in 0..<4_000 {
      let text = (0..<generator.index(below: 12)).map { _ in pieces[generator.index(below: pieces.count)] }.joined()
      do throws(ScheduleError) {
        let entry = try ScheduleEntry(parsing: text)
        #expect(try ScheduleEntry(parsing: entry.description) == entry, "round \(round): \(text)")
      } catch {
        #expect(error.entry == text && (1...text.count + 1).contains(error.column), "round \(round): \(text)")
      }
    }
  }

  /// The last instant of the calendar is in no window: windows exclude their ends, and none ends later.
  @Test func schedulesReachTheEndsOfTheCalendar() {
    for zone in [ZoneRules(offsetSeconds: 64_800), ZoneRules(offsetSeconds: -64_800)] {
      let schedule = Schedule(["0001-01-01 00:00-01:00", "9999-12-31 23:00-00:00", "1-7 00:00-00:00"])
      #expect(schedule.mode(at: .earliest, in: zone) == .location)
      #expect(schedule.mode(at: .latest, in: zone) == nil)
      for instant in [WallInstant.earliest, .latest] {
        #expect(schedule.nextChange(after: instant, in: zone) == nil)
      }
      var scheduler = Scheduler(schedule, in: zone)
      #expect(scheduler.start(at: .latest.advanced(byMilliseconds: -1_000_000_000)) == .location)
      #expect(scheduler.wake(at: .latest) == Scheduler.Change(mode: nil))
    }
  }
}
