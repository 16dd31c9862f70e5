import Base
import Contract
import Support
import Testing
import Vocabulary

@testable import Engine

/// Every sequence of what can happen to the motion machine, held against the model of SDK §12.
@Suite struct MotionSpaceTests {
  private func rig(_ platform: DevicePlatform) -> EngineRig {
    var rig = EngineRig(platform) {
      $0.geolocation.stopTimeoutMinutes = 1
      $0.activity.minimumActivityRecognitionConfidence = 75
      $0.activity.motionTriggerDelayMilliseconds = 11_000
      $0.app.heartbeatIntervalSeconds = 0
    }
    rig.send(.ready(Launch()))
    return rig
  }

  private func take(_ step: MotionModel.Step, _ rig: inout EngineRig) {
    rig.wait(1)
    switch step {
    case .still: rig.act(.still)
    case .unsureStill: rig.act(.still, 33)
    case .vehicle: rig.act(.inVehicle)
    case .unsureVehicle: rig.act(.inVehicle, 33)
    case .sampleHere: rig.sample()
    case .sampleAway: rig.sample(north: 500)
    case .fastSample: rig.sample(speed: 8)
    case .regionExit: rig.send(.stationaryRegionExit(nil))
    case .fixAway: rig.drive(north: 1_000)
    case .paceMoving: rig.send(.call(.changePace(isMoving: true)))
    case .paceStill: rig.send(.call(.changePace(isMoving: false)))
    case .wait11: rig.wait(11)
    case .wait60: rig.wait(60)
    case .start: rig.send(.call(.start))
    case .stop: rig.send(.call(.stop))
    }
  }

  private func summary(_ engine: borrowing Engine) -> MotionSummary {
    MotionSummary(
      isEnabled: engine.state.isEnabled, isMoving: engine.state.isMoving, isSettling: engine.isSettling,
      isQuerying: engine.isLookingForState, hasPlace: engine.state.stationaryPlace != nil,
      hasTrigger: engine.timers.isRunning(.motionTrigger), isStopping: engine.timers.isRunning(.stopTimeout),
      isLocating: engine.demands.locationUpdates != nil)
  }

  /// Depth first; the first sequence that differs is reported.
  private func explore(
    _ rig: EngineRig, _ model: MotionModel, _ alphabet: [MotionModel.Step], depth: Int, path: [MotionModel.Step],
    steps: inout Int
  ) -> String? {
    guard depth > 0 else { return nil }
    for step in alphabet {
      var (rig, model) = (rig, model)
      take(step, &rig)
      _ = rig.take()
      model.take(step)
      steps += 1
      if summary(rig.engine) != model.summary {
        return "after \(path + [step]): engine \(summary(rig.engine)), model \(model.summary)"
      }
      if let found = explore(rig, model, alphabet, depth: depth - 1, path: path + [step], steps: &steps) {
        return found
      }
    }
    return nil
  }

  /// All steps, then fewer and fewer of them in longer sequences, after a start.
  static let spaces: [(alphabet: [MotionModel.Step], depth: Int)] = [
    (MotionModel.Step.allCases, 4),
    ([.still, .vehicle, .sampleHere, .sampleAway, .regionExit, .paceStill, .wait11, .wait60, .stop, .start], 5),
    ([.still, .vehicle, .sampleHere, .fastSample, .fixAway, .wait11, .wait60], 6),
  ]

  @Test(arguments: DevicePlatform.allCases, spaces.indices)
  func everySequenceAgreesWithTheModel(platform: DevicePlatform, space: Int) {
    let (alphabet, depth) = MotionSpaceTests.spaces[space]
    var (rig, model) = (rig(platform), MotionModel(platform: platform))
    take(.start, &rig)
    model.take(.start)
    var steps = 0
    #expect(explore(rig, model, alphabet, depth: depth, path: [.start], steps: &steps) == nil)
    #expect(steps > 50_000)
  }

  @Test(arguments: DevicePlatform.allCases)
  func longWalksAgreeToo(platform: DevicePlatform) {
    for seed in 0..<400 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      var (rig, model) = (rig(platform), MotionModel(platform: platform))
      var path: [MotionModel.Step] = []
      for _ in 0..<60 {
        let step = MotionModel.Step.allCases[Int(generator.next() % UInt64(MotionModel.Step.allCases.count))]
        path.append(step)
        take(step, &rig)
        _ = rig.take()
        model.take(step)
        guard summary(rig.engine) == model.summary else {
          Issue.record("seed \(seed), \(path): engine \(summary(rig.engine)), model \(model.summary)")
          return
        }
      }
    }
  }
}
