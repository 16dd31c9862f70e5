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

/// I32: a phone that comes to rest before its time, or where it must not, is found out.
@Suite struct StopTimeoutTests {
  enum Rest: CaseIterable {
    case inTime, early, unsure, movedOn, moving, unknown, commanded, configured, restarted, faulty, firstOfAll,
      foundLate
  }

  /// It rests `stopTimeout` after its sensors were sure of it (SDK §12.6.1); on iOS of an unknown activity, too.
  @Test(arguments: Rest.allCases, [DevicePlatform.ios, .android])
  func aPhoneComesToRest(_ rest: Rest, on platform: DevicePlatform) {
    let stage = StopTimeoutTests.phone(platform) { $0.geolocation.stopTimeoutMinutes = 5 }
    if rest != .firstOfAll { stage.event(.motionChange(stage.location())) }
    stage.pass(seconds: 1_000)
    stage.tell(.sensed(Activity(.inVehicle, confidence: 100)))
    stage.pass(seconds: 100)
    switch rest {
    case .unknown: stage.tell(.sensed(Activity(.unknown, confidence: 100)))
    case .unsure: stage.tell(.sensed(Activity(.still, confidence: 10)))
    case .moving: break
    default: stage.tell(.sensed(Activity(.still, confidence: 100)))
    }
    stage.pass(seconds: 240)
    if rest == .movedOn { stage.tell(.sensed(Activity(.inVehicle, confidence: 100))) }
    if ![.early, .firstOfAll].contains(rest) { stage.pass(seconds: 70) }
    // The next trips begin before the position of the rest is found.
    if rest == .foundLate {
      for activity in [
        Activity(.inVehicle, confidence: 100), Activity(.still, confidence: 90), Activity(.walking, confidence: 90),
      ] {
        stage.tell(.sensed(activity))
        stage.pass(seconds: 5)
      }
    }
    switch rest {
    case .commanded: stage.tell(.told(.commanded(.changePace(isMoving: false))))
    case .configured: stage.tell(.configured(Runs.configuration(platform)))
    case .restarted: stage.tell(.launched(Launch()))
    case .faulty: stage.begin(.device(DeviceFault()))
    default: break
    }
    stage.event(.motionChange(stage.location(isMoving: false)))
    let isWrong =
      [.early, .unsure, .movedOn, .moving].contains(rest) || rest == .unknown && platform == .android
    #expect(StopTimeoutTests.isFound(stage) == isWrong, "\(rest)")
  }

  /// Without stop detection Android does not come to rest, and with `stopOnStationary` tracking ends (SDK §12.6.3, §12.6.5).
  @Test(
    arguments: [
      (DevicePlatform.android, true, false, true), (.ios, true, false, false), (.android, false, true, true),
      (.ios, false, true, true), (.ios, true, true, false), (.android, false, false, false),
    ] as [(DevicePlatform, Bool, Bool, Bool)])
  func aPhoneThatDoesNotStop(platform: DevicePlatform, isDisabled: Bool, isEnding: Bool, isFound: Bool) {
    let stage = StopTimeoutTests.phone(platform) {
      ($0.activity.disableStopDetection, $0.activity.stopOnStationary) = (isDisabled, isEnding)
    }
    stage.event(.motionChange(stage.location()))
    stage.pass(seconds: 100)
    stage.tell(.sensed(Activity(.still, confidence: 100)))
    stage.pass(seconds: 350)
    stage.event(.motionChange(stage.location(isMoving: false)))
    #expect(StopTimeoutTests.isFound(stage) == isFound)
  }

  enum Late: CaseIterable { case late, inTime, heardBefore, unsure, driving, indoors, outlier, position, delayed }

  /// It rests soon after `stopTimeout` (SDK §12.3), where it truly rests and its sensors and its receiver say nothing else.
  @Test(arguments: Late.allCases) func aPhoneComesToRestTooLate(_ late: Late) {
    let stage = StopTimeoutTests.phone(.ios) {
      $0.geolocation.stopTimeoutMinutes = 5
      if late == .delayed { $0.activity.stopDetectionDelay = 600 }
    }
    if late == .indoors { stage.stay(0, cover: .tunnel) }
    if late == .heardBefore { stage.tell(.sensed(Activity(.still, confidence: 100))) }
    stage.event(.motionChange(stage.location()))
    stage.pass(seconds: 400)
    if late == .driving { stage.go(from: 0, to: 1_000, seconds: 100) }
    if late != .heardBefore { stage.tell(.sensed(Activity(.still, confidence: 100))) }
    if late == .driving { stage.go(from: 1_000, to: 2_000, seconds: 100) }
    if late == .outlier { stage.tell(.strayed(metres: 500)) }
    stage.wait(late == .inTime ? 400 : 300)
    if late == .unsure { stage.tell(.sensed(Activity(.walking, confidence: 10))) }
    if late == .position { stage.event(.location(stage.location())) }
    if late != .inTime { stage.wait(600) }
    stage.event(.motionChange(stage.location(isMoving: false)))
    #expect(StopTimeoutTests.isFound(stage) == (late == .late))
  }

  private static func phone(_ platform: DevicePlatform, _ configure: (inout Configuration) -> Void) -> Stage {
    let stage = Stage(platform: platform, configure)
    stage.stay(0)
    stage.tell(.asked(.start))
    stage.pass(seconds: 100)
    return stage
  }

  private static func isFound(_ stage: Stage) -> Bool {
    stage.oracle.violations.violations.contains { $0.rule == .motionLiveness && $0.what.contains("comes to rest") }
  }
}
