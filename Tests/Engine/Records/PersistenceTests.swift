import Base
import Contract
import JSON
import Testing
import Vocabulary

@testable import Engine

/// SDK §5.4 and §7.3.
@Suite struct PersistenceTests {
  @Test(arguments: [
    (PersistMode.all, true, true), (.location, true, false), (.geofence, false, true), (.none, false, false),
  ])
  func theModeDecidesByBucket(mode: PersistMode, location: Bool, geofence: Bool) {
    let rig = EngineRig.resting { $0.persistence.persistMode = mode }
    for kind in [RecordKind.motionChange, .tracking, .current, .watch, .odometer] {
      #expect(rig.engine.persists(kind) == location, "\(kind)")
    }
    for kind in [RecordKind.geofence, .polygon] { #expect(rig.engine.persists(kind) == geofence, "\(kind)") }
    for kind in [RecordKind.sample, .heartbeat, .motionState, .stream] { #expect(!rig.engine.persists(kind)) }
  }

  @Test func anExplicitPersistWins() {
    let rig = EngineRig.resting { $0.persistence.persistMode = .none }
    #expect(rig.engine.persists(.current, explicitly: true))
    #expect(!EngineRig.resting().engine.persists(.current, explicitly: false))
    #expect(EngineRig().engine.persists(.current, explicitly: true), "while disabled too")
    #expect(!EngineRig().engine.persists(.current))
  }

  /// A step that is shorter than its error adds none to the way, and its error all the same.
  @Test func changesOfTheOdometerAreSaved() {
    var rig = EngineRig.driving { $0.geolocation.filter.odometerUseKalmanFilter = false }
    var errorsAlone = 0
    for north in [20.0, 40, 44, 80] {
      let before = rig.engine.state
      rig.wait(2)
      rig.drive(north: north, accuracy: 15)
      let (state, isKept) = (rig.engine.state, rig.take().contains(.saveState))
      #expect(isKept || state == before, "\(north) m")
      if state.odometerMetres == before.odometerMetres && state != before { errorsAlone += 1 }
    }
    #expect(errorsAlone > 0)
  }

  @Test func aQueueOfNoLengthKeepsNothing() {
    let rig = EngineRig.resting { $0.persistence.maxRecordsToPersist = 0 }
    for kind in RecordKind.allCases {
      #expect(!rig.engine.persists(kind) && !rig.engine.persists(kind, explicitly: true))
    }
  }

  @Test func aMotionChangeObeysTheModeAndIsToldNevertheless() {
    var rig = EngineRig.resting { $0.persistence.persistMode = .geofence }
    rig.send(.stationaryRegionExit(nil))
    let effects = rig.take()
    #expect(effects.kinds.isEmpty && effects.motionChanges == [true])
    #expect(effects.flushes == [.motionChange])
  }

  @Test func aTrackedRecordSaysWhatIsKnown() throws {
    var rig = EngineRig.driving()
    rig.act(.inVehicle, 90)
    rig.send(.battery(Battery(level: 0.5, isCharging: true)))
    rig.wait(20)
    let fix = rig.fix(north: 200, speed: 10, ageSeconds: 1)
    rig.send(.fix(fix))
    let record = try #require(rig.take().persisted.first?.record)
    #expect(record.timestamp == fix.timestamp && record.recordedAt == rig.now.wall)
    #expect(record.ageMilliseconds == 1_000 && record.event == nil && record.isMoving)
    #expect(record.activity == Activity(.inVehicle, confidence: 90))
    #expect(record.battery == Battery(level: 0.5, isCharging: true))
    #expect(record.odometer > 0 && record.odometer == rig.engine.state.odometerMetres)
    #expect(record.timestampMeta == nil)
  }

  @Test func timestampMetaComesWhenAskedFor() throws {
    var rig = EngineRig.driving { $0.geolocation.enableTimestampMeta = true }
    rig.wait(20)
    rig.send(.fix(rig.fix(north: 200, ageSeconds: 2)))
    let meta = try #require(rig.take().persisted.first?.record.timestampMeta)
    let elapsed = rig.now.monotonic.nanoseconds / 1_000_000
    #expect(meta.systemTime == rig.now.wall && meta.systemElapsedMilliseconds == elapsed)
    #expect(meta.fixElapsedMilliseconds == elapsed - 2_000)
  }

  @Test func aRejectedFixIsToldAndNothingElse() throws {
    var rig = EngineRig.driving()
    rig.wait(20)
    rig.drive(north: 100, accuracy: 101)
    let effects = rig.take()
    #expect(effects.kinds.isEmpty && effects.flushes.isEmpty)
    guard case .locationFilter(let filtered)? = effects.events.first else {
      Issue.record("no event")
      return
    }
    #expect(filtered.reason == "low-accuracy" && filtered.thresholdMetres == 100 && filtered.crossing == nil)
    #expect(effects.events.count == 1)
  }

  @Test func uuidsAreAFunctionOfTheStream() {
    func uuids(step: UInt64) -> [UUID128] {
      var engine = Engine(
        configuration: Configuration(platform: .ios), identity: RandomStream(seed: 4, device: 2, concern: 9, n: step))
      return (0..<3).map { _ in engine.nextUUID() }
    }
    let first = uuids(step: 0)
    #expect(first == uuids(step: 0))
    #expect(Array(first[1...]) == Array(uuids(step: 2)[..<2]))
    #expect(Set(first).count == 3)
  }

  @Test func extrasOfTheConfigurationGoIntoEveryRecord() throws {
    var rig = EngineRig.driving()
    rig.reconfigure { $0.persistence.extras = .object(["trip": .integer(7)]) }
    rig.wait(20)
    rig.drive(north: 200)
    #expect(try #require(rig.take().persisted.first).record.extras == RenderedObject("{\"trip\":7}"))
  }

  @Test func withReducedAccuracyNothingIsRecorded() {
    var rig = EngineRig.driving()
    for step in 1...5 {
      rig.wait(60)
      rig.drive(north: Double(step) * 1_000, accuracy: 2_000)
    }
    #expect(rig.take().kinds.isEmpty)
  }

  @Test func onlyTheFirstRepetitionOfAMotionChangeIsNoRecord() {
    var rig = EngineRig.resting(.android) { $0.geolocation.allowIdenticalLocations = true }
    rig.wait(60)
    rig.send(.stationaryRegionExit(nil))
    let fix = rig.fix(north: 300)
    rig.send(.sample(fix))
    for _ in 0..<3 { rig.send(.fix(fix)) }
    #expect(rig.take().kinds == [.motionChange, .tracking, .tracking])
  }
}
