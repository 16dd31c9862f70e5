import Base
import Contract
import Engine
import Host
import Oracle
import Scenario
import Testing
import Vocabulary

@testable import FleetSimulator

/// I32, I16: a phone that ignores `triggerActivities`, or activity updates that are off, is found out.
@Suite struct TriggerActivityTests {
  enum Cause: CaseIterable {
    case other, none, listed, onFoot, listedBefore, farAway, command, poorPosition, restart, noList
  }

  /// A device at rest begins to move with an activity of the list only (SDK §2.7, §12.4.1). A command and a position outside
  /// the region need none (SDK §12.1).
  @Test(arguments: Cause.allCases) func aTripBeginsWithAListedActivity(_ cause: Cause) {
    let stage = Stage.started {
      $0.activity.triggerActivities = cause == .noList ? "" : cause == .onFoot ? "on_foot" : "on_bicycle,in_vehicle"
    }
    stage.event(.motionChange(stage.location()))
    stage.tell(.sensed(Activity(cause == .listedBefore ? .inVehicle : .still, confidence: 100)))
    stage.wait(600)
    stage.event(.motionChange(stage.location(isMoving: false)))
    stage.wait(600)
    switch cause {
    case .listed: stage.tell(.sensed(Activity(.inVehicle, confidence: 30)))
    case .command: stage.tell(.told(.commanded(.changePace(isMoving: true))))
    case .poorPosition: stage.tell(.strayed(metres: 400))
    case .restart:
      stage.tell(.killed(isReboot: false))
      stage.tell(.launched(Launch()))
    case .other, .none, .onFoot, .listedBefore, .farAway, .noList: break
    }
    if cause != .none { stage.tell(.sensed(Activity(.walking, confidence: 100))) }
    stage.go(from: 0, to: cause == .farAway ? 300 : 60, seconds: 40)
    stage.event(.motionChange(stage.location(isMoving: true)))
    let isNamed = stage.oracle.violations.violations.contains { $0.what.contains("triggerActivities") }
    #expect(isNamed == (cause == .other || cause == .none))
  }

  enum Heard: CaseIterable { case listed, unsure, other, mistake, nothing, late }

  /// With a listed activity a device departs as it does without a list (SDK §12.4.1).
  @Test(arguments: Heard.allCases) func aTripWithAListedActivityIsNoticed(_ heard: Heard) {
    let stage = Stage.started { $0.activity.triggerActivities = "in_vehicle" }
    stage.event(.motionChange(stage.location(isMoving: false)))
    stage.wait(600)
    var seconds: Int64 = 0
    stage.go(from: 0, to: 20_000, seconds: 1_600) {
      seconds += 10
      switch (heard, seconds) {
      case (.listed, 20), (.mistake, 20): stage.tell(.sensed(Activity(.inVehicle, confidence: 100)))
      case (.unsure, 20): stage.tell(.sensed(Activity(.inVehicle, confidence: 30)))
      case (.other, 20): stage.tell(.sensed(Activity(.walking, confidence: 100)))
      case (.mistake, 60): stage.tell(.sensed(Activity(.still, confidence: 80)))
      case (.late, 1_400): stage.tell(.sensed(Activity(.inVehicle, confidence: 100)))
      default: break
      }
    }
    stage.wait(600)
    #expect(stage.violated.contains(.motionLiveness) == (heard == .listed))
  }

  /// Without activity updates the sensors report nothing (SDK §2.7).
  @Test(arguments: [true, false], [0, 1] as [Int64]) func activitiesAreNotAskedFor(isOff: Bool, seconds: Int64) {
    let stage = Stage.started()
    stage.pass(seconds: 100)
    var configuration = Runs.configuration()
    configuration.activity.disableMotionActivityUpdates = isOff
    stage.tell(.configured(configuration))
    stage.pass(seconds: seconds)
    stage.tell(.sensed(Activity(.walking, confidence: 100)))
    #expect(stage.violated.contains(.motion) == (isOff && seconds > 0))
  }
}
