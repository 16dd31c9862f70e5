import Base
import Contract
import Testing
import Vocabulary

@testable import Engine

/// SDK §19.
@Suite struct LaunchTests {
  private func enabled(isMoving: Bool = false, mode: TrackingMode = .location) -> EngineState {
    var state = EngineState()
    (state.isEnabled, state.isMoving, state.trackingMode) = (true, isMoving, mode)
    state.odometerMetres = 1_234
    return state
  }

  @Test func beforeReadyNothingHappens() {
    var rig = EngineRig(state: enabled())
    rig.act(.inVehicle)
    rig.drive(north: 100)
    rig.sample()
    rig.send(.stationaryRegionExit(nil))
    rig.send(.connectivity(.wifi))
    #expect(rig.take().isEmpty && rig.engine.nextDeadline == nil)
  }

  @Test func readyOfADisabledEngineOnlyFlushes() {
    var rig = EngineRig()
    rig.send(.ready(Launch()))
    #expect(rig.take() == [.flush(.ready)])
  }

  @Test(arguments: [false, true])
  func trackingResumesWithItsPace(isMoving: Bool) {
    var rig = EngineRig(state: enabled(isMoving: isMoving))
    rig.send(.ready(Launch()))
    rig.sample()
    let effects = rig.take()
    #expect(effects.motionChanges == [isMoving])
    #expect(!effects.events.contains(.enabledChange(isEnabled: true)), "nothing has changed")
    #expect(effects.persisted.map(\.record.odometer) == [1_234])
  }

  /// BGGeo 141: "at start time".
  @Test(arguments: [false, true])
  func aLaunchThatResumesTellsTheConnection(isConnected: Bool) {
    var rig = EngineRig(state: enabled(isMoving: false))
    rig.send(.connectivity(isConnected ? .wifi : .none))
    rig.send(.ready(Launch()))
    #expect(rig.take().events == [.connectivityChange(isConnected: isConnected)])
  }

  @Test func theProviderIsToldRightAfterReady() {
    let provider = ProviderState(
      isEnabled: true, authorizationStatus: 3, hasGPS: true, hasNetwork: true, accuracyAuthorization: 0)
    var rig = EngineRig()
    rig.send(.provider(provider))
    rig.send(.ready(Launch()))
    rig.send(.provider(provider))
    #expect(rig.take().events == [.providerChange(provider)])
  }

  @Test(arguments: [
    // Platform, stopOnTerminate, startOnBoot, after a reboot, whether tracking goes on.
    (DevicePlatform.ios, true, true, false, false), (.ios, false, false, false, true),
    (.ios, false, false, true, true), (.android, true, true, true, false), (.android, false, false, true, false),
    (.android, false, true, true, true), (.android, false, false, false, true),
  ])
  func aLaunchInTheBackgroundAsksTheConfiguration(
    platform: DevicePlatform, stopsOnTerminate: Bool, startsOnBoot: Bool, didReboot: Bool, goesOn: Bool
  ) {
    var rig = EngineRig(platform, state: enabled()) {
      $0.app.stopOnTerminate = stopsOnTerminate
      $0.app.startOnBoot = startsOnBoot
    }
    rig.send(.ready(Launch(isInBackground: true, didReboot: didReboot)))
    #expect(rig.engine.state.isEnabled == goesOn)
    rig.sample()
    let effects = rig.take()
    #expect(effects.motionChanges == (goesOn ? [false] : []))
    #expect(effects.events.contains(.enabledChange(isEnabled: false)) == !goesOn, "the state has changed")
  }

  @Test func aLaunchByTheUserAlwaysGoesOn() {
    var rig = EngineRig(.android, state: enabled())
    rig.send(.ready(Launch(didReboot: true)))
    #expect(rig.engine.state.isEnabled)
  }

  @Test func stopOnTerminateStops() {
    var rig = EngineRig.driving()
    rig.send(.terminate)
    #expect(!rig.engine.state.isEnabled)
    let effects = rig.take()
    #expect(effects.kinds.isEmpty && effects.demands.contains(.locationUpdates(nil)))
  }

  @Test func otherwiseIOSLeavesARegionThatStartsItAgain() throws {
    var rig = EngineRig.driving { $0.app.stopOnTerminate = false }
    rig.wait(20)
    rig.drive(north: 300)
    _ = rig.take()
    rig.send(.terminate)
    let regions = rig.take().demands.compactMap { if case .stationaryRegion(let circle) = $0 { circle } else { nil } }
    let region = try #require(regions.last)
    #expect(region.radiusMetres == 150 && abs(region.center.latitude - 45.5027) < 0.001)
    #expect(rig.engine.state.isEnabled)
    rig.drive(north: 900)
    #expect(rig.take().isEmpty, "no records in between")

    var next = EngineRig(state: rig.engine.state) { $0.app.stopOnTerminate = false }
    next.send(.ready(Launch(isInBackground: true)))
    next.send(.stationaryRegionExit(nil))
    next.sample(north: 600)
    #expect(next.take().motionChanges == [true])
  }

  @Test func androidGoesOnWithoutAUserInterface() {
    var rig = EngineRig.driving(.android) {
      $0.app.stopOnTerminate = false
      $0.app.enableHeadless = true
    }
    rig.send(.terminate)
    #expect(rig.take().events == [.terminate(rig.engine.state)])
    rig.wait(20)
    rig.drive(north: 300)
    #expect(rig.take().kinds == [.tracking])
  }

  @Test func waitingRequestsAreCancelledAtTheEnd() {
    var rig = EngineRig()
    rig.send(.ready(Launch()))
    rig.send(.call(.currentPosition(PositionRequest(id: 4))))
    rig.send(.terminate)
    guard case .failure(.cancelled)? = rig.take().answers[4] else {
      Issue.record("not cancelled")
      return
    }
    #expect(LocationError.cancelled.code == 499)
  }

  /// SDK §13.1: an error belongs to a request of the app.
  @Test(arguments: [false, true])
  func anAppThatAskedForNothingHearsOfNoErrorAtTheEnd(isSettling: Bool) {
    var rig = isSettling ? EngineRig() : EngineRig.resting()
    if isSettling {
      rig.send(.ready(Launch()))
      rig.send(.call(.start))
      _ = rig.take()
    }
    rig.send(.terminate)
    #expect(rig.take().events == [.enabledChange(isEnabled: false)])
  }

  @Test func stopLeavesNothingOn() {
    var rig = EngineRig.driving()
    rig.act(.still)
    rig.send(.call(.stop))
    let effects = rig.take()
    #expect(effects.kinds.isEmpty && effects.events.last == .enabledChange(isEnabled: false))
    #expect(rig.engine.nextDeadline == nil)
    let demands = rig.engine.demands
    #expect(demands.locationUpdates == nil && demands.stationaryRegion == nil && !demands.wantsActivity)
    #expect(!demands.wantsSignificantChanges && !demands.wantsBackgroundFetch && demands.samplingAccuracyMetres == nil)
    rig.drive(north: 500)
    rig.act(.inVehicle)
    #expect(rig.take().kinds.isEmpty)
  }

  @Test func startAndStopTwiceAreIgnored() {
    var rig = EngineRig.resting()
    rig.send(.call(.start))
    #expect(rig.take().isEmpty)
    rig.send(.call(.stop))
    _ = rig.take()
    rig.send(.call(.stop))
    #expect(rig.take().isEmpty)
  }

  @Test func trackingStopsAfterTheMinutesThatEachStartBegins() {
    var rig = EngineRig.resting { $0.geolocation.stopAfterElapsedMinutes = 10 }
    rig.wait(590)
    rig.send(.call(.stop))
    rig.send(.call(.start))
    rig.wait(599)
    #expect(rig.engine.state.isEnabled)
    rig.wait(1)
    #expect(!rig.engine.state.isEnabled)
  }
}
