import Base
import Contract
import Testing
import Vocabulary

@testable import Engine

/// What becomes of fences before any position is known (SDK §15.2 to §15.4).
@Suite struct GeofencePlaceTests {
  private func fences(_ count: Int) -> [Geofence] {
    (0..<count).map { index in
      Geofence(
        identifier: "\(index)",
        shape: .circle(
          center: .init(latitude: 45.5 + Double(index) * 1_000 / 111_147, longitude: -116.3), radiusMetres: 200))
    }
  }

  private func actions(_ effects: [Effect]) -> [String] {
    effects.persisted.compactMap { $0.record.geofence.map { "\($0.identifier) \($0.action.rawValue)" } }
  }

  @Test(arguments: DevicePlatform.allCases, [false, true])
  func aPlaceIsLookedForWhileFencesWaitForIt(platform: DevicePlatform, isGeofenceMode: Bool) {
    var rig = EngineRig(platform, geofences: fences(120))
    rig.send(.ready(Launch()))
    rig.send(.call(isGeofenceMode ? .startGeofences : .start))
    rig.wait(1_000)
    #expect(rig.take().persisted.isEmpty)
    rig.sample()
    rig.sample()
    rig.sample()
    #expect(actions(rig.take()) == ["0 ENTER"])
  }

  /// The last position of geofences-only mode may be old: whether the device is inside is for a new one to show (SDK §15.4).
  @Test(arguments: DevicePlatform.allCases, [(0, ["0 ENTER"]), (5_000, [])] as [(Double, [String])])
  func anOldPositionEntersNoFenceWhenTheModeChanges(platform: DevicePlatform, next: (Double, [String])) {
    var rig = EngineRig(platform)
    rig.send(.ready(Launch()))
    rig.send(.call(.startGeofences))
    for _ in 0..<3 { rig.sample() }
    rig.wait(1_000)
    rig.send(.call(.addGeofences(fences(1))))
    rig.send(.call(.start))
    for _ in 0..<6 {
      rig.wait(1)
      rig.sample(north: next.0)
    }
    #expect(actions(rig.take()) == next.1)
  }

  /// A significant change shows where the device is now: a crossing without another position is recorded there, and the fences
  /// around it stay active (BGGeo 188; SDK §15.3.5).
  @Test func aSignificantChangeIsTheLastKnownPosition() {
    var rig = EngineRig(.ios, geofences: fences(120))
    rig.send(.ready(Launch()))
    rig.send(.call(.startGeofences))
    for _ in 0..<6 { rig.sample() }
    rig.wait(1_000)
    _ = rig.take()
    rig.send(.significantChange(rig.fix(north: 50_000, accuracy: 100)))
    rig.wait(60)
    let effects = rig.take()
    #expect(actions(effects) == ["0 EXIT", "50 ENTER"])
    let records = effects.persisted.map(\.record)
    #expect(records.allSatisfy { $0.coords.latitude > 45.9 })
    #expect(rig.engine.fences.isActive("50"))
  }

  @Test(arguments: [(10, 0), (120, 1)])
  func aPlaceIsLookedForNoLongerThanItIsWanted(count: Int, requests: Int) {
    var rig = EngineRig(.android, geofences: fences(count))
    rig.send(.ready(Launch()))
    rig.send(.call(.startGeofences))
    rig.wait(1_000)
    #expect(rig.engine.requests.count == requests)
    rig.send(.call(.stop))
    rig.wait(100)
    #expect(rig.engine.requests.isEmpty)
  }

  /// No report of the system says that the device is in a polygon, and without the initial trigger none that it is in the
  /// circle around it: without a position its exit could not be told (SDK §15.5.2).
  @Test(arguments: DevicePlatform.allCases, [false, true])
  func aPlaceIsLookedForWhileAPolygonWaitsForIt(platform: DevicePlatform, isGeofenceMode: Bool) {
    let corners = [(-0.002, -0.0026), (-0.002, 0.0026), (0.002, 0.0026), (0.002, -0.0026)].map {
      Geofence.Vertex(latitude: 45.5 + $0.0, longitude: -116.3 + $0.1)
    }
    var rig = EngineRig(platform) { $0.geolocation.geofenceInitialTriggerEntry = false }
    rig.send(.ready(Launch()))
    rig.send(.call(.addGeofences([Geofence(identifier: "home", shape: .polygon(corners))])))
    rig.send(.call(isGeofenceMode ? .startGeofences : .start))
    rig.wait(1_000)
    #expect(rig.engine.requests.count == 1)
    for _ in 0..<3 { rig.sample() }
    #expect(actions(rig.take()) == [])
    rig.wait(60)
    for _ in 0..<3 { rig.sample(north: 250) }
    #expect(actions(rig.take()) == ["home EXIT"])
  }

  /// In the order in which they happened, however long it takes; not beyond `stop()`.
  @Test(arguments: [true, false])
  func aCrossingWaitsForTheFirstPositionOfItsProcess(isStopped: Bool) {
    var rig = EngineRig(geofences: fences(1))
    rig.send(.ready(Launch()))
    rig.send(.call(.startGeofences))
    for (seconds, isEntry) in [(10.0, true), (25, false), (200, true)] {
      rig.send(.geofenceCrossing(identifier: "0", isEntry: isEntry, nil))
      rig.wait(seconds)
    }
    #expect(rig.take().persisted.isEmpty)
    if isStopped { rig.send(.call(.stop)) }
    rig.sample(accuracy: 90)
    #expect(actions(rig.take()) == (isStopped ? [] : ["0 ENTER", "0 EXIT", "0 ENTER"]))
    #expect(rig.engine.requests.isEmpty)
  }

  /// In geofences-only mode the last position may be hours old: where the device was does not tell where it is.
  @Test(arguments: DevicePlatform.allCases, [(600, []), (0, ["0 ENTER"])] as [(Double, [String])])
  func aFenceThatIsAddedLongAfterTheLastPositionWaitsForANewOne(platform: DevicePlatform, next: (Double, [String])) {
    var rig = EngineRig(platform)
    rig.send(.ready(Launch()))
    rig.send(.call(.startGeofences))
    rig.sample()
    rig.wait(3_600)
    rig.send(.call(.addGeofences(fences(1))))
    #expect(actions(rig.take()) == [] && rig.engine.requests.count == 1)
    for _ in 0..<3 { rig.sample(north: next.0) }
    #expect(actions(rig.take()) == next.1)
  }

  /// The system was asked for changes only, and nothing else knows that the device was inside.
  @Test(arguments: DevicePlatform.allCases, [true, false])
  func anExitBeforeTheFirstPositionIsOne(platform: DevicePlatform, triggers: Bool) {
    var rig = EngineRig(platform, geofences: fences(1)) { $0.geolocation.geofenceInitialTriggerEntry = triggers }
    rig.send(.ready(Launch()))
    rig.send(.call(.start))
    rig.send(.geofenceCrossing(identifier: "0", isEntry: false, nil))
    rig.sample(north: 300)
    #expect(actions(rig.take()) == (triggers ? [] : ["0 EXIT"]))
    // What a position has shown is known.
    rig.wait(60)
    rig.send(.geofenceCrossing(identifier: "0", isEntry: false, nil))
    rig.sample(north: 300)
    #expect(actions(rig.take()) == [])
  }

  /// The first position was too poor to tell where the device was when monitoring began; a later one saw it outside before the
  /// system told of the exit. Where it has come in meanwhile, the exit is one in any case, and once.
  @Test(arguments: DevicePlatform.allCases, [true, false])
  func anExitBehindAPositionOutsideIsOneWhereNothingWasHeardBefore(platform: DevicePlatform, triggers: Bool) {
    var rig = EngineRig(platform, geofences: fences(1)) { $0.geolocation.geofenceInitialTriggerEntry = triggers }
    rig.send(.ready(Launch()))
    rig.send(.call(.start))
    for _ in 0..<5 { rig.sample(north: 230, accuracy: 100) }
    rig.wait(600)
    rig.send(.call(.changePace(isMoving: true)))
    rig.sample(north: 215, accuracy: 10)
    #expect(actions(rig.take()) == [])
    for expected in [triggers ? [] : ["0 EXIT"], []] {
      rig.send(.geofenceCrossing(identifier: "0", isEntry: false, nil))
      rig.sample(north: 240)
      #expect(actions(rig.take()) == expected)
      rig.wait(60)
    }
  }
}
