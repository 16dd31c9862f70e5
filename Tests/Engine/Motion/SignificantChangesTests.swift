import Base
import Contract
import Testing
import Vocabulary

@testable import Engine

/// SDK §12.7: Android with `useSignificantChangesOnly`.
@Suite struct SignificantChangesTests {
  private func resting(configure: @escaping (inout Configuration) -> Void = { _ in }) -> EngineRig {
    .resting(.android) {
      $0.geolocation.useSignificantChangesOnly = true
      configure(&$0)
    }
  }

  private func travelling() -> EngineRig {
    var rig = resting()
    rig.send(.stationaryRegionExit(nil))
    rig.sample(north: 400)
    _ = rig.take()
    return rig
  }

  private func change(_ rig: inout EngineRig, north metres: Double, accuracy: Double = 15) {
    rig.send(.significantChange(rig.fix(north: metres, accuracy: accuracy)))
  }

  @Test func thePlatformIsAskedForNoStreamAndNoActivities() {
    let rig = travelling()
    #expect(rig.engine.demands.locationUpdates == nil && !rig.engine.demands.wantsActivity)
    #expect(rig.engine.demands.wantsSignificantChanges)
    #expect(rig.engine.demands.proximityRegion?.radiusMetres == 250)
  }

  @Test func aPositionAtRestIsARecordAndNoTrip() {
    var rig = resting()
    rig.wait(600)
    change(&rig, north: 420)
    let said = rig.take()
    #expect(said.kinds == [.tracking] && said.persisted.allSatisfy { !$0.record.isMoving })
    #expect(!rig.engine.state.isMoving)
  }

  @Test func theExitFromTheStationaryRegionBeginsATripWithTheFirstPosition() {
    var rig = resting()
    rig.wait(600)
    rig.send(.stationaryRegionExit(nil))
    rig.sample(north: 420, accuracy: 90)
    let said = rig.take()
    #expect(said.kinds == [.motionChange] && said.motionChanges == [true])
  }

  /// The mode has no activities, so that most settings of motion have no effect, `triggerActivities` neither.
  @Test func theExitBeginsATripWhateverActivitiesMayBeginOne() {
    var rig = resting { $0.activity.triggerActivities = "in_vehicle,on_foot" }
    rig.wait(600)
    rig.send(.stationaryRegionExit(nil))
    rig.sample(north: 420)
    #expect(rig.take().motionChanges == [true])
  }

  @Test func anActivityChangesNothing() {
    var rig = resting()
    rig.act(.inVehicle)
    rig.wait(600)
    #expect(!rig.engine.state.isMoving)
    rig = travelling()
    rig.act(.still)
    #expect(!rig.engine.timers.isRunning(.stopTimeout))
  }

  @Test func positionsOnTheWayAreRecordsHoweverNear() {
    var rig = travelling()
    rig.wait(60)
    change(&rig, north: 500)
    rig.wait(60)
    change(&rig, north: 540)
    #expect(rig.take().kinds == [.tracking, .tracking])
  }

  @Test func theSamePlaceOnceMoreIsNoise() {
    var rig = travelling()
    rig.wait(60)
    change(&rig, north: 800)
    rig.wait(60)
    change(&rig, north: 800, accuracy: 5)
    #expect(rig.take().kinds == [.tracking])
  }

  @Test func overlappingCirclesAreNoiseUnlessTheNewOneIsBetter() {
    var rig = travelling()
    rig.wait(60)
    change(&rig, north: 800, accuracy: 20)
    rig.wait(60)
    change(&rig, north: 830, accuracy: 20)
    #expect(rig.take().kinds == [.tracking], "30 m apart, 40 m of doubt")
    change(&rig, north: 831, accuracy: 15)
    #expect(rig.take().kinds == [.tracking])
  }

  @Test func aLeapIsRejectedWhateverThePolicy() {
    var rig = resting { $0.geolocation.filter.policy = .passThrough }
    rig.wait(60)
    change(&rig, north: 1_000)
    rig.wait(5)
    change(&rig, north: 5_000)
    #expect(rig.take().kinds == [.tracking])
  }

  @Test func leavingTheMovingGeofenceIsARecordAndMovesItAlong() {
    var rig = travelling()
    rig.wait(70)
    let fix = rig.fix(north: 700, accuracy: 11)
    rig.send(.geofenceCrossing(identifier: "none", isEntry: false, fix))
    rig.send(.proximityRegionExit(fix))
    let said = rig.take()
    #expect(said.kinds == [.tracking])
    #expect(rig.engine.demands.proximityRegion?.center == Coordinate(fix))
  }

  @Test func anExitFromTheMovingGeofenceThatComesAtRestIsLate() {
    var rig = resting()
    rig.send(.proximityRegionExit(rig.fix(north: 700)))
    #expect(rig.take().kinds.isEmpty)
  }

  @Test func aPositionOfAnotherAppIsNoRecordButTheGeofenceMovesAlong() {
    var rig = travelling()
    rig.send(.passive(rig.fix(north: 520)))
    #expect(rig.engine.demands.proximityRegion?.center == Coordinate(rig.fix(north: 400)), "120 m of 250")
    rig.send(.passive(rig.fix(north: 530)))
    #expect(rig.engine.demands.proximityRegion?.center == Coordinate(rig.fix(north: 530)))
    #expect(rig.take().kinds.isEmpty)
  }

  @Test func twentyMinutesWithinTheStationaryRadiusEndATrip() {
    var rig = travelling()
    rig.wait(600)
    change(&rig, north: 500)
    rig.wait(599)
    #expect(rig.take().kinds == [.tracking], "100 m are within the radius")
    rig.wait(1)
    rig.sample(north: 502, accuracy: 40)
    let said = rig.take()
    #expect(said.kinds == [.motionChange] && said.motionChanges == [false])
    #expect(rig.engine.demands.proximityRegion == nil && rig.engine.demands.stationaryRegion != nil)
  }

  @Test func everyPositionBeyondTheRadiusPutsTheCheckOff() {
    var rig = travelling()
    rig.wait(1_000)
    rig.send(.geofenceCrossing(identifier: "none", isEntry: true, rig.fix(north: 560)))
    rig.wait(1_199)
    #expect(rig.engine.requests.isEmpty && rig.engine.state.isMoving)
    rig.wait(1)
    #expect(rig.engine.requests.count == 1)
  }

  @Test func aMoveWhileTheCheckLooksForAPositionCallsItOff() {
    var rig = travelling()
    rig.wait(1_200)
    change(&rig, north: 900)
    rig.sample(north: 900)
    #expect(rig.engine.state.isMoving && rig.engine.timers.isRunning(.stationaryCheck))
  }

  @Test func aCheckThatFindsNoPositionIsRepeated() {
    var rig = travelling()
    rig.wait(1_200)
    rig.send(.locationFailed(.noFix))
    #expect(rig.engine.state.isMoving && rig.engine.requests.isEmpty)
    rig.wait(1_200)
    rig.sample(north: 400)
    #expect(!rig.engine.state.isMoving)
  }

  @Test(arguments: [(5.0, 1_200.0), (0, 0), (30, 1_800)])
  func theStopTimeoutHasAFloorButIsHonouredAtZero(minutes: Double, seconds: Double) {
    var rig = resting { $0.geolocation.stopTimeoutMinutes = minutes }
    rig.send(.stationaryRegionExit(nil))
    #expect(rig.engine.timers.deadline(of: .stationaryCheck) == rig.now.monotonic + Nanoseconds(seconds: seconds))
  }

  @Test func aCrossingIsRecordedWithThePositionThatShowedIt() {
    var rig = EngineRig(.android) { $0.geolocation.useSignificantChangesOnly = true }
    rig.send(.ready(Launch()))
    rig.send(.call(.start))
    rig.sample()
    rig.send(.call(.addGeofences([.circle("home", north: 1_000)])))
    _ = rig.take()
    rig.wait(60)
    let fix = rig.fix(north: 990, accuracy: 25)
    rig.send(.geofenceCrossing(identifier: "home", isEntry: true, fix))
    let said = rig.take()
    #expect(said.kinds == [.geofence] && said.persisted.map(\.record.coords) == [fix.coords])
  }

  @Test func anExitOfAFenceThatWasNeverEnteredIsSpuriousAtRest() {
    var rig = EngineRig(.android) { $0.geolocation.useSignificantChangesOnly = true }
    rig.send(.ready(Launch()))
    rig.send(.call(.start))
    rig.sample()
    rig.send(.call(.addGeofences([.circle("way", north: 1_000)])))
    rig.wait(600)
    change(&rig, north: 2_000)
    _ = rig.take()
    rig.send(.geofenceCrossing(identifier: "way", isEntry: false, rig.fix(north: 2_000)))
    #expect(rig.take().kinds.isEmpty)
    rig.send(.stationaryRegionExit(nil))
    rig.sample(north: 0)
    _ = rig.take()
    rig.send(.geofenceCrossing(identifier: "way", isEntry: false, rig.fix(north: 2_000)))
    #expect(rig.take().kinds == [.geofence, .geofence], "on the way it was passed")
  }

  @Test(arguments: [true, false]) func aLaunchInTheBackgroundGoesOnWithoutARecord(isMoving: Bool) {
    var state = EngineState()
    (state.isEnabled, state.isMoving) = (true, isMoving)
    state.stationaryPlace = Coordinate(latitude: 45.5, longitude: -116.3)
    var rig = EngineRig(.android, state: state) {
      $0.geolocation.useSignificantChangesOnly = true
      $0.app.stopOnTerminate = false
    }
    rig.send(.ready(Launch(isInBackground: true)))
    #expect(rig.take().kinds.isEmpty && rig.engine.requests.isEmpty)
    change(&rig, north: 5_000)
    #expect(rig.take().persisted.map(\.record.isMoving) == [isMoving])
    #expect(rig.engine.timers.isRunning(.stationaryCheck) == isMoving)
    #expect((rig.engine.demands.stationaryRegion == nil) == isMoving)
  }

  @Test func theModeMayChangeOnTheWay() {
    var rig = EngineRig.driving(.android)
    rig.drive(north: 100)
    rig.reconfigure { $0.geolocation.useSignificantChangesOnly = true }
    #expect(rig.engine.demands.locationUpdates == nil && rig.engine.demands.proximityRegion != nil)
    #expect(rig.engine.timers.isRunning(.stationaryCheck))
    rig.reconfigure { $0.geolocation.useSignificantChangesOnly = false }
    #expect(rig.engine.demands.locationUpdates != nil && rig.engine.demands.proximityRegion == nil)
    #expect(!rig.engine.timers.isRunning(.stationaryCheck) && rig.engine.demands.wantsActivity)
  }
}

extension Geofence {
  fileprivate static func circle(_ identifier: String, north metres: Double) -> Geofence {
    Geofence(
      identifier: identifier,
      shape: .circle(center: .init(latitude: 45.5 + metres / 111_147, longitude: -116.3), radiusMetres: 150))
  }
}
