import Base
import Contract
import Testing
import Vocabulary

@testable import Engine

/// What changes around a device takes effect at once (SDK §1, §6, §8.5, §19.5).
@Suite struct ChangesTests {
  private func provider(_ status: Int) -> ProviderState {
    ProviderState(
      isEnabled: true, authorizationStatus: status, hasGPS: true, hasNetwork: true, accuracyAuthorization: 0)
  }

  @Test func connectivityIsToldAndFlushesWhenItComesBack() {
    var rig = EngineRig.resting()
    rig.send(.connectivity(.wifi))
    #expect(rig.take() == [.event(.connectivityChange(isConnected: true)), .flush(.connectivity)])
    rig.send(.connectivity(.cellular))
    #expect(rig.take().isEmpty)
    rig.send(.connectivity(.none))
    #expect(rig.take() == [.event(.connectivityChange(isConnected: false))])
  }

  @Test func theAppsStateFlushes() {
    var rig = EngineRig.resting()
    rig.send(.background)
    rig.send(.foreground)
    rig.send(.backgroundFetch)
    #expect(rig.take().flushes == [.appPause, .appResume, .backgroundFetch])
  }

  @Test func powerSaveIsToldOnce() {
    var rig = EngineRig.resting()
    rig.send(.powerSave(true))
    rig.send(.powerSave(true))
    #expect(rig.take() == [.event(.powerSaveChange(isPowerSaving: true))])
  }

  /// LocationEvent 74: the activity "at the time this location was recorded", and a report after the start is a new one (BGGeo 103).
  @Test(arguments: DevicePlatform.allCases)
  func anActivityFromBeforeAStopIsNoneOfTheTimeAfterIt(platform: DevicePlatform) {
    var rig = EngineRig.resting(platform)
    rig.act(.inVehicle)
    rig.send(.call(.stop))
    rig.wait(7_200)
    rig.send(.call(.start))
    _ = rig.take()
    rig.sample()
    #expect(rig.take().persisted.map(\.record.activity) == [Activity(.unknown, confidence: 0)])
    rig.act(.inVehicle)
    #expect(rig.take().events == [.activityChange(Activity(.inVehicle, confidence: 100))])
    rig.wait(12)
    rig.sample(north: 300)
    #expect(rig.engine.state.isMoving)
  }

  /// BGGeo 103 "a new activity", 107 "always reports 100": on Android a confidence makes none; a record says it all the same.
  @Test(arguments: [(DevicePlatform.ios, 4), (.android, 2)])
  func anActivityIsToldWhenItIsNewToTheApp(platform: DevicePlatform, count: Int) throws {
    var rig = EngineRig.resting(platform)
    for confidence in [88, 93, 93, 100] { rig.act(.still, confidence) }
    rig.send(.call(.currentPosition(PositionRequest(id: 1))))
    rig.sample()
    rig.act(.onFoot, 10)
    let effects = rig.take()
    #expect(effects.events.count { if case .activityChange = $0 { true } else { false } } == count)
    #expect(effects.persisted.first?.record.activity == Activity(.still, confidence: 100))
  }

  @Test func onlyAndroidRecordsAChangeOfProvider() {
    for (platform, kinds) in [(DevicePlatform.ios, [RecordKind]()), (.android, [.current])] {
      var rig = EngineRig.resting(platform)
      rig.wait(60)
      rig.send(.provider(provider(4)))
      rig.sample()
      let effects = rig.take()
      #expect(effects.kinds == kinds)
      #expect(effects.persisted.allSatisfy { $0.record.event == .providerchange && $0.record.provider == provider(4) })
      #expect(effects.events.contains(.providerChange(provider(4))))
    }
  }

  @Test func theRecordCanBeDisabledAndNeedsPermission() {
    var rig = EngineRig.resting(.android) { $0.persistence.disableProviderChangeRecord = true }
    rig.send(.provider(provider(4)))
    rig.sample()
    #expect(rig.take().kinds.isEmpty)
    var denied = EngineRig.resting(.android)
    denied.send(.provider(provider(2)))
    denied.sample()
    #expect(denied.take().kinds.isEmpty)
  }

  @Test func androidRefusesToSetOffInTheBackgroundWithWhenInUse() {
    for (platform, isMoving) in [(DevicePlatform.ios, true), (.android, false)] {
      var rig = EngineRig.resting(platform)
      rig.send(.provider(provider(4)))
      rig.send(.background)
      rig.send(.call(.changePace(isMoving: true)))
      #expect(rig.engine.state.isMoving == isMoving)
      #expect(rig.take().events.contains(.locationError(.backgroundWithWhenInUse)) == !isMoving)
    }
  }

  @Test func aNewDistanceFilterIsDemandedAtOnce() throws {
    var rig = EngineRig.driving()
    rig.reconfigure { $0.geolocation.distanceFilterMetres = 100 }
    guard case .locationUpdates(let updates?)? = rig.take().demands.last else {
      Issue.record("no demand")
      return
    }
    #expect(updates.distanceFilterMetres == 100)
  }

  @Test func elasticityFollowsTheSpeed() {
    var rig = EngineRig.driving { $0.geolocation.distanceFilterMetres = 50 }
    var wanted: [Double] = []
    for (step, speed) in [1.85, 6.89, 7.61, 12.55, 0].enumerated() {
      rig.wait(60)
      rig.drive(north: Double(step + 1) * 200, speed: speed)
      wanted.append(rig.engine.demands.locationUpdates?.distanceFilterMetres ?? -1)
    }
    #expect(wanted == [50, 100, 150, 200, 50])
  }

  /// As observed, the odometer goes by that distance already: what is longer than three of them does not count.
  @Test(arguments: [(0.0, 50.0, 0.0), (6, 100, 200)])
  func aTripBeginsWithThePlainDistanceOrThatOfItsFirstSpeed(speed: Double, distance: Double, counted: Double) throws {
    for (quirks, expected) in [(EngineQuirks.documented, (50.0, 200.0)), (.observed, (distance, counted))] {
      var rig = EngineRig(quirks: quirks) {
        $0.geolocation.distanceFilterMetres = 50
        $0.geolocation.filter.odometerUseKalmanFilter = false
        $0.geolocation.filter.odometerPolicy = .conservative
      }
      rig.send(.ready(Launch()))
      rig.send(.call(.start))
      rig.sample()
      rig.send(.call(.changePace(isMoving: true)))
      for metres in stride(from: 210.0, through: 1_050, by: 210) {
        rig.wait(60)
        rig.drive(north: metres, speed: 15)
      }
      rig.send(.call(.changePace(isMoving: false)))
      rig.sample(north: 1_050, speed: 6)
      rig.wait(60)
      let before = rig.engine.odometer.metres
      rig.send(.stationaryRegionExit(nil))
      rig.sample(north: 1_250, speed: speed)
      #expect(rig.engine.demands.locationUpdates?.distanceFilterMetres == expected.0)
      #expect(abs(rig.engine.odometer.metres - before - expected.1) < 1)
    }
  }

  @Test func urlAndAutoSyncFlush() {
    var rig = EngineRig.resting()
    rig.reconfigure { $0.http.url = "http://localhost/l" }
    #expect(rig.take().flushes == [.configuration])
    rig.reconfigure { $0.http.autoSync = false }
    #expect(rig.take().flushes == [.configuration])
  }

  @Test func aNewStationaryRadiusResizesTheRegion() {
    var rig = EngineRig.resting()
    rig.reconfigure { $0.geolocation.stationaryRadiusMetres = 500 }
    #expect(rig.engine.demands.stationaryRegion?.radiusMetres == 500)
  }

  @Test func commandsAreCalls() {
    #expect(EngineCall(.start) == .start)
    #expect(EngineCall(.stop) == .stop)
    #expect(EngineCall(.startGeofences) == .startGeofences)
    #expect(EngineCall(.changePace(isMoving: true)) == .changePace(isMoving: true))
    #expect(EngineCall(.startSchedule) == .startSchedule)
    #expect(EngineCall(.stopSchedule) == .stopSchedule)
    #expect(EngineCall(.removeGeofence(identifier: "a")) == .removeGeofences(identifiers: ["a"]))
    #expect(EngineCall(.removeGeofences(identifiers: nil)) == .removeGeofences(identifiers: nil))
    #expect(EngineCall(.resetOdometer) == .setOdometer(metres: 0, .odometer(id: nil)))
    #expect(EngineCall(.destroyLog) == nil && EngineCall(.ban(message: nil)) == nil)
    #expect(EngineCall(.uploadLog(url: "x")) == nil)
  }

  @Test func setOdometerCountsAtOnceAndItsRecordSaysIt() {
    var rig = EngineRig.driving()
    rig.wait(60)
    rig.drive(north: 500)
    _ = rig.take()
    rig.send(.call(EngineCall(.setOdometer(metres: 10)) ?? .stop))
    #expect(rig.engine.state.odometerMetres == 10 && rig.engine.state.odometerErrorMetres == 0)
    let records = rig.take().persisted
    #expect(records.map(\.kind) == [.odometer] && records.map(\.record.odometer) == [10])
  }

  /// The way between a reset of a device that is off and its start was not watched (SDK §17.7).
  @Test(arguments: [true, false])
  func theWayFromAResetToTheStartDoesNotCount(isOff: Bool) {
    var rig = EngineRig.driving()
    rig.wait(60)
    rig.drive(north: 500)
    if isOff { rig.send(.call(.stop)) }
    rig.send(.call(EngineCall(.resetOdometer) ?? .stop))
    rig.sample(north: 500)
    rig.wait(60)
    if isOff { rig.send(.call(.start)) }
    rig.sample(north: 1_500)
    rig.drive(north: 1_500)
    let metres = rig.engine.odometer.metres
    #expect(isOff ? metres < 100 : metres > 300, "\(metres)")
  }

  /// Where no new position comes, its record says the last known place, which may be one from long before (SDK §13.1.4,
  /// §17.7).
  @Test(arguments: [EngineQuirks.documented, .observed])
  func theWayBeforeAResetWithoutAPositionDoesNotCount(quirks: EngineQuirks) {
    var rig = EngineRig.driving(quirks: quirks)
    rig.wait(60)
    rig.drive(north: 500)
    rig.wait(60)
    rig.send(.call(EngineCall(.resetOdometer) ?? .stop))
    rig.wait(20)
    #expect(rig.take().kinds.contains(.odometer))
    rig.drive(north: 1_500)
    #expect(rig.engine.odometer.metres == 0)
    rig.wait(10)
    rig.drive(north: 1_600)
    #expect(abs(rig.engine.odometer.metres - 100) < 20)
  }

  /// An SDK that is not running tells nothing of positions that it has not asked for.
  @Test func aPlatformWithoutPositionsIsToldWhileTracking() {
    var rig = EngineRig.resting()
    rig.send(.locationFailed(.permissionDenied))
    #expect(rig.take().events.contains(.locationError(.permissionDenied)))
    rig.send(.call(.stop))
    _ = rig.take()
    rig.send(.locationFailed(.permissionDenied))
    #expect(!rig.take().events.contains(.locationError(.permissionDenied)))
  }
}
