import FoundationEssentials
import Support
import Testing

@testable import BackgroundGeolocation

/// The schedule of a device, on a clock of the test that begins on Tuesday 2026-07-28 at 18:34:23 UTC.
@Suite struct DeviceScheduleTests {
  /// What `onSchedule` tells, and when.
  private struct Switch: Equatable, Sendable {
    let isOn: Bool
    let minutes: Double
  }

  private func switches(_ bench: Bench) -> (Inbox<Switch>, EventSubscription) {
    let inbox = Inbox<Switch>()
    let subscription = bench.bgGeo.onSchedule { [clock = bench.clock] event in
      inbox.add(Switch(isOn: event.enabled, minutes: clock.now.timeIntervalSince(Bench.start) / 60))
    }
    return (inbox, subscription)
  }

  /// Passes in short steps, so that listeners hear of things when they happen.
  private func pass(hours: Int, _ bench: Bench) async {
    for _ in 0..<hours * 60 {
      bench.clock.advance(by: 60)
      await bench.bgGeo.callbackQueue.drained()
    }
  }

  /// SDK §16.3.4: it is not told to look, and nothing moves.
  @Test func anIPhoneLooksAtItsScheduleAboutEveryQuarterOfAnHour() async throws {
    let bench = try Bench(.iOS)
    let (inbox, subscription) = switches(bench)
    bench.bgGeo.ready { $0.app.schedule = ["1-7 19:00-20:00", "1-7 22:00-23:00 geofence"] }
    bench.bgGeo.startSchedule()
    await pass(hours: 24, bench)
    #expect(inbox.all.map(\.isOn) == [true, false, true, false])
    for (found, due) in zip(inbox.all.map(\.minutes), [25.6, 85.6, 205.6, 265.6]) {
      #expect((due...due + 16).contains(found))
    }
    subscription.remove()
  }

  /// In Berlin it is 20:34, and on 25 October the clocks go back.
  @Test func aNamedZoneHasItsDaylightSavingTime() async throws {
    let bench = try Bench(.android)
    try bench.platform.setTimeZone(named: "CET-1CEST,M3.5.0,M10.5.0/3")
    bench.bgGeo.ready { config in
      config.app.schedule = ["1-7 21:00-22:00"]
      config.app.scheduleUseAlarmManager = true
    }
    bench.bgGeo.startSchedule()
    bench.clock.advance(by: 25 * 60)
    #expect(!bench.bgGeo.enabled)
    bench.clock.advance(by: 60)
    #expect(bench.bgGeo.enabled)
    // 25 October, 20:00:23 UTC: 21:00 in winter time.
    bench.clock.advance(by: 89 * 86_400 + 60 * 60 - 120)
    #expect(!bench.bgGeo.enabled)
    bench.clock.advance(by: 120)
    #expect(bench.bgGeo.enabled)
  }

  @Test func aZoneThatIsNoneIsRefusedAndChangesNothing() throws {
    let bench = try Bench(.android)
    let error = #expect(throws: BGGeoError.self) { try bench.platform.setTimeZone(named: "Middle-earth/Shire") }
    #expect(error?.message.contains("Middle-earth/Shire") ?? false)
  }

  @Test func aClockOfTheProgramIsInUTCUntilToldOtherwise() throws {
    let bench = try Bench(.android)
    bench.bgGeo.ready { $0.app.schedule = ["3 18:00-19:00"] }
    bench.bgGeo.startSchedule()
    #expect(bench.bgGeo.enabled)
    bench.platform.setTimeZone(secondsFromGMT: 7_200)
    #expect(!bench.bgGeo.enabled)
  }

  @Test func aDarkScreenHoldsHeartbeatsBack() async throws {
    let bench = try Bench()
    let beats = Inbox<HeartbeatEvent>()
    let subscription = bench.bgGeo.onHeartbeat { beats.add($0) }
    try await bench.startAtRest { $0.app.preventSuspend = true }
    bench.platform.setScreen(isOn: false)
    bench.platform.enterBackground()
    bench.clock.advance(by: 1_800)
    await bench.bgGeo.callbackQueue.drained()
    #expect(beats.all.count == 1)
    bench.platform.setScreen(isOn: true)
    await bench.bgGeo.callbackQueue.drained()
    #expect(beats.all.count == 2)
    subscription.remove()
  }
}
