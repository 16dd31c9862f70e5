import Base
import Contract
import Engine
import Host
import Scenario
import Testing
import Vocabulary
import World

@testable import FleetSimulator
@testable import Oracle

/// I16: a crossing whose record says another pace, or that is reported behind a stop, is found out.
@Suite struct PaceRuleTests {
  enum Pace: CaseIterable { case same, other, followed, commanded, stopped, tunnel, geofences }

  /// The record of a crossing says the state of the last motion change, or of the next one (SDK §5.1, §12.2).
  @Test(arguments: Pace.allCases) func aCrossingSaysThePace(_ pace: Pace) {
    let stage = Stage.fenced(Stage.depot, at: 0, pace == .geofences ? .startGeofences : .start)
    if pace == .tunnel { stage.stay(0, cover: .tunnel) }
    stage.wait(10)
    stage.event(.motionChange(stage.location(isMoving: false)))
    stage.wait(60)
    var record = stage.location(isMoving: pace != .same)
    record.geofence = GeofenceTrigger(
      identifier: "depot", action: .enter, timestamp: record.timestamp)
    stage.event(.geofence(record, Stage.depot))
    stage.wait(100)
    switch pace {
    case .followed: stage.event(.motionChange(stage.location(isMoving: true)))
    case .commanded: stage.tell(.told(.commanded(.changePace(isMoving: true))))
    case .stopped: stage.event(.enabledChange(isEnabled: false))
    case .same, .other, .tunnel, .geofences: break
    }
    stage.wait(600)
    let isNamed = stage.oracle.violations.violations.contains { $0.what.contains("says is_moving") }
    #expect(isNamed == (pace == .other), "\(pace)")
  }

  /// Behind a stop no crossing is reported (BGGeo `stop`; SDK §19.6), but for one whose position was still looked for.
  @Test(arguments: [(20, false), (600, true)] as [(Int64, Bool)], [true, false])
  func noCrossingBehindAStop(_ wait: (seconds: Int64, isLate: Bool), isStopped: Bool) {
    let stage = Stage.fenced(Stage.depot, at: 0)
    stage.event(.enabledChange(isEnabled: true))
    stage.wait(100)
    if isStopped { stage.event(.enabledChange(isEnabled: false)) }
    stage.wait(wait.seconds)
    stage.tell(.enter)
    let isNamed = stage.oracle.violations.violations.contains {
      $0.what.contains("tracking is stopped")
    }
    #expect(isNamed == (wait.isLate && isStopped))
  }
}
