import Base
import Contract
import Support
import Testing
import Vocabulary

@testable import Engine

/// An Android phone with exact alarms whose clock on the wall goes as it likes: at every minute that it shows, that is on
/// which the schedule has open at this minute.
@Suite struct ScheduleClockTests {
  /// The engine, the time that passes, and what the clock on the wall makes of it.
  private struct Phone {
    var engine: Engine
    var effects: [Effect] = []
    var elapsed: Int64 = 0
    var partsPerMillion: Int64 = 0
    /// The clock was right then but for the error.
    var origin: Int64 = 0
    var errorMilliseconds: Int64 = 0
    let start: WallInstant
    var timersDue = 0

    init(_ schedule: [String], zone: ZoneRules, at start: WallInstant) {
      var configuration = Configuration(platform: .android)
      configuration.app.schedule = schedule
      configuration.app.scheduleUseAlarmManager = true
      configuration.logger.logLevel = .off
      engine = Engine(
        configuration: configuration, identity: RandomStream(seed: 1, device: 1, concern: 1), zone: zone)
      self.start = start
      send(.ready(Launch()))
      send(.call(.startSchedule))
    }

    var wall: WallInstant {
      start.advanced(
        byMilliseconds: elapsed + errorMilliseconds + (elapsed - origin) * partsPerMillion / 1_000_000)
    }

    /// What the tracking is, in the words of a schedule.
    var mode: ScheduleMode? {
      guard engine.state.isEnabled else { return nil }
      return engine.state.trackingMode == .location ? .location : .geofence
    }

    mutating func send(_ input: EngineInput) {
      engine.receive(
        input, at: Moment(monotonic: MonotonicInstant(nanoseconds: elapsed * 1_000_000), wall: wall), into: &effects)
      effects.removeAll(keepingCapacity: true)
    }

    mutating func pass(_ milliseconds: Int64) {
      let end = elapsed + milliseconds
      while let deadline = engine.nextDeadline, deadline.nanoseconds <= end * 1_000_000 {
        elapsed = max(elapsed, (deadline.nanoseconds + 999_999) / 1_000_000)
        timersDue += 1
        send(.timersDue)
      }
      elapsed = end
    }

    /// Until the clock shows two seconds after the next full minute, which is the answer.
    mutating func passToNextMinute() -> Int {
      let shown = wall.millisecondsSince1970
      pass(60_000 - (shown - 2_000) % 60_000)
      return Int(wall.millisecondsSince1970 / 60_000)
    }

    /// The clock goes wrong differently from now on.
    mutating func set(errorSeconds: Int64, partsPerMillion: Int64) {
      (origin, errorMilliseconds, self.partsPerMillion) = (elapsed, errorSeconds * 1_000, partsPerMillion)
    }
  }

  private static func day(of instant: WallInstant) -> Int {
    Int(instant.millisecondsSince1970 / WallInstant.millisecondsPerDay)
  }

  /// Changes of the clocks, a drift of up to 300 parts in a million either way, days on which somebody sets the clock by
  /// up to twelve hours, and days on which the phone comes into another zone.
  @Test(arguments: 1...18 as ClosedRange<UInt64>)
  func atEveryMinuteThatIsOnWhichTheScheduleHasOpen(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let week = TestZones.weeks[generator.index(below: TestZones.weeks.count)]
    let days = 10 + generator.index(below: 3) * 16
    let schedule = RandomSchedule(from: Self.day(of: week.start), days: min(40, days), with: &generator)
    let zones = [week.zone, ZoneRules(offsetSeconds: (generator.index(below: 25) - 12) * 3_600)]
    let references = zones.map { NaiveSchedule(schedule.entries, zone: $0, from: week.start, days: days) }
    var phone = Phone(schedule.texts, zone: week.zone, at: week.start)
    phone.set(errorSeconds: 0, partsPerMillion: Int64(generator.index(below: 601) - 300))
    var zone = 0
    for _ in 0..<days * 1_440 {
      let minute = phone.passToNextMinute()
      guard phone.mode == references[zone].mode(atMinute: minute) else {
        let shown = WallInstant(millisecondsSince1970: Int64(minute) * 60_000)
        Issue.record("\(schedule.texts) in \(week.name), zone \(zone) at \(shown): \(String(describing: phone.mode))")
        return
      }
      if generator.chance(0.5 / 1_440) {
        phone.set(
          errorSeconds: Int64(generator.index(below: 86_401) - 43_200),
          partsPerMillion: Int64(generator.index(below: 601) - 300))
        phone.send(.clockSet)
      }
      if generator.chance(0.2 / 1_440) {
        zone = 1 - zone
        phone.send(.timeZone(zones[zone]))
      }
    }
    #expect(phone.timersDue < days * 200, "no busy loop")
  }

  @Test(arguments: [-43_200, -60, 60, 43_200] as [Int64])
  func aClockThatIsSetWithoutNoticeIsFoundOutWithinAnHour(seconds: Int64) {
    var phone = Phone(["1-7 09:00-17:00"], zone: .utc, at: TestZones.instant(2026, 11, 15, 1))
    phone.pass(30 * 60_000)
    phone.set(errorSeconds: seconds, partsPerMillion: 0)
    phone.pass(3_600_000)
    for _ in 0..<3 * 1_440 {
      let minute = phone.passToNextMinute()
      #expect((phone.mode != nil) == (540..<1_020).contains(minute % 1_440), "at minute \(minute % 1_440)")
    }
  }

  /// The windows of the review of the documents: each once died on Android.
  @Test(arguments: [
    (["1-7 09:00-17:00 location", "1-7 18:00-12:00 geofence"], 4), (["1-7 09:00-17:00", "1-7 10:00-11:00"], 4),
    (["2026-11-25 09:00-17:00"], 14), (["2026-11-16-09:00 2026-12-07-17:00"], 26),
    (["2026-11-16-09:00 2027-11-16-17:00"], 370),
  ])
  func noScheduleDies(texts: [String], days: Int) {
    let start = TestZones.instant(2026, 11, 15)
    let schedule = Schedule(texts)
    var phone = Phone(texts, zone: .utc, at: start)
    phone.pass(2_000)
    for _ in 0..<days * 24 {
      #expect(phone.mode == schedule.mode(at: phone.wall, in: .utc), "at \(phone.wall)")
      phone.pass(3_600_000)
    }
    #expect(phone.timersDue < days * 100)
  }
}
