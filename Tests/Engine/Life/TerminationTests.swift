import Base
import Contract
import Testing
import Vocabulary

@testable import Engine

/// SDK §19.2 and §19.3: what the end of an app leaves, and what the next launch makes of it.
@Suite struct TerminationTests {
  @Test(arguments: DevicePlatform.allCases, [false, true])
  func theUserClosesTheApp(platform: DevicePlatform, stopsOnTerminate: Bool) {
    var rig = EngineRig.driving(platform) { $0.app.stopOnTerminate = stopsOnTerminate }
    rig.wait(20)
    rig.drive(north: 300)
    _ = rig.take()
    rig.send(.terminate)
    let goesOn = platform == .android && !stopsOnTerminate
    #expect(rig.engine.state.isEnabled == !stopsOnTerminate && rig.engine.isHeadless == goesOn)
    #expect(rig.take().events == (stopsOnTerminate ? [.enabledChange(isEnabled: false)] : []))
    rig.wait(20)
    rig.drive(north: 600)
    #expect(rig.take().kinds == (goesOn ? [.tracking] : []))

    var next = EngineRig(platform, state: rig.engine.state) { $0.app.stopOnTerminate = stopsOnTerminate }
    next.send(.ready(Launch()))
    next.sample(north: 600)
    #expect(next.take().motionChanges == (stopsOnTerminate ? [] : [true]))
  }

  @Test func anAppThatIsOpenedAgainOverItsServiceIsToldHowThingsAreAndNothingBegins() {
    let provider = ProviderState(
      isEnabled: true, authorizationStatus: 3, hasGPS: true, hasNetwork: true, accuracyAuthorization: 0)
    var rig = EngineRig.driving(.android) { $0.app.stopOnTerminate = false }
    rig.send(.provider(provider))
    rig.sample()
    rig.send(.terminate)
    _ = rig.take()
    rig.send(.ready(Launch()))
    #expect(
      rig.take() == [
        .event(.providerChange(provider)), .event(.connectivityChange(isConnected: false)), .flush(.ready),
      ])
    #expect(!rig.engine.isHeadless && rig.engine.state.isMoving)
  }

  @Test func aServiceLooksOnForThePositionOfAMotionChangeAndNotForTheApp() {
    var rig = EngineRig(.android) { $0.app.stopOnTerminate = false }
    rig.send(.ready(Launch()))
    rig.send(.call(.start))
    rig.send(.call(.currentPosition(PositionRequest(id: 4))))
    rig.send(.terminate)
    #expect(rig.take().answers.count == 1)
    rig.sample()
    #expect(rig.take().motionChanges == [false])
  }

  @Test func withoutTrackingAndScheduleNoServiceGoesOn() {
    var rig = EngineRig(.android) { $0.app.stopOnTerminate = false }
    rig.send(.ready(Launch()))
    rig.send(.terminate)
    #expect(!rig.engine.isHeadless)
  }

  /// SDK §12.5: a missed exit is repaired by the first position.
  @Test(arguments: [
    (DevicePlatform.ios, true, 260.0, true), (.ios, true, 100, false), (.ios, false, 260, false),
    (.android, true, 260, false),
  ])
  func aLaunchInTheBackgroundFarFromTheLastRestSetsOff(
    platform: DevicePlatform, isInBackground: Bool, metres: Double, setsOff: Bool
  ) {
    var state = EngineState()
    state.isEnabled = true
    state.stationaryPlace = Coordinate(latitude: 45.5, longitude: -116.3)
    var rig = EngineRig(platform, state: state) { $0.app.stopOnTerminate = false }
    rig.send(.ready(Launch(isInBackground: isInBackground)))
    rig.sample(north: metres)
    #expect(rig.take().motionChanges == [setsOff])
    // The rest of before counts once.
    rig.send(.call(.stop))
    rig.wait(60)
    rig.send(.call(.start))
    rig.sample(north: 5_000)
    #expect(rig.take().motionChanges == [false])
  }

  /// SDK §12.5: the process that found no position leaves the place of the rest to the next one.
  @Test func aLaunchThatFoundNoPositionForgetsNoRest() {
    var state = EngineState()
    state.isEnabled = true
    state.stationaryPlace = Coordinate(latitude: 45.5, longitude: -116.3)
    var first = EngineRig(.ios, state: state) { $0.app.stopOnTerminate = false }
    first.send(.ready(Launch(isInBackground: true)))
    var second = EngineRig(.ios, state: first.engine.state) { $0.app.stopOnTerminate = false }
    second.send(.ready(Launch(isInBackground: true)))
    second.sample(north: 260)
    #expect(second.take().motionChanges == [true])
  }

  @Test func aRefusedLaunchTakesBackWhatTheSystemWatches() {
    var state = EngineState()
    state.isEnabled = true
    var rig = EngineRig(state: state)
    rig.send(.ready(Launch(isInBackground: true)))
    let demands = rig.take().demands
    #expect(demands.contains(.stationaryRegion(nil)) && demands.contains(.significantChanges(isOn: false)))
    #expect(demands.contains(.backgroundFetch(isOn: false)))
  }

  @Test func theRegionOfAnEarlierProcessIsTakenBackWhenTheDeviceMoves() {
    var state = EngineState()
    (state.isEnabled, state.isMoving) = (true, true)
    var rig = EngineRig(state: state) { $0.app.stopOnTerminate = false }
    rig.send(.ready(Launch(isInBackground: true)))
    rig.sample()
    #expect(rig.take().demands.contains(.stationaryRegion(nil)))
  }

  @Test func regionsLeftWithTheSystemFollowFromTheState() throws {
    var rig = EngineRig.driving { $0.app.stopOnTerminate = false }
    rig.wait(20)
    rig.drive(north: 300)
    rig.send(.terminate)
    let next = EngineRig(state: rig.engine.state)
    guard case .stationaryRegion(let region)? = next.engine.leftWithSystem.first else {
      Issue.record("no region")
      return
    }
    #expect(region?.center == rig.engine.state.stationaryPlace && region?.radiusMetres == 150)
    #expect(EngineRig().engine.leftWithSystem.isEmpty)
  }
}
