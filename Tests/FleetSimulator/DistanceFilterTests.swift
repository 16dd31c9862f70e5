import Base
import Contract
import Engine
import Host
import Scenario
import Testing
import World

@testable import FleetSimulator
@testable import Oracle

/// I27: a phone that records positions nearer to each other than its distance filter allows is found out.
@Suite struct DistanceFilterTests {
  /// The distance is stretched with the speed, unless that is off (SDK §14.1).
  @Test(
    arguments: [
      (50.0, 1.0, 0.0, 50.0, false), (50, 1, 0, 20, true), (50, 1, 15, 190, false), (50, 1, 15, 90, true),
      (50, 0, 15, 50, false), (0, 1, 15, 1, false), (50, 1, nil, 30, false),
    ] as [(Double, Double, Double?, Double, Bool)])
  func positionsAreAsFarApartAsConfigured(
    filter: Double, multiplier: Double, speed: Double?, step: Double, isFound: Bool
  ) {
    for isElastic in [true, false] {
      let stage = Stage {
        ($0.geolocation.distanceFilterMetres, $0.geolocation.elasticityMultiplier) = (filter, multiplier)
        $0.geolocation.disableElasticity = !isElastic
      }
      drive(stage, step: step, speed: speed) { _ in }
      let isStretched = isElastic && multiplier > 0 && (speed ?? 0) > 0
      #expect(isNamed(.near, stage) == (isFound && (isStretched || step < filter / 2)))
    }
  }

  /// A phone that waits for several times the distance has another filter (SDK §14.1). Without a view of the sky there are no
  /// positions.
  @Test(
    arguments: [
      (15.0, 200.0, false), (15, 390, false), (15, 500, true), (0, 110, false), (0, 170, true), (nil, 900, false),
    ]
      as [(Double?, Double, Bool)],
    [Cover.Kind.tunnel, nil])
  func positionsAreNotMuchFartherApart(way: (speed: Double?, step: Double, isFar: Bool), cover: Cover.Kind?) {
    let stage = Stage { $0.geolocation.distanceFilterMetres = 50 }
    stage.stay(0, cover: cover)
    drive(stage, step: way.step, speed: way.speed) { _ in }
    #expect(isNamed(.far, stage) == (way.isFar && cover == nil))
  }

  enum Disturbance: CaseIterable { case none, motionChange, filtered, strayed, configured, odometer }

  /// Positions that the filter rejects, and whatever else comes between two records, leave open how far apart they are.
  @Test(arguments: Disturbance.allCases) func recordsMayBeNear(_ disturbance: Disturbance) {
    let stage = Stage { $0.geolocation.distanceFilterMetres = 50 }
    drive(stage, step: 10, speed: 0) { count in
      guard count % 4 == 0 else { return }
      switch disturbance {
      case .none: break
      case .motionChange: stage.event(.motionChange(stage.location()))
      case .filtered:
        stage.event(
          .locationFilter(
            FilteredLocation(record: stage.location(), reason: "low-accuracy", thresholdMetres: 100, crossing: nil)))
      case .strayed: stage.tell(.strayed(metres: 0, accuracyMetres: 200))
      case .configured: stage.tell(.configured(Runs.configuration(.android)))
      case .odometer: stage.tell(.told(.commanded(.resetOdometer)))
      }
    }
    #expect(isNamed(.near, stage) == (disturbance == .none))
  }

  private enum Difference: String { case near = "less than half of the", far = "much more than the" }

  private func drive(_ stage: Stage, step: Double, speed: Double?, _ between: (Int) -> Void) {
    for count in 1...12 {
      stage.pass(seconds: 10)
      var record = stage.location(isMoving: true, metresNorth: Double(count) * step)
      record.coords.speed = speed
      stage.event(.location(record))
      between(count)
    }
  }

  private func isNamed(_ difference: Difference, _ stage: Stage) -> Bool {
    stage.oracle.violations.violations.contains { $0.what.contains("\(difference.rawValue) distance filter") }
  }
}
