import Base
import Contract
import Testing
import Vocabulary

@testable import Engine

/// SDK §18.
@Suite struct HeartbeatTests {
  private func beats(_ effects: [Effect]) -> Int {
    effects.events.reduce(0) { if case .heartbeat = $1 { $0 + 1 } else { $0 } }
  }

  @Test(arguments: [
    (DevicePlatform.ios, 30.0, 20), (.ios, 60, 10), (.android, 30, 10), (.android, -1, 0), (.ios, 0, 0),
  ])
  func itBeatsAtRest(platform: DevicePlatform, interval: Double, count: Int) {
    var rig = EngineRig.resting(platform) { $0.app.heartbeatIntervalSeconds = interval }
    rig.wait(600)
    let effects = rig.take()
    #expect(beats(effects) == count)
    #expect(effects.flushes == Array(repeating: .heartbeat, count: count))
    #expect(effects.kinds.isEmpty, "no record")
  }

  @Test func itBeatsAtMostAThousandTimesASecond() {
    var rig = EngineRig.resting(.ios) { $0.app.heartbeatIntervalSeconds = 1e-10 }
    rig.wait(1)
    #expect(beats(rig.take()) == 1_000)
  }

  @Test func itDoesNotBeatOnTheWay() {
    var rig = EngineRig.driving()
    rig.wait(600)
    #expect(beats(rig.take()) == 0)
  }

  @Test func itTellsTheLastKnownPosition() throws {
    var rig = EngineRig.resting()
    rig.sample(ageSeconds: 3)
    _ = rig.take()
    rig.wait(60)
    guard case .heartbeat(let record)? = rig.take().events.first else {
      Issue.record("no heartbeat")
      return
    }
    #expect(record.event == .heartbeat && !record.isMoving)
    // As old as it was when it came.
    #expect(record.ageMilliseconds == 3_000)
  }

  /// AppConfig 99: on iOS, heartbeat fires only when preventSuspend is true.
  @Test(arguments: [EngineInput.backgroundFetch, .stationaryRegionExit(nil), .connectivity(.wifi)])
  func aSuspendedProcessDoesNotBeatWhenItWakes(input: EngineInput) {
    var rig = EngineRig.resting()
    rig.send(.background)
    #expect(rig.engine.nextDeadline == nil)
    rig.sleepThrough(1_740)
    _ = rig.take()
    rig.send(input)
    #expect(beats(rig.take()) == 0)
    rig.send(.foreground)
    rig.wait(1)
    #expect(beats(rig.take()) == (rig.engine.state.isMoving ? 0 : 1), "the one that is due")
  }

  @Test func preventSuspendKeepsItBeating() {
    var rig = EngineRig.resting { $0.app.preventSuspend = true }
    rig.send(.background)
    rig.wait(600)
    #expect(beats(rig.take()) == 10)
  }

  /// A watch keeps the app awake (BGGeo 648), and does not stand for preventSuspend, which has no effect where iOS may not pause
  /// the updates (SDK §2.1).
  @Test(arguments: [(false, true), (true, true), (true, false)])
  func aWatchAloneDoesNotMakeItBeat(isSet: Bool, pauses: Bool) {
    let preventsSuspend = isSet && pauses
    var rig = EngineRig.resting {
      $0.app.preventSuspend = isSet
      $0.geolocation.pausesLocationUpdatesAutomatically = pauses
    }
    rig.send(.call(.watchPosition(WatchRequest(id: 3))))
    rig.send(.background)
    rig.wait(600)
    #expect(beats(rig.take()) == (preventsSuspend ? 10 : 0))
    rig.send(.call(.stopWatchPosition(id: 3)))
    #expect((rig.engine.nextDeadline == nil) == !preventsSuspend)
  }

  /// An iPhone that is kept awake, with its screen off, unplugged, in the background from now on.
  private func darkPhone() -> EngineRig {
    var rig = EngineRig.resting { $0.app.preventSuspend = true }
    rig.send(.screen(isOn: false))
    rig.send(.background)
    return rig
  }

  /// SDK §18.3.
  @Test func anUnpluggedPhoneWithADarkScreenBeatsForTwoMinutesInTheBackground() {
    var rig = darkPhone()
    rig.wait(119)
    #expect(beats(rig.take()) == 1)
    rig.wait(1_800)
    rig.send(.connectivity(.wifi))
    rig.act(.still)
    #expect(beats(rig.take()) == 0)
  }

  @Test(arguments: [
    EngineInput.screen(isOn: true), .foreground, .activity(Activity(.walking, confidence: 20)),
    .battery(Battery(level: 0.5, isCharging: true)), .significantChange(EngineRig().fix()),
  ])
  func theBeatThatWasHeldBackComesAtOnceWithASignOfLife(input: EngineInput) {
    var rig = darkPhone()
    rig.wait(600)
    _ = rig.take()
    rig.send(input)
    #expect(beats(rig.take()) == 1)
    rig.wait(100)
    #expect(beats(rig.take()) == 1, "and the beats go on")
  }

  @Test func afterASignOfLifeThePhoneIsLeftAloneForTwoMinutesMore() {
    var rig = darkPhone()
    rig.wait(600)
    rig.act(.walking, 20)
    rig.act(.still)
    rig.wait(600)
    #expect(beats(rig.take()) == 3, "one before, one at the sign, one a minute after it")
    rig.send(.screen(isOn: true))
    rig.send(.screen(isOn: false))
    rig.wait(600)
    #expect(beats(rig.take()) == 2)
  }

  /// In the foreground, with a lit screen, on the charger, and on Android.
  @Test(arguments: 0...3)
  func nothingElseHoldsBeatsBack(exception: Int) {
    var rig = EngineRig.resting(exception == 0 ? .android : .ios) {
      $0.app.preventSuspend = true
      $0.app.heartbeatIntervalSeconds = 60
    }
    rig.send(.screen(isOn: exception == 1))
    rig.send(.battery(Battery(level: 0.5, isCharging: exception == 2)))
    if exception != 3 { rig.send(.background) }
    rig.wait(600)
    #expect(beats(rig.take()) == 10)
  }

  @Test func theScreenWakesNoSuspendedProcess() {
    var rig = EngineRig.resting()
    rig.send(.screen(isOn: false))
    rig.send(.background)
    _ = rig.take()
    rig.sleepThrough(600)
    rig.send(.screen(isOn: true))
    #expect(rig.take().isEmpty && rig.engine.nextDeadline == nil)
  }

  @Test func preventSuspendGoesInCyclesOf15And23Seconds() {
    var rig = EngineRig.resting {
      $0.app.preventSuspend = true
      $0.app.heartbeatIntervalSeconds = 0
      $0.logger.logLevel = .verbose
    }
    rig.send(.background)
    rig.wait(62)
    let spans = rig.take().logs.compactMap { entry -> Double? in
      if case .timerStarted("preventSuspend", let seconds, _) = entry { seconds } else { nil }
    }
    #expect(spans == [15, 23, 23, 23])
    rig.send(.foreground)
    #expect(rig.engine.nextDeadline == nil)
  }

  @Test func aNewIntervalCountsAtOnce() {
    var rig = EngineRig.resting()
    rig.wait(50)
    rig.reconfigure { $0.app.heartbeatIntervalSeconds = 100 }
    rig.wait(99)
    #expect(beats(rig.take()) == 0)
    rig.wait(1)
    #expect(beats(rig.take()) == 1)
  }

  @Test(arguments: [(DevicePlatform.ios, 30.0), (.android, 180)])
  func aBackgroundTaskEndsByItselfAfterItsTime(platform: DevicePlatform, seconds: Double) {
    var rig = EngineRig.driving(platform)
    rig.send(.call(.startBackgroundTask(id: 3)))
    #expect(rig.take() == [.backgroundTask(id: 3, isStart: true)])
    rig.wait(seconds - 1)
    #expect(rig.take().isEmpty)
    rig.wait(1)
    #expect(rig.take() == [.backgroundTask(id: 3, isStart: false)])
    rig.send(.call(.stopBackgroundTask(id: 3)))
    #expect(rig.take().isEmpty)
  }
}
