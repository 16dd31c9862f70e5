import Base
import Contract
import Testing
import Vocabulary

@testable import Engine

/// Behaviour §15, as far as it takes more than the book of fences.
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
}
