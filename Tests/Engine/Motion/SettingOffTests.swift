import Base
import Contract
import Testing
import Vocabulary

@testable import Engine

/// SDK §12.4 and §12.5.
@Suite struct SettingOffTests {
  @Test func theTriggerTimerIsASecondLongerThanTheInterval() {
    var rig = EngineRig.resting()
    rig.wait(60)
    rig.act(.inVehicle)
    rig.wait(10.9)
    #expect(!rig.engine.isLookingForState)
    rig.wait(0.1)
    #expect(rig.engine.isLookingForState)
  }

  @Test(arguments: [33, 100])
  func anyStillCallsTheTriggerOff(confidence: Int) {
    var rig = EngineRig.resting()
    rig.wait(60)
    rig.act(.inVehicle)
    rig.wait(5)
    rig.act(.still, confidence)
    rig.wait(60)
    #expect(!rig.engine.isLookingForState && !rig.engine.state.isMoving)
  }

  @Test(arguments: [
    // Metres from the middle, speed, confidence, whether the rest is over.
    (151.0, 0.0, 100, true), (149, 0, 100, false), (83.9, 10.65, 100, true), (17, 0.5, 100, false),
    (83.9, 4.99, 100, false), (83.9, 10.65, 99, false), (83.9, 5, 100, true),
  ])
  func aLookDecides(metres: Double, speed: Double, confidence: Int, isOver: Bool) {
    var rig = EngineRig.resting()
    rig.wait(60)
    rig.act(.inVehicle, confidence)
    rig.wait(11)
    rig.sample(north: metres, speed: speed)
    #expect(rig.engine.state.isMoving == isOver)
  }

  @Test func aLookLeavesNoRecord() {
    var rig = EngineRig.resting()
    rig.wait(60)
    rig.act(.inVehicle)
    rig.wait(11)
    rig.sample(north: 17)
    #expect(rig.take().kinds.isEmpty)
    #expect(rig.engine.timers.isRunning(.motionTrigger), "restarts on each query")
  }

  @Test func aLookThatFindsNothingIsGivenUpAfterHalfAMinute() {
    var rig = EngineRig.resting()
    rig.wait(60)
    rig.act(.inVehicle)
    rig.wait(11 + 30)
    #expect(!rig.engine.isLookingForState && !rig.engine.state.isMoving)
  }

  @Test func androidWaitsTheDelayAndBelieves() {
    var rig = EngineRig.resting(.android) { $0.activity.motionTriggerDelayMilliseconds = 30_000 }
    rig.wait(60)
    rig.act(.onFoot)
    rig.wait(29.9)
    #expect(!rig.engine.state.isMoving)
    rig.wait(0.1)
    #expect(rig.engine.state.isMoving)
  }

  @Test func androidDoesNotWaitByDefault() {
    var rig = EngineRig.resting(.android)
    rig.wait(60)
    rig.act(.onFoot)
    rig.wait(0)
    #expect(rig.engine.state.isMoving)
  }

  @Test func onlyListedActivitiesTrigger() {
    var rig = EngineRig.resting { $0.activity.triggerActivities = "in_vehicle,on_bicycle" }
    rig.wait(60)
    rig.act(.onFoot)
    rig.wait(60)
    #expect(!rig.engine.isLookingForState)
    rig.send(.stationaryRegionExit(nil))
    #expect(!rig.engine.state.isMoving, "the exit is denied to a walker")
    rig.act(.onBicycle)
    rig.send(.stationaryRegionExit(nil))
    #expect(rig.engine.state.isMoving)
  }

  @Test(arguments: [(DevicePlatform.ios, 25.0, 150.0), (.ios, 400, 400), (.android, 150, 150), (.android, 25, 150)])
  func theRegionIsNeverSmallerThan150Metres(platform: DevicePlatform, configured: Double, radius: Double) {
    var rig = EngineRig(platform) { $0.geolocation.stationaryRadiusMetres = configured }
    rig.send(.ready(Launch()))
    rig.send(.call(.start))
    rig.sample()
    let regions = rig.take().demands.compactMap { if case .stationaryRegion(let circle) = $0 { circle } else { nil } }
    #expect(regions.last?.radiusMetres == radius)
  }

  @Test func anExitNeedsNoLook() {
    var rig = EngineRig.resting()
    rig.wait(60)
    rig.send(.stationaryRegionExit(nil))
    #expect(rig.engine.state.isMoving)
  }

  @Test func androidVerifiesTheExit() {
    var rig = EngineRig.resting(.android)
    rig.wait(60)
    rig.send(.stationaryRegionExit(rig.fix(north: 180, accuracy: 40)))
    #expect(!rig.engine.state.isMoving, "180 m less 40 m is within the region")
    rig.send(.stationaryRegionExit(rig.fix(north: 400, accuracy: 120)))
    #expect(!rig.engine.state.isMoving, "worse than what may become a record")
    rig.send(.stationaryRegionExit(rig.fix(north: 180, accuracy: 20)))
    #expect(rig.engine.state.isMoving)
  }

  @Test func aMissedExitIsRepairedBySignificantChanges() {
    var rig = EngineRig.resting()
    rig.wait(600)
    rig.send(.significantChange(rig.fix(north: 120, accuracy: 800)))
    #expect(!rig.engine.state.isMoving)
    rig.send(.significantChange(rig.fix(north: 700, accuracy: 800)))
    #expect(rig.engine.state.isMoving)
  }

  @Test func aMissedExitIsRepairedByTheNextPosition() {
    var rig = EngineRig.resting()
    rig.wait(600)
    rig.drive(north: 160, accuracy: 20)
    #expect(!rig.engine.state.isMoving, "160 m less 20 m is within the region")
    rig.wait(1)
    rig.drive(north: 171, accuracy: 20)
    #expect(rig.engine.state.isMoving)
  }

  @Test func anExitOfAMovingDeviceMeansNothing() {
    var rig = EngineRig.driving()
    rig.send(.stationaryRegionExit(nil))
    #expect(rig.take().isEmpty)
  }

  @Test func aMotionChangeIsTriedThreeTimesMore() {
    var rig = EngineRig.resting()
    rig.wait(60)
    rig.send(.call(.changePace(isMoving: true)))
    rig.wait(239)
    #expect(rig.engine.isSettling)
    rig.wait(1)
    #expect(!rig.engine.isSettling)
    let effects = rig.take()
    let failures = effects.events.filter { $0 == .locationError(.timeout) }
    #expect(failures.count == 4)
    #expect(effects.kinds.isEmpty)
    rig.drive(north: 300)
    #expect(rig.take().kinds == [.tracking], "tracking begins without the record of the change")
  }

  /// SDK §13.2: five seconds. A phone that has seen no satellite since yesterday hands over where it was then.
  @Test(arguments: [DevicePlatform.ios, .android])
  func aPositionOfYesterdayIsNoMotionChange(platform: DevicePlatform) {
    var rig = EngineRig.resting(platform)
    rig.send(.call(.stop))
    rig.sleepThrough(118_860)
    _ = rig.take()
    rig.send(.call(.start))
    for _ in 0..<5 { rig.sample(ageSeconds: 118_860) }
    rig.wait(240)
    let effects = rig.take()
    #expect(effects.kinds.isEmpty && effects.motionChanges.isEmpty)
    #expect(effects.events.filter { $0 == .locationError(.timeout) }.count == 4)
    #expect(rig.engine.state.isEnabled && rig.engine.demands.stationaryRegion == nil)
    rig.send(.significantChange(rig.fix(accuracy: 900)))
    rig.sample(accuracy: 30)
    rig.wait(60)
    #expect(rig.take().kinds == [.motionChange], "the next sign of life finds where it rests, coarse or not")
  }

  @Test func aRestWithoutRegionIsSettledByTheNextSignOfLife() {
    var rig = EngineRig.driving()
    rig.wait(60)
    rig.send(.call(.changePace(isMoving: false)))
    rig.wait(240)
    _ = rig.take()
    rig.send(.significantChange(rig.fix(north: 500, accuracy: 900)))
    #expect(rig.engine.isSettling && !rig.engine.state.isMoving)
    rig.sample(north: 500)
    #expect(rig.take().motionChanges == [false])
  }

  @Test func changePaceIsIgnoredWhileDisabled() {
    var rig = EngineRig()
    rig.send(.ready(Launch()))
    _ = rig.take()
    rig.send(.call(.changePace(isMoving: true)))
    #expect(rig.take().isEmpty && !rig.engine.state.isMoving)
  }

  @Test func changePaceCallsOffAChangeThatIsStillLooking() {
    var rig = EngineRig.resting()
    rig.wait(60)
    rig.send(.call(.changePace(isMoving: true)))
    rig.send(.call(.changePace(isMoving: false)))
    rig.sample()
    #expect(rig.take().motionChanges == [false])
  }

  @Test func isMovingInTheConfigurationStartsOnTheWay() {
    var rig = EngineRig { $0.isMoving = true }
    rig.send(.ready(Launch()))
    rig.send(.call(.start))
    rig.sample()
    #expect(rig.take().motionChanges == [true])
  }

  @Test func significantChangeModeNeverStreams() {
    var rig = EngineRig.driving { $0.geolocation.useSignificantChangesOnly = true }
    #expect(rig.engine.demands.locationUpdates == nil && rig.engine.demands.wantsSignificantChanges)
    rig.wait(300)
    rig.send(.significantChange(rig.fix(north: 900, accuracy: 60)))
    #expect(rig.take().kinds == [.tracking])
  }
}
