import Base
import Contract
import Testing
import Vocabulary

@testable import Engine

/// SDK §12.3 and §12.6.
@Suite struct StopDetectionTests {
  @Test(arguments: [(DevicePlatform.ios, 70), (.android, 75)])
  func onlyASureStillBeginsTheTimeout(platform: DevicePlatform, minimum: Int) {
    var rig = EngineRig.driving(platform)
    for confidence in [33, 66, minimum - 1] {
      rig.act(.still, confidence)
      #expect(!rig.engine.timers.isRunning(.stopTimeout), "\(confidence)")
    }
    rig.act(.still, minimum)
    #expect(rig.engine.timers.isRunning(.stopTimeout))
  }

  /// However sure another report than `still` is. An iPhone takes a sure `unknown` for a rest, as a real log shows.
  @Test(arguments: [(DevicePlatform.ios, false), (.android, true)], ["unknown", "tilting"])
  func whatIsNoStillBeginsNoTimeout(on platform: (DevicePlatform, ignoresUnknown: Bool), name: String) {
    var rig = EngineRig.driving(platform.0)
    rig.act(ActivityType(name: name), 66)
    #expect(!rig.engine.timers.isRunning(.stopTimeout))
    rig.act(ActivityType(name: name))
    let isIgnored = platform.ignoresUnknown || name != "unknown"
    #expect(rig.engine.timers.isRunning(.stopTimeout) != isIgnored)
    rig.act(.still)
    #expect(rig.engine.timers.isRunning(.stopTimeout))
  }

  @Test func theTimeoutIsFiveMinutes() {
    var rig = EngineRig.driving()
    rig.act(.still)
    rig.wait(299)
    #expect(rig.engine.state.isMoving)
    rig.wait(1)
    #expect(!rig.engine.state.isMoving)
  }

  @Test func aRedLightIsNoStop() {
    var rig = EngineRig.driving()
    rig.act(.still)
    rig.wait(90)
    rig.act(.inVehicle)
    rig.wait(600)
    #expect(rig.engine.state.isMoving)
  }

  @Test func anUnsureMovingActivityDoesNotCancel() {
    var rig = EngineRig.driving()
    rig.act(.still)
    rig.act(.inVehicle, 33)
    rig.wait(300)
    #expect(!rig.engine.state.isMoving)
  }

  /// SDK §12.6.6: react-native#230, flutter#1367.
  @Test(arguments: [(DevicePlatform.ios, 70, true), (.ios, 69, false), (.android, 75, true), (.android, 74, false)])
  func aRestThatIsReportedAgainEndsAPaceThatWasAskedFor(platform: DevicePlatform, confidence: Int, ends: Bool) {
    var rig = EngineRig.driving(platform)
    rig.act(.still, 100)
    rig.wait(310)
    #expect(!rig.engine.state.isMoving)
    rig.sample()
    rig.act(.still, confidence)
    rig.send(.call(.changePace(isMoving: true)))
    rig.sample()
    rig.wait(310)
    #expect(rig.engine.state.isMoving, "nothing has been reported since")
    _ = rig.take()
    rig.act(.still, confidence)
    #expect(rig.engine.timers.isRunning(.stopTimeout) == ends)
    #expect(rig.take().kinds.isEmpty, "it is no change")
    rig.wait(310)
    #expect(rig.engine.state.isMoving != ends)
  }

  @Test func positionsGoOnWhileTheTimerRuns() {
    var rig = EngineRig.driving()
    rig.act(.still)
    rig.wait(30)
    rig.drive(north: 60)
    #expect(rig.take().kinds == [.tracking])
    #expect(rig.engine.timers.isRunning(.stopTimeout))
  }

  @Test func androidTakesAStopBackWhenTheDeviceMovesOn() {
    var rig = EngineRig.driving(.android)
    rig.act(.still)
    rig.wait(30)
    rig.drive(north: 100)
    #expect(rig.engine.timers.isRunning(.stopTimeout), "within the stationary radius of 150 m")
    rig.wait(30)
    rig.drive(north: 160)
    rig.wait(299)
    #expect(rig.engine.state.isMoving, "the stop on the way was none")
    rig.wait(1)
    #expect(!rig.engine.state.isMoving, "the activity is still what it was")
  }

  @Test func androidTakesAStopBackForGoodWhenTheActivityIsUncertain() {
    var rig = EngineRig.driving(.android)
    rig.act(.still)
    rig.act(.unknown, 40)
    rig.wait(30)
    rig.drive(north: 160)
    rig.wait(1_000)
    #expect(rig.engine.state.isMoving)
  }

  @Test func aTimeoutOfZeroFiresAtTheNextTick() {
    var rig = EngineRig.driving { $0.geolocation.stopTimeoutMinutes = 0 }
    rig.act(.still)
    #expect(rig.engine.state.isMoving)
    rig.send(.timersDue)
    #expect(!rig.engine.state.isMoving)
  }

  @Test(arguments: [(60.0, 60.0), (90_000, 90)])
  func theDelayComesFirst(configured: Double, seconds: Double) {
    var rig = EngineRig.driving { $0.activity.stopDetectionDelay = configured }
    rig.act(.still)
    rig.wait(seconds - 1)
    #expect(!rig.engine.timers.isRunning(.stopTimeout))
    rig.wait(1)
    #expect(rig.engine.timers.isRunning(.stopTimeout))
    rig.wait(300)
    #expect(!rig.engine.state.isMoving)
  }

  @Test func movementCancelsTheDelay() {
    var rig = EngineRig.driving { $0.activity.stopDetectionDelay = 60 }
    rig.act(.still)
    rig.act(.onFoot)
    rig.wait(1_000)
    #expect(rig.engine.state.isMoving)
  }

  @Test func stopOnStationaryStops() {
    var rig = EngineRig.driving { $0.activity.stopOnStationary = true }
    rig.act(.still)
    rig.wait(300)
    #expect(!rig.engine.state.isEnabled)
    #expect(rig.take().kinds.isEmpty, "a stop leaves no record")
  }

  @Test func stopOnStationaryLeavesChangePaceAlone() {
    var rig = EngineRig.driving { $0.activity.stopOnStationary = true }
    rig.send(.call(.changePace(isMoving: false)))
    rig.wait(10)
    #expect(rig.engine.state.isEnabled)
  }

  @Test func withoutStopDetectionOnlyThePauseOfTheSystemEndsATrip() {
    var rig = EngineRig.driving { $0.activity.disableStopDetection = true }
    rig.act(.still)
    rig.wait(3_600)
    #expect(rig.engine.state.isMoving)
    rig.send(.updatesPaused)
    #expect(!rig.engine.state.isMoving)
  }

  @Test func withoutPausesThereIsNoStopDetectionEither() {
    var rig = EngineRig.driving { $0.geolocation.pausesLocationUpdatesAutomatically = false }
    rig.act(.still)
    rig.wait(3_600)
    rig.send(.updatesPaused)
    #expect(rig.engine.state.isMoving)
  }

  @Test func disablingItWhileTheTimerRunsCancels() {
    var rig = EngineRig.driving()
    rig.act(.still)
    rig.reconfigure { $0.activity.disableStopDetection = true }
    rig.wait(600)
    #expect(rig.engine.state.isMoving)
  }

  @Test func significantChangesOnAndroidWaitTwentyMinutes() {
    var rig = EngineRig.driving(.android) { $0.geolocation.useSignificantChangesOnly = true }
    rig.wait(1_199)
    rig.sample()
    #expect(rig.engine.state.isMoving)
    rig.wait(1)
    rig.sample()
    #expect(!rig.engine.state.isMoving)
  }
}
