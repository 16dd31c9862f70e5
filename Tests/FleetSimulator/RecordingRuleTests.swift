import Base
import Contract
import Oracle
import Scenario
import Testing
import World

@testable import FleetSimulator

/// A position that is worse than `trackingAccuracyThreshold` is no record (SDK §14.2.1).
@Suite struct RecordingRuleTests {
  @Test(
    arguments: [
      (150, 100, []), (90, 100, [Invariant.recording]), (150, 200, [.recording]), (400, 200, []),
    ] as [(Double, Double, [Invariant])])
  func aDriveUnderAPoorSky(accuracy: Double, threshold: Double, violated: [Invariant]) {
    let stage = Stage.started { $0.geolocation.filter.trackingAccuracyThresholdMetres = threshold }
    stage.tell(.strayed(metres: 0, accuracyMetres: accuracy))
    stage.go(from: 0, to: 20_000, seconds: 1_000)
    #expect(stage.violated == violated)
  }

  /// In a tunnel it has found no place to rest at, and no activity is sure enough to show that it departs (SDK §12.4.1).
  @Test(arguments: [(100, []), (75, [Invariant.recording])])
  func aDriveOutOfATunnelWithoutASureActivity(confidence: Int, violated: [Invariant]) {
    let stage = Stage { $0.activity.minimumActivityRecognitionConfidence = confidence }
    stage.stay(0, cover: .tunnel)
    stage.tell(.asked(.start))
    stage.wait(300)
    stage.stay(0)
    stage.wait(300)
    stage.go(from: 0, to: 20_000, seconds: 1_000)
    #expect(stage.violated.filter { $0 == .recording } == violated)
  }

  /// Once the sky is good again, the rest of the way counts.
  @Test(arguments: [(950, []), (300, [Invariant.recording])] as [(Int, [Invariant])])
  func aDriveOutOfAPoorSky(poorSeconds: Int, violated: [Invariant]) {
    let stage = Stage.started()
    stage.tell(.strayed(metres: 120, accuracyMetres: 150))
    var seconds = 0
    stage.go(from: 0, to: 20_000, seconds: 1_000) {
      seconds += 10
      if seconds == poorSeconds { stage.tell(.strayed(metres: 0)) }
    }
    #expect(stage.violated == violated)
  }
}
