import Base
import Contract
import Testing
import Vocabulary

@testable import Engine

/// SDK §19.1: what happens before `ready` is held, and follows it.
@Suite struct BeforeReadyTests {
  private func enabled(atRest: Bool = false) -> EngineState {
    var state = EngineState()
    state.isEnabled = true
    if atRest { state.stationaryPlace = Coordinate(latitude: 45.5, longitude: -116.3) }
    return state
  }

  private func home(isInside: Bool = true) -> Geofence {
    let center = Geofence.Vertex(latitude: 45.5, longitude: -116.3)
    var fence = Geofence(identifier: "HOME", shape: .circle(center: center, radiusMetres: 200))
    fence.status.isInside = isInside
    return fence
  }

  private func transitions(_ effects: [Effect]) -> [GeofenceTrigger.Action] {
    effects.events.compactMap { if case .geofence(let record, _) = $0 { record.geofence?.action } else { nil } }
  }

  @Test func aFenceThatIsLeftBeforeReadyIsLeftAfterItAndWhenItWas() throws {
    var rig = EngineRig(state: enabled(), geofences: [home()])
    let exit = rig.now.wall
    rig.send(.geofenceCrossing(identifier: "HOME", isEntry: false, rig.fix(north: 3_000)))
    rig.wait(600)
    #expect(rig.take().isEmpty)
    rig.send(.ready(Launch()))
    let effects = rig.take()
    #expect(transitions(effects) == [.exit])
    let record = try #require(effects.persisted.first { $0.record.geofence != nil }?.record)
    #expect(record.timestamp == exit)
    #expect(rig.engine.geofence("HOME")?.status.updatedAtSeconds == Double(exit.millisecondsSince1970) / 1_000)
  }

  @Test func anExitFromTheRegionBeforeReadyIsTheOnlyMotionChange() {
    var rig = EngineRig(state: enabled(atRest: true)) { $0.app.stopOnTerminate = false }
    rig.send(.stationaryRegionExit(nil))
    rig.wait(300)
    rig.send(.ready(Launch(isInBackground: true)))
    #expect(rig.engine.state.isMoving)
    rig.sample(north: 260)
    #expect(rig.take().motionChanges == [true])
  }

  /// SDK §13.1: nothing could answer before, so the time to find a position begins at `ready`.
  @Test func theSearchForAPositionBeginsAtReady() {
    var rig = EngineRig(state: enabled(atRest: true)) { $0.app.stopOnTerminate = false }
    rig.send(.stationaryRegionExit(nil))
    rig.wait(300)
    rig.send(.ready(Launch(isInBackground: true)))
    rig.wait(59)
    #expect(!rig.take().events.contains(.locationError(.timeout)))
    rig.wait(1)
    #expect(rig.take().events.contains(.locationError(.timeout)))
  }

  @Test func changesAreToldInTheirOrderAndTheFirstTellingIsNone() {
    var rig = EngineRig()
    rig.send(.connectivity(.wifi))
    rig.send(.powerSave(false))
    rig.send(.connectivity(.none))
    rig.send(.powerSave(true))
    rig.send(.connectivity(.cellular))
    rig.send(.ready(Launch()))
    #expect(
      rig.take().events == [
        .connectivityChange(isConnected: false), .powerSaveChange(isPowerSaving: true),
        .connectivityChange(isConnected: true),
      ])
  }

  @Test func ofWhatTheSensorsSayTheLastThousandAreHeldAndEveryCallIs() {
    var rig = EngineRig(state: enabled()) { $0.logger.logLevel = .warning }
    rig.send(.call(.currentPosition(PositionRequest(id: 4))))
    for number in 0..<(HeldInputs.limit + 7) { rig.act(number % 2 == 0 ? .walking : .running) }
    _ = rig.take()
    rig.send(.ready(Launch()))
    let effects = rig.take()
    let activities = effects.events.filter { if case .activityChange = $0 { true } else { false } }
    #expect(
      activities.count == HeldInputs.limit && activities.first == .activityChange(Activity(.running, confidence: 100)))
    #expect(effects.logs.contains(.warning("7 events before ready were dropped", from: .launch)))
    rig.sample()
    rig.sample()
    rig.sample()
    #expect(rig.take().answers[4] != nil)
  }

  @Test func callsOfTheDatabaseTakeEffectAtOnceAndTellOfItAfterReady() {
    var rig = EngineRig(state: enabled(), geofences: [home()])
    rig.send(.call(.removeGeofences(identifiers: nil)))
    #expect(rig.take() == [.deleteGeofences(identifiers: nil)] && rig.engine.geofences.isEmpty)
    rig.send(.call(.addGeofences([home(isInside: false)])))
    #expect(rig.engine.geofence("HOME") != nil && rig.take().events.isEmpty)
    rig.send(.ready(Launch()))
    let changes = rig.take().events.filter { if case .geofencesChange = $0 { true } else { false } }
    #expect(changes.contains(.geofencesChange(on: [], off: [])))
  }

  @Test(arguments: [
    (EngineCall.start, "start"), (.startGeofences, "startGeofences"), (.changePace(isMoving: true), "changePace"),
    (.currentPosition(PositionRequest(id: 1)), "currentPosition"), (.startSchedule, "startSchedule"),
  ])
  func aCallThatNeedsAPositionWaitsAndTheLogSaysSo(call: EngineCall, name: String) {
    let line = Effect.log(.warning("\(name) waits for ready", from: .launch))
    var rig = EngineRig { $0.logger.logLevel = .warning }
    rig.send(.call(call))
    #expect(rig.take() == [line])
    // The level of the log may come with ready.
    var late = EngineRig()
    late.send(.call(call))
    #expect(late.take().isEmpty)
    late.reconfigure { $0.logger.logLevel = .warning }
    late.send(.ready(Launch()))
    #expect(late.take().contains(line))
  }

  @Test func anAppThatIsClosedBeforeReadyIsOffAtTheNextLaunchAndTellsNothing() {
    var rig = EngineRig(state: enabled(atRest: true), geofences: [home()])
    rig.send(.call(.currentPosition(PositionRequest(id: 4))))
    rig.send(.terminate)
    let effects = rig.take()
    #expect(!rig.engine.state.isEnabled && effects.events.isEmpty && effects.contains(.saveState))
    #expect(effects.demands.contains(.stationaryRegion(nil)))
    #expect(effects.demands.contains(.geofences(on: [], off: ["HOME"])))
    guard case .failure(.cancelled)? = effects.answers[4] else {
      Issue.record("not cancelled")
      return
    }
    rig.send(.ready(Launch()))
    #expect(rig.take().isEmpty)
  }
}
