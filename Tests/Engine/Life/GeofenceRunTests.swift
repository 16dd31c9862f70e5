import Base
import Contract
import Testing
import Vocabulary

@testable import Engine

/// SDK §15, as far as it takes more than the book of fences.
@Suite struct GeofenceRunTests {
  private func fence(_ identifier: String = "home", north metres: Double = 1_000) -> Geofence {
    Geofence(
      identifier: identifier,
      shape: .circle(center: .init(latitude: 45.5 + metres / 111_147, longitude: -116.3), radiusMetres: 200))
  }

  private func actions(_ effects: [Effect]) -> [String] {
    effects.persisted.compactMap { $0.record.geofence.map { "\($0.identifier) \($0.action.rawValue)" } }
  }

  @Test func aCrossingWaitsForAGoodPosition() throws {
    var rig = EngineRig.resting()
    rig.send(.call(.addGeofences([fence()])))
    _ = rig.take()
    rig.wait(60)
    let crossing = rig.now.wall
    rig.send(.geofenceCrossing(identifier: "home", isEntry: true, nil))
    #expect(rig.take().kinds.isEmpty)
    rig.wait(2)
    rig.sample(north: 900, accuracy: 30)
    rig.wait(1)
    rig.sample(north: 910, accuracy: 8)
    let effects = rig.take()
    let record = try #require(effects.persisted.first?.record)
    #expect(actions(effects) == ["home ENTER"] && record.event == .geofence)
    #expect(record.geofence?.timestamp == crossing && record.timestamp == rig.now.wall)
    #expect(effects.flushes.first == .insert)
  }

  /// The exit comes with a position, which the entry still waits for.
  @Test(arguments: DevicePlatform.allCases)
  func anExitWaitsForTheRecordOfItsEntry(platform: DevicePlatform) {
    var rig = EngineRig.resting(platform)
    rig.send(.call(.addGeofences([fence()])))
    rig.wait(60)
    rig.send(.geofenceCrossing(identifier: "home", isEntry: true, nil))
    rig.send(.geofenceCrossing(identifier: "home", isEntry: false, rig.fix(north: 700)))
    rig.wait(1)
    rig.sample(north: 690, accuracy: 8)
    #expect(actions(rig.take()) == ["home ENTER", "home EXIT"])
    #expect(rig.engine.geofence("home")?.status.isInside == false)
  }

  @Test func withoutAPositionTheLastKnownOneCounts() {
    var rig = EngineRig.resting()
    rig.send(.call(.addGeofences([fence()])))
    rig.wait(60)
    rig.send(.geofenceCrossing(identifier: "home", isEntry: true, nil))
    rig.wait(30)
    #expect(actions(rig.take()) == ["home ENTER"])
  }

  @Test func repeatedCrossingsAreFilteredAndTold() {
    var rig = EngineRig.resting()
    rig.send(.call(.addGeofences([fence()])))
    rig.send(.geofenceCrossing(identifier: "home", isEntry: true, rig.fix(north: 900)))
    _ = rig.take()
    rig.send(.geofenceCrossing(identifier: "home", isEntry: true, rig.fix(north: 950)))
    let effects = rig.take()
    #expect(effects.kinds.isEmpty)
    guard case .locationFilter(let filtered)? = effects.events.first else {
      Issue.record("not told")
      return
    }
    #expect(filtered.reason == "geofence-duplicate-enter" && filtered.thresholdMetres == -1)
  }

  @Test func dwellComesByItsTimer() {
    var rig = EngineRig.resting()
    var home = fence()
    home.notifyOnDwell = true
    home.loiteringDelayMilliseconds = 300_000
    rig.send(.call(.addGeofences([home])))
    rig.send(.geofenceCrossing(identifier: "home", isEntry: true, rig.fix(north: 900)))
    rig.wait(299)
    #expect(actions(rig.take()) == ["home ENTER"])
    rig.wait(31)
    #expect(actions(rig.take()) == ["home DWELL"])
  }

  @Test func fencesAreWatchedFromStartToStop() {
    var rig = EngineRig(geofences: [fence("a"), fence("b", north: 5_000)])
    rig.send(.ready(Launch()))
    #expect(rig.take().demands.isEmpty)
    rig.send(.call(.start))
    guard case .geofences(let on, let off)? = rig.take().demands.first else {
      Issue.record("not watched")
      return
    }
    #expect(on.map(\.identifier) == ["a", "b"] && off.isEmpty)
    rig.send(.call(.stop))
    #expect(rig.take().demands.contains(.geofences(on: [], off: ["a", "b"])))
  }

  @Test func removingAllIsToldWithEmptyLists() {
    var rig = EngineRig.resting()
    rig.send(.call(.addGeofences([fence("a"), fence("b")])))
    _ = rig.take()
    rig.send(.call(.removeGeofences(identifiers: nil)))
    let effects = rig.take()
    #expect(effects.events == [.geofencesChange(on: [], off: [])])
    #expect(effects.demands == [.geofences(on: [], off: ["a", "b"])])
    #expect(effects.contains(.deleteGeofences(identifiers: nil)) && rig.engine.geofences.isEmpty)
  }

  @Test func everyChangeOfAFenceIsSaved() {
    var rig = EngineRig.resting()
    rig.send(.call(.addGeofences([fence()])))
    rig.send(.geofenceCrossing(identifier: "home", isEntry: true, rig.fix(north: 900)))
    rig.send(.call(.removeGeofences(identifiers: ["home", "unknown"])))
    let saved = rig.take().compactMap { effect -> String? in
      switch effect {
      case .saveGeofence(let geofence): "\(geofence.identifier) \(geofence.status.hits)"
      case .deleteGeofences(let identifiers): "delete \(identifiers ?? [])"
      default: nil
      }
    }
    #expect(saved == ["home 0", "home 1", "delete [\"home\"]"])
  }

  @Test func geofenceModeRecordsTransitionsOnly() {
    var rig = EngineRig(geofences: [fence()])
    rig.send(.ready(Launch()))
    rig.send(.call(.startGeofences))
    rig.sample()
    #expect(rig.engine.demands.locationUpdates == nil && rig.engine.demands.stationaryRegion == nil)
    #expect(rig.engine.demands.proximityRegion?.radiusMetres == 1_000)
    _ = rig.take()
    rig.drive(north: 500)
    rig.act(.inVehicle)
    rig.wait(60)
    rig.send(.stationaryRegionExit(nil))
    rig.send(.call(.changePace(isMoving: true)))
    #expect(rig.take().kinds.isEmpty && !rig.engine.state.isMoving)
    rig.send(.geofenceCrossing(identifier: "home", isEntry: true, rig.fix(north: 850)))
    #expect(rig.take().kinds == [.geofence])
    #expect(abs(rig.engine.state.odometerMetres - 850) < 5, "from the first position to the transition")
  }

  @Test func leavingTheMovingRegionMovesIt() {
    var rig = EngineRig(geofences: [fence()])
    rig.send(.ready(Launch()))
    rig.send(.call(.startGeofences))
    rig.sample()
    _ = rig.take()
    rig.wait(600)
    rig.send(.proximityRegionExit(rig.fix(north: 1_200)))
    guard case .proximityRegion(let circle?)? = rig.take().demands.last else {
      Issue.record("not moved")
      return
    }
    #expect(abs(circle.center.latitude - 45.5108) < 0.0001)
  }

  /// The system has no position, and the last one is in the region that the device has left.
  @Test func leavingTheMovingRegionNeedsANewPosition() {
    var rig = EngineRig(.ios, geofences: [fence()])
    rig.send(.ready(Launch()))
    rig.send(.call(.startGeofences))
    rig.sample(north: 5_000)
    _ = rig.take()
    rig.wait(1)
    rig.send(.proximityRegionExit(nil))
    #expect(rig.take().demands.contains { if case .sampling(let accuracy) = $0 { accuracy != nil } else { false } })
  }

  @Test func theModesChangeWithoutStop() {
    var rig = EngineRig.driving()
    rig.send(.call(.startGeofences))
    #expect(rig.engine.state.isEnabled && rig.engine.state.trackingMode == .geofence)
    rig.send(.call(.start))
    rig.sample()
    let effects = rig.take()
    #expect(rig.engine.state.trackingMode == .location && effects.motionChanges == [false])
    #expect(!effects.events.contains { if case .enabledChange = $0 { true } else { false } })
  }

  /// LocationEvent 74: a record says the activity in this mode too, however it was entered (BGGeo 546).
  @Test(arguments: DevicePlatform.allCases, [[EngineCall.startGeofences], [.start, .startGeofences]])
  func activitiesAreAskedForHoweverTheModeWasEntered(platform: DevicePlatform, calls: [EngineCall]) throws {
    var rig = EngineRig(platform, geofences: [fence()])
    rig.send(.ready(Launch()))
    for call in calls { rig.send(.call(call)) }
    rig.sample()
    let asked = rig.take().demands.compactMap { if case .activityUpdates(let isOn) = $0 { isOn } else { nil } }
    #expect(asked == [true])
    rig.act(.onBicycle)
    rig.send(.geofenceCrossing(identifier: "home", isEntry: true, rig.fix(north: 850)))
    #expect(rig.take().persisted.map(\.record.activity.type) == [.onBicycle])
    rig.reconfigure { $0.activity.disableMotionActivityUpdates = true }
    #expect(rig.take().demands == [.activityUpdates(isOn: false)])
  }

  @Test func anUnwantedEntryChangesTheStatusAndNothingElse() {
    var rig = EngineRig.resting()
    var home = fence()
    home.notifyOnEntry = false
    rig.send(.call(.addGeofences([home])))
    rig.wait(1)
    _ = rig.take()
    rig.send(.geofenceCrossing(identifier: "home", isEntry: true, rig.fix(north: 900)))
    let effects = rig.take()
    #expect(effects.kinds.isEmpty && effects.events.isEmpty && effects.demands.isEmpty)
    #expect(rig.engine.geofence("home")?.status.isInside == true)
    rig.send(.geofenceCrossing(identifier: "home", isEntry: false, rig.fix(north: 1_300)))
    #expect(actions(rig.take()) == ["home EXIT"])
  }

  @Test func theWayBeforeGeofenceModeDoesNotCount() {
    var rig = EngineRig(geofences: [fence()])
    rig.send(.ready(Launch()))
    rig.send(.call(.setOdometer(metres: 7, .odometer(id: nil))))
    rig.sample(north: -5_000)
    rig.wait(60)
    rig.send(.call(.startGeofences))
    rig.wait(10)
    rig.sample()
    #expect(rig.engine.state.odometerMetres == 7)
  }

  @Test func everyCrossingIsALocationToo() {
    var rig = EngineRig.resting()
    rig.send(.call(.addGeofences([fence()])))
    _ = rig.take()
    rig.send(.geofenceCrossing(identifier: "home", isEntry: true, rig.fix(north: 900)))
    let records = rig.take().events.compactMap { event -> LocationRecord? in
      switch event {
      case .geofence(let record, _), .location(let record): record
      default: nil
      }
    }
    #expect(records.count == 2 && records.first == records.last && records.first?.event == .geofence)
  }

  /// The event is one of a change of the active set (SDK §15.7).
  @Test func removingNoneIsNoChange() {
    var rig = EngineRig.resting()
    rig.send(.call(.removeGeofences(identifiers: nil)))
    let effects = rig.take()
    #expect(effects.events.isEmpty && effects.demands.isEmpty)
    #expect(effects.contains(.deleteGeofences(identifiers: nil)))
  }

  /// SDK §15.7.
  @Test func removingTheLastByItsNameIsToldWithEmptyLists() {
    var rig = EngineRig.resting()
    rig.send(.call(.addGeofences([fence("a"), fence("b")])))
    rig.send(.call(.removeGeofences(identifiers: ["a"])))
    _ = rig.take()
    rig.send(.call(.removeGeofences(identifiers: ["b"])))
    let effects = rig.take()
    #expect(effects.events == [.geofencesChange(on: [], off: [])])
    #expect(effects.demands == [.geofences(on: [], off: ["b"])])
    #expect(effects.contains(.deleteGeofences(identifiers: ["b"])))
  }

  /// 4 is "When in use" (SDK §4.3). Whatever else is denied denies fences as well.
  @Test(arguments: DevicePlatform.allCases, [4, 2])
  func fencesWantAlways(platform: DevicePlatform, status: Int) {
    func provider(_ status: Int) -> EngineInput {
      .provider(
        ProviderState(
          isEnabled: true, authorizationStatus: status, hasGPS: true, hasNetwork: true, accuracyAuthorization: 0))
    }
    for mode in TrackingMode.allCases {
      var rig = EngineRig(platform, geofences: [fence()]) { $0.logger.logLevel = .warning }
      rig.send(provider(status))
      rig.send(.ready(Launch()))
      rig.send(.call(mode == .location ? .start : .startGeofences))
      rig.sample(north: 3_000)
      rig.send(.background)
      rig.send(.geofenceCrossing(identifier: "home", isEntry: true, rig.fix(north: 1_000)))
      var effects = rig.take()
      #expect(!effects.demands.contains { if case .geofences = $0 { true } else { false } })
      #expect(actions(effects) == [] && rig.engine.geofence("home")?.status.isInside == false)
      #expect(effects.logs.contains { if case .warning(_, from: .geofences) = $0 { true } else { false } })
      rig.send(provider(3))
      rig.sample(north: 1_000)
      #expect(actions(rig.take()) == ["home ENTER"], "granted, and inside")
      rig.send(provider(status))
      effects = rig.take()
      #expect(effects.demands.contains(.geofences(on: [], off: ["home"])))
      rig.send(.geofenceCrossing(identifier: "home", isEntry: false, rig.fix(north: 3_000)))
      #expect(actions(rig.take()) == [])
    }
  }

  private static let square = Geofence(
    identifier: "square",
    shape: .polygon(
      [(995.0, -200.0), (995, 200), (1_395, 200), (1_395, -200)].map {
        Geofence.Vertex(latitude: 45.5 + $0.0 / 111_147, longitude: -116.3 + $0.1 / 78_100)
      }))

  /// SDK §15.5: the circle reaches 83 metres beyond the sides of the square.
  @Test(arguments: DevicePlatform.allCases, ["rest", "geofences", "moving"])
  func aPolygonIsTestedAtAHighRateInItsCircle(platform: DevicePlatform, state: String) {
    var rig = state == "moving" ? EngineRig.driving(platform) : EngineRig.resting(platform)
    if state == "geofences" {
      rig.send(.call(.startGeofences))
      rig.sample()
    }
    rig.send(.call(.addGeofences([Self.square])))
    rig.wait(20)
    #expect(rig.engine.demands.samplingAccuracyMetres == nil)
    _ = rig.take()
    rig.send(.geofenceCrossing(identifier: "square", isEntry: true, nil))
    #expect(rig.engine.demands.samplingAccuracyMetres != nil, "at once")
    var told: [String] = []
    for metres in [930.0, 980, 1_010, 1_200, 1_390, 1_398, 1_410, 1_390, 1_410] {
      rig.wait(1)
      rig.sample(north: metres)
      told += actions(rig.take()).map { "\(metres) \($0)" }
    }
    #expect(
      told == ["1010.0 square ENTER", "1410.0 square EXIT", "1390.0 square ENTER", "1410.0 square EXIT"], "\(state)")
    #expect(rig.engine.demands.samplingAccuracyMetres != nil)
    rig.send(.geofenceCrossing(identifier: "square", isEntry: false, nil))
    #expect(rig.engine.demands.samplingAccuracyMetres == nil && actions(rig.take()) == [])
  }

  /// SDK §15.6.
  @Test(arguments: DevicePlatform.allCases)
  func highAccuracyFindsCrossingsByItself(platform: DevicePlatform) {
    var rig = EngineRig(platform, geofences: [fence()]) { $0.geolocation.geofenceModeHighAccuracy = true }
    rig.send(.ready(Launch()))
    rig.send(.call(.startGeofences))
    rig.sample()
    #expect(rig.engine.demands.locationUpdates != nil)
    _ = rig.take()
    var told: [String] = []
    for metres in [700.0, 810, 900, 1_190, 1_203, 1_210] {
      rig.wait(10)
      rig.drive(north: metres)
      let effects = rig.take()
      told += actions(effects).map { "\(metres) \($0)" }
      #expect(!effects.kinds.contains(.tracking))
    }
    #expect(told == ["810.0 home ENTER", "1210.0 home EXIT"])
    // The system says so, too.
    rig.send(.geofenceCrossing(identifier: "home", isEntry: false, nil))
    #expect(rig.take().events.isEmpty)
    rig.reconfigure { $0.geolocation.geofenceModeHighAccuracy = false }
    #expect(rig.engine.demands.locationUpdates == nil)
    rig.reconfigure { $0.geolocation.geofenceModeHighAccuracy = true }
    rig.send(.call(.removeGeofences(identifiers: nil)))
    #expect(rig.engine.demands.locationUpdates == nil, "nothing to watch")
  }

  /// SDK §17: what was not watched does not count, and a long way does not lengthen the steps after it.
  @Test(arguments: DevicePlatform.allCases)
  func theOdometerBeginsAnewWhenTheModeChanges(platform: DevicePlatform) {
    var rig = EngineRig(platform, geofences: [fence(), fence("far", north: 5_000)])
    rig.send(.ready(Launch()))
    rig.send(.call(.startGeofences))
    rig.sample()
    rig.wait(600)
    rig.send(.geofenceCrossing(identifier: "home", isEntry: true, rig.fix(north: 850)))
    rig.wait(600)
    rig.send(.geofenceCrossing(identifier: "far", isEntry: true, rig.fix(north: 4_850)))
    let before = rig.engine.state.odometerMetres
    #expect(abs(before - 4_850) < 20)
    rig.wait(600)
    rig.send(.call(.start))
    rig.sample(north: 6_000)
    rig.send(.call(.changePace(isMoving: true)))
    rig.sample(north: 6_000)
    for metres in stride(from: 6_020.0, through: 6_200, by: 20) {
      rig.wait(2)
      rig.drive(north: metres)
    }
    #expect(abs(rig.engine.state.odometerMetres - before - 200) < 20)
  }

  @Test(arguments: DevicePlatform.allCases)
  func theStepAfterARegionExitIsAsLongAsItIs(platform: DevicePlatform) {
    var rig = EngineRig.resting(platform)
    rig.wait(60)
    rig.send(.stationaryRegionExit(nil))
    rig.sample(north: 210, speed: 10)
    let before = rig.engine.state.odometerMetres
    rig.wait(1)
    rig.drive(north: 220)
    #expect(abs(rig.engine.state.odometerMetres - before - 10) < 1)
  }
}
