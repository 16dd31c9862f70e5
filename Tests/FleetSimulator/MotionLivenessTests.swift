import Base
import Contract
import Engine
import Oracle
import Scenario
import Testing
import Vocabulary
import World

@testable import FleetSimulator

/// I32: what truly rests is at rest for the SDK some time later, and what sets off is on its way.
@Suite struct MotionLivenessTests {
  @Test(arguments: [(400, []), (2_000, [Invariant.motionLiveness])])
  func aStillDeviceBecomesStationary(seconds: Int, violated: [Invariant]) {
    let stage = Stage.started()
    stage.event(.motionChange(stage.location()))
    stage.tell(.sensed(Activity(.still, confidence: 100)))
    stage.wait(Int64(seconds))
    stage.event(.motionChange(stage.location(isMoving: false)))
    #expect(stage.violated == violated)
  }

  /// In geofences-only mode there is no rest (SDK §15.6).
  @Test(arguments: [
    (["1-7 09:00-12:00"], [Invariant.motionLiveness]), (["1-7 09:00-10:20", "1-7 10:20-12:00 geofence"], []),
  ])
  func aScheduleMayEndTheWatchForARest(schedule: [String], violated: [Invariant]) {
    let stage = Stage {
      $0.app.schedule = schedule
      $0.app.scheduleUseAlarmManager = true
    }
    stage.stay(0)
    stage.tell(.asked(.startSchedule))
    var state = EngineState()
    state.isEnabled = true
    stage.event(.schedule(state))
    stage.wait(700)
    stage.event(.motionChange(stage.location()))
    stage.wait(2_000)
    #expect(stage.violated.filter { $0 == .motionLiveness } == violated)
  }

  /// SDK §12.6.4: a place where no position is to be had ends the attempt, and there is no motion change.
  @Test(arguments: [(nil as Cover.Kind?, [Invariant.motionLiveness]), (.deadZone, [.motionLiveness]), (.tunnel, [])])
  func aRestWithoutPositionsIsNotTold(cover: Cover.Kind?, violated: [Invariant]) {
    let stage = Stage.started()
    stage.event(.motionChange(stage.location()))
    stage.stay(0, cover: cover)
    stage.tell(.sensed(Activity(.still, confidence: 100)))
    stage.wait(2_000)
    #expect(stage.violated == violated)
  }

  /// SDK §12.6.2: a receiver that errs by more than `stationaryRadius` delays a rest on Android.
  @Test(arguments: [
    (DevicePlatform.android, 10.0, [Invariant.motionLiveness]), (.android, 60, []),
    (.ios, 60, [.motionLiveness]),
  ])
  func aPositionElsewhereDelaysARest(platform: DevicePlatform, metres: Double, violated: [Invariant]) {
    let stage = Stage(platform: platform) { $0.geolocation.stationaryRadiusMetres = 50 }
    stage.stay(0)
    stage.tell(.asked(.start))
    stage.event(.motionChange(stage.location()))
    stage.tell(.sensed(Activity(.still, confidence: 100)))
    stage.wait(500)
    stage.event(.location(stage.location(metresNorth: metres)))
    stage.wait(800)
    stage.event(.motionChange(stage.location(isMoving: false)))
    #expect(stage.violated == violated)
  }

  /// SDK §12.6.6: sensors are sure of a rest at some time, so that an SDK which has told of none, or of a doubtful one, is as late.
  @Test(arguments: [nil, 74, 75, 100] as [Int?], [1_400, 2_000] as [Int64])
  func aRestOfWhichNothingIsToldIsARest(confidence: Int?, seconds: Int64) {
    let stage = Stage.started()
    stage.event(.motionChange(stage.location()))
    if let confidence { stage.tell(.sensed(Activity(.still, confidence: confidence))) }
    stage.wait(seconds)
    let isSure = confidence.map { $0 >= 75 } ?? false
    #expect(stage.violated == (isSure || seconds > 1_500 ? [.motionLiveness] : []))
  }

  /// A phone at rest that its app makes move (`changePace`), and one that its sensors take for a walker now and then.
  @Test func whatIsNoRestForTheSensorsIsNone() {
    let stage = Stage.started()
    stage.event(.motionChange(stage.location(isMoving: false)))
    stage.wait(3_000)
    stage.event(.motionChange(stage.location()))
    for _ in 0..<5 {
      stage.wait(1_000)
      stage.tell(.sensed(Activity(.onFoot, confidence: 90)))
    }
    #expect(stage.violated == [])
    stage.wait(2_000)
    #expect(stage.violated == [.motionLiveness])
  }

  /// SDK §12.6.1: at a light, of which the way behind it is the end; the sensor says "still" again or it does not.
  @Test(arguments: [(false, 1_200, []), (true, 1_200, [Invariant.motionLiveness]), (false, 2_000, [.motionLiveness])])
  func aStillOnTheWayIsNoRest(isToldAgain: Bool, seconds: Int64, violated: [Invariant]) {
    let stage = Stage.started()
    stage.event(.motionChange(stage.location()))
    var steps = 0
    stage.go(from: 0, to: 8_000, seconds: 800) {
      steps += 1
      if steps == 70 { stage.tell(.sensed(Activity(.still, confidence: 100))) }
      stage.event(.location(stage.location()))
    }
    if isToldAgain { stage.tell(.sensed(Activity(.still, confidence: 100))) }
    stage.wait(seconds)
    #expect(stage.violated == violated)
  }

  /// On iOS updates that must not pause leave no way to stop (SDK §12.6.3).
  @Test(arguments: DevicePlatform.allCases)
  func aDeviceWithoutStopDetectionNeedNotBecomeStationary(platform: DevicePlatform) {
    let stage = Stage(platform: platform) {
      if platform == .ios {
        $0.geolocation.pausesLocationUpdatesAutomatically = false
      } else {
        $0.activity.disableStopDetection = true
      }
    }
    stage.stay(0)
    stage.tell(.asked(.start))
    stage.event(.motionChange(stage.location()))
    stage.tell(.sensed(Activity(.still, confidence: 100)))
    stage.wait(10_000)
    #expect(stage.violated == [])
  }

  @Test(arguments: [(true, []), (false, [Invariant.motionLiveness])])
  func aDeviceThatSetsOffBecomesMoving(isTold: Bool, violated: [Invariant]) {
    let stage = Stage.started()
    stage.event(.motionChange(stage.location(isMoving: false)))
    var steps = 0
    stage.go(from: 0, to: 8_000, seconds: 800) {
      steps += 1
      if steps == 30 && isTold { stage.event(.motionChange(stage.location())) }
      if steps > 30 { stage.event(.location(stage.location())) }
    }
    #expect(stage.violated == violated)
  }

  /// It sets off in a tunnel, where no motion change is recorded, and goes on from its end (SDK §12.6.4).
  @Test(arguments: [true, false])
  func aDeviceThatSetsOffInATunnelIsMoving(isCovered: Bool) {
    let stage = Stage.started()
    stage.event(.motionChange(stage.location(isMoving: false)))
    stage.stay(0, cover: isCovered ? .tunnel : nil)
    stage.pass(seconds: 10)
    stage.go(from: 0, to: 300, seconds: 100) { stage.event(.location(stage.location())) }
    stage.pass(seconds: 600)
    stage.go(from: 300, to: 8_000, seconds: 800) { stage.event(.location(stage.location())) }
    #expect(stage.violated == (isCovered ? [] : [.motionLiveness]))
  }
}
