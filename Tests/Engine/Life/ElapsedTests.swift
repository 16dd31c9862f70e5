import Base
import Contract
import Testing
import Vocabulary

@testable import Engine

/// `stopAfterElapsedMinutes` counts from the start: over the end of a process, and whenever it is changed (SDK §1.4,
/// §19.6). A time-out for a stop is measured anew in the same way.
@Suite struct ElapsedTests {
  private static let minutes = 10.0

  private static func started(_ platform: DevicePlatform = .ios, minutes: Double = minutes) -> EngineRig {
    .resting(platform) { $0.geolocation.stopAfterElapsedMinutes = minutes }
  }

  /// The next process, so many seconds after the last one, by a clock that was set by so many more.
  private func relaunched(_ rig: EngineRig, after seconds: Int64, clockSetBy offset: Int64 = 0) -> EngineRig {
    var next = EngineRig(state: rig.engine.state, at: rig.now.wall.advanced(byMilliseconds: (seconds + offset) * 1_000))
    {
      $0.geolocation.stopAfterElapsedMinutes = Self.minutes
    }
    next.send(.ready(Launch()))
    next.sample()
    return next
  }

  @Test(arguments: [false, true])
  func aLaunchGoesOnCounting(isGeofenceMode: Bool) {
    var rig = Self.started()
    if isGeofenceMode { rig.send(.call(.startGeofences)) }
    rig.wait(240)
    var next = relaunched(rig, after: 60)
    next.wait(299)
    #expect(next.engine.state.isEnabled)
    next.wait(1)
    #expect(!next.engine.state.isEnabled && next.engine.state.startedAt == nil)
  }

  @Test func whatIsOverStopsAtTheLaunch() {
    var next = relaunched(Self.started(), after: 600)
    #expect(!next.engine.state.isEnabled)
    #expect(next.take().events.contains(.enabledChange(isEnabled: false)))
  }

  @Test func aClockThatWasSetBackHasLetNoTimePass() {
    let rig = Self.started()
    var next = relaunched(rig, after: 60, clockSetBy: -3_600)
    next.wait(599)
    #expect(next.engine.state.isEnabled)
    var last = relaunched(next, after: 0)
    last.wait(1)
    #expect(!last.engine.state.isEnabled, "counted from the clock as it was at the launch")
  }

  @Test func aStateWithoutAStartBeginsToCount() {
    var rig = Self.started()
    rig.wait(300)
    var state = rig.engine.state
    state.startedAt = nil
    var next = EngineRig(state: state) { $0.geolocation.stopAfterElapsedMinutes = Self.minutes }
    next.send(.ready(Launch()))
    next.wait(599)
    #expect(next.engine.state.isEnabled)
    next.wait(1)
    #expect(!next.engine.state.isEnabled)
  }

  @Test(arguments: [0.0, -1])
  func withoutALimitItGoesOn(minutes: Double) {
    var rig = Self.started()
    rig.wait(300)
    rig.reconfigure { $0.geolocation.stopAfterElapsedMinutes = minutes }
    rig.wait(3_600)
    #expect(rig.engine.state.isEnabled)
  }

  /// The limit before, the one after five minutes, and what is left then.
  @Test(arguments: [(10.0, 15.0, 600.0), (10, 6, 60), (0, 6, 60)])
  func anotherLimitCountsFromTheStart(before: Double, after: Double, left: Double) {
    var rig = Self.started(minutes: before)
    rig.wait(300)
    rig.reconfigure { $0.geolocation.stopAfterElapsedMinutes = after }
    rig.wait(left - 1)
    #expect(rig.engine.state.isEnabled)
    rig.wait(1)
    #expect(!rig.engine.state.isEnabled)
  }

  @Test func aLimitThatIsOverStopsAtOnce() {
    var rig = Self.started()
    rig.wait(300)
    rig.reconfigure { $0.geolocation.stopAfterElapsedMinutes = 5 }
    #expect(!rig.engine.state.isEnabled)
    rig.reconfigure { $0.geolocation.stopAfterElapsedMinutes = 6 }
    #expect(rig.take().outline.filter { $0 == "event enabledChange" }.count == 1, "it is off already")
  }

  /// Of five minutes two have passed.
  @Test(arguments: [(3.0, 60.0), (8, 360), (2, 0), (1, 0)])
  func anotherStopTimeoutCountsFromWhenItBegan(minutes: Double, left: Double) {
    var rig = EngineRig.driving()
    rig.act(.still)
    rig.wait(120)
    rig.reconfigure { $0.geolocation.stopTimeoutMinutes = minutes }
    if left > 0 {
      rig.wait(left - 1)
      #expect(rig.engine.state.isMoving)
      rig.wait(1)
    }
    #expect(!rig.engine.state.isMoving)
  }

  @Test func theCheckOfAndroidTakesTheNewTimeToo() {
    var rig = EngineRig.driving(.android) { $0.geolocation.useSignificantChangesOnly = true }
    rig.wait(600)
    rig.reconfigure { $0.geolocation.stopTimeoutMinutes = 30 }
    rig.wait(1_199)
    #expect(rig.engine.stationaryCheckDeadline != nil)
    rig.wait(2)
    #expect(rig.engine.stationaryCheckDeadline == nil)
  }
}
