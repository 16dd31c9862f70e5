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

/// I16: a phone that ends tracking though nothing asks for it, or whose records say to be of motion changes, is found out.
@Suite struct EndRuleTests {
  enum Cause: CaseIterable { case none, stop, command, schedule, close, stationary, stopSchedule, storeFailed }

  /// The app, a command, the schedule and the end of the app end tracking, and `stopOnStationary` does (SDK §12.1). `stopSchedule`
  /// does not (BGGeo `stopSchedule`).
  @Test(arguments: Cause.allCases) func trackingEndsWhereItIsAskedFor(_ cause: Cause) {
    let stage = Stage.started { $0.activity.stopOnStationary = cause == .stationary }
    stage.event(.enabledChange(isEnabled: true))
    stage.wait(600)
    switch cause {
    case .none, .stationary: break
    case .stop: stage.tell(.asked(.stop))
    case .command: stage.tell(.told(.commanded(.stop)))
    case .schedule: stage.event(.schedule(EngineState()))
    case .close: stage.tell(.closed)
    case .stopSchedule: stage.tell(.told(.commanded(.stopSchedule)))
    case .storeFailed: stage.tell(.queue(.refused(device: 0, .other)))
    }
    stage.event(.enabledChange(isEnabled: false))
    stage.wait(1)
    #expect(stage.violated.contains(.motion) == (cause == .none || cause == .stopSchedule))
  }

  enum Clock: CaseIterable { case steady, setBefore, setBack, setForAWhile }

  /// Tracking ends `stopAfterElapsedMinutes` after its start, and not before (SDK §2.1). The clock may have been set, and may be
  /// right again behind the end, or before it.
  @Test(arguments: [(600, false), (595, true), (300, true), (700, false)] as [(Int64, Bool)], Clock.allCases)
  func trackingEndsAfterItsMinutes(end: (seconds: Int64, isEarly: Bool), clock: Clock) {
    let stage = Stage.started { $0.geolocation.stopAfterElapsedMinutes = 10 }
    stage.event(.enabledChange(isEnabled: true))
    stage.wait(end.seconds)
    if clock != .steady { stage.setBack(seconds: 60) }
    if clock == .setForAWhile {
      stage.tell(.launched(Launch(isInBackground: true, didReboot: false)))
      stage.setBack(seconds: -60)
      stage.pass(seconds: 1)
    }
    stage.event(.enabledChange(isEnabled: false))
    if clock == .setBack { stage.setBack(seconds: -60) }
    stage.wait(1)
    #expect(stage.violated.contains(.motion) == (end.isEarly && clock == .steady))
  }

  enum Claim: CaseIterable { case before, behind, never, other }

  /// A record of a motion change comes with its report (SDK §5.1, §12.1).
  @Test(arguments: Claim.allCases) func aRecordOfAMotionChangeComesWithIt(_ claim: Claim) {
    let stage = Stage.started()
    stage.wait(600)
    var record = stage.location()
    record.event = .motionchange
    if claim == .behind { stage.event(.motionChange(record)) }
    if claim == .other { stage.event(.motionChange(stage.location(uuid: UUID128(high: 3, low: 1)))) }
    stage.event(.location(record))
    if claim == .before { stage.event(.motionChange(record)) }
    stage.wait(1)
    #expect(stage.violated.contains(.motion) == (claim == .never || claim == .other))
  }
}
