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

/// I32, I31: a departure without a sign of a trip, and heartbeats on the way, are found out.
@Suite struct DepartureRuleTests {
  enum Cause: CaseIterable { case none, unsure, sure, fast, far, command, error, noSpeed, restart }

  /// Near its rest Android sets off with a sure activity (SDK §2.7, §12.4.1), iOS in addition where it is fast (SDK §12.4.4).
  @Test(arguments: Cause.allCases, [DevicePlatform.android, .ios])
  func aDeviceSetsOffByItself(_ cause: Cause, on platform: DevicePlatform) {
    let stage = Stage(platform: platform)
    stage.stay(0)
    stage.tell(.asked(.start))
    stage.tell(.sensed(Activity(.still, confidence: 100)))
    stage.wait(600)
    stage.event(.motionChange(stage.location(isMoving: false)))
    stage.wait(600)
    switch cause {
    case .unsure: stage.tell(.sensed(Activity(.walking, confidence: 40)))
    case .sure, .fast: stage.tell(.sensed(Activity(.walking, confidence: 100)))
    case .command: stage.tell(.told(.commanded(.changePace(isMoving: true))))
    case .error: stage.tell(.strayed(metres: 400))
    case .restart:
      stage.tell(.killed(isReboot: false))
      stage.tell(.launched(Launch()))
    case .none, .far, .noSpeed: break
    }
    stage.go(from: 0, to: cause == .far ? 300 : 40, seconds: cause == .fast ? 10 : 40)
    var record = stage.location(isMoving: true)
    record.coords.speed = cause == .noSpeed ? nil : cause == .fast ? 4 : 1
    stage.event(.motionChange(record))
    let isNamed = stage.oracle.violations.violations.contains {
      $0.what.contains("without a sign of a trip")
    }
    let isWrong = cause == .none || cause == .unsure || cause == .sure && platform == .ios
    #expect(isNamed == isWrong, "\(cause)")
  }

  /// Heartbeats come at rest (AppConfig `heartbeatInterval`; SDK §18).
  @Test(arguments: [true, false]) func aHeartbeatComesAtRest(isMoving: Bool) {
    let stage = Stage { $0.app.heartbeatIntervalSeconds = 60 }
    stage.event(.heartbeat(stage.location(isMoving: isMoving)))
    #expect(stage.violated.contains(.heartbeat) == isMoving)
  }
}
