import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Testing
import Vocabulary

@testable import FleetSimulator
@testable import Oracle

/// I18, I21: a phone that forgets over a restart what it has to keep is found out.
@Suite struct RestartTests {
  enum Disturbance: CaseIterable { case none, closed, noPositions, storeFailed, storeStillFails, refused }

  /// Only a failure of the store excuses a state that is lost (SDK §19.1).
  @Test(arguments: Disturbance.allCases) func theSavedStateIsTheNextOne(_ disturbance: Disturbance) throws {
    let stage = Stage { $0.app.stopOnTerminate = false }
    let disk = try Stage.fullDisk()
    var (closing, blind) = (LifecycleFault(), DeviceFault())
    (closing.terminate, blind.noFix) = (true, true)
    if disturbance == .storeStillFails {
      stage.begin(disk)
      restart(stage, EngineState(), EngineState())
    }
    var state = EngineState()
    state.isMoving = true
    switch disturbance {
    case .none, .storeStillFails: break
    case .closed: endure(.lifecycle(closing), stage)
    case .noPositions: stage.begin(.device(blind))
    case .storeFailed: endure(disk, stage)
    case .refused: stage.tell(.queue(.refused(device: 0, .other)))
    }
    restart(stage, state, EngineState())
    #expect(stage.violated.contains(.lifecycle) == [.none, .closed, .noPositions].contains(disturbance))
  }

  private func endure(_ fault: FaultAction, _ stage: Stage) {
    stage.begin(fault)
    stage.end(fault)
  }

  private func restart(_ stage: Stage, _ saved: EngineState, _ restored: EngineState) {
    stage.tell(.kept(saved))
    stage.tell(.killed(isReboot: false))
    stage.wait(60)
    stage.tell(.kept(restored))
    stage.tell(.launched(Launch()))
    stage.wait(60)
  }

  enum Between: CaseIterable {
    case nothing, left, replaced, removed, deselected, exit, outlier, storeFailed, silentExit
  }

  /// A fence that the device is in all the time is not entered again (SDK §15.4).
  @Test(arguments: Between.allCases) func aFenceIsEnteredOnce(_ between: Between) {
    var fence = Stage.depot
    fence.notifyOnExit = between != .silentExit
    let stage = Stage.fenced(fence, at: 0)
    stage.wait(60)
    stage.tell(.enter, of: fence)
    stage.wait(60)
    switch between {
    case .nothing, .silentExit: break
    case .left:
      stage.go(from: 0, to: 600, seconds: 60)
      stage.go(from: 600, to: 0, seconds: 60)
    case .replaced: stage.tell(.asked(.addGeofence(fence)))
    case .removed: stage.tell(.told(.commanded(.removeGeofences(identifiers: nil))))
    case .deselected: stage.event(.geofencesChange(on: [], off: ["depot"]))
    case .exit: stage.tell(.exit, of: fence)
    case .outlier: stage.tell(.strayed(metres: 1_000))
    case .storeFailed: stage.tell(.queue(.refused(device: 0, .other)))
    }
    restart(stage, EngineState(), EngineState())
    stage.stay(0)
    stage.wait(60)
    stage.tell(.enter, of: fence)
    #expect(stage.oracle.violations.violations.contains { $0.what.contains("entered again") } == (between == .nothing))
  }

  enum Visit: CaseIterable { case same, another, replaced, firstDwell }

  /// Dwelling is reported once for a visit, also where the app has ended meanwhile (SDK §15.3.4, §15.4).
  @Test(arguments: Visit.allCases) func dwellingIsReportedOnce(_ visit: Visit) {
    var fence = Stage.depot
    fence.notifyOnDwell = true
    let stage = Stage.fenced(fence, at: 0)
    stage.wait(60)
    stage.tell(.enter, of: fence)
    if visit != .firstDwell { stage.tell(.dwell, of: fence) }
    stage.wait(60)
    restart(stage, EngineState(), EngineState())
    stage.stay(0)
    stage.event(.location(stage.location()))
    switch visit {
    case .same, .firstDwell: break
    case .another:
      stage.go(from: 0, to: 600, seconds: 60)
      stage.tell(.exit, of: fence)
      stage.go(from: 600, to: 0, seconds: 60)
      stage.tell(.enter, of: fence)
    case .replaced: stage.tell(.asked(.addGeofence(fence)))
    }
    stage.wait(60)
    stage.tell(.dwell, of: fence)
    let isNamed = stage.oracle.violations.violations.contains { $0.what.contains("reported again") }
    #expect(isNamed == (visit == .same))
  }
}
