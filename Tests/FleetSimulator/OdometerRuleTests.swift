import Base
import Contract
import Engine
import Host
import Scenario
import Testing
import Vocabulary

@testable import FleetSimulator
@testable import Oracle

/// I17 allows what the SDK's odometer does on a right phone (SDK §17).
@Suite struct OdometerRuleTests {
  /// The straight way counts (SDK §17.5), as for a phone that leaves its fleet and returns elsewhere.
  @Test(arguments: [(29_900.0, []), (90, [.odometerTolerance])] as [(Double, [Invariant])])
  func theOdometerCountsNoMoreThanTheWay(metres: Double, violated: [Invariant]) {
    let stage = Stage(behaviour: .documented)
    record(stage, north: 0, odometer: 0, metres: 10)
    record(stage, north: 100, odometer: 30_000, metres: 10 + metres)
    record(stage, north: 200, odometer: 30_100, metres: 110 + metres)
    #expect(stage.violated.filter { $0 == .odometerTolerance } == violated)
  }

  /// Positions that are too poor to count may come with the odometer that a command has set. The way since the first of them
  /// counts at the first good one, and what the filter takes from that step it adds to the next (SDK §17.1, §17.3, §17.7).
  @Test(arguments: [(4_000.0, []), (9_000, [.odometerTolerance])] as [(Double, [Invariant])])
  func theWayOfPoorPositionsCountsLater(step: Double, violated: [Invariant]) {
    let stage = Stage(behaviour: .documented)
    record(stage, north: 5_000, odometer: 0, metres: 0)
    stage.tell(.told(.commanded(.resetOdometer)))
    for north in stride(from: 0.0, through: 4_900, by: 100) {
      record(stage, north: north, odometer: 0, metres: 5_000 + north, accuracy: 60)
    }
    record(stage, north: 5_000, odometer: 5_000, metres: 10_000)
    record(stage, north: 5_100, odometer: 5_000 + step, metres: 10_100)
    #expect(stage.violated.filter { $0 == .odometerTolerance } == violated)
  }

  enum Poor: CaseIterable { case counted, skipped, good, configured, filtered, motionChange, unknown }

  /// A position that is less accurate than the threshold does not count (SDK §17.1); what comes between two records may.
  @Test(arguments: Poor.allCases) func aPositionThatIsTooPoorDoesNotCount(_ poor: Poor) {
    let stage = Stage { if poor == .configured { $0.geolocation.filter.odometerAccuracyThresholdMetres = 80 } }
    record(stage, north: 0, odometer: 0, metres: 0)
    switch poor {
    case .filtered:
      stage.event(
        .locationFilter(
          FilteredLocation(record: stage.location(), reason: "implied-speed", thresholdMetres: 100, crossing: nil)))
    case .motionChange: stage.event(.motionChange(stage.location()))
    case .unknown: stage.tell(.told(.commanded(.changePace(isMoving: true))))
    case .counted, .skipped, .good, .configured: break
    }
    record(stage, north: 100, odometer: poor == .skipped ? 0 : 100, metres: 100, accuracy: poor == .good ? 20 : 60)
    let isNamed = stage.oracle.violations.violations.contains { $0.what.contains("odometerAccuracyThreshold") }
    #expect(isNamed == (poor == .counted))
  }

  private func record(_ stage: Stage, north: Double, odometer: Double, metres: Double, accuracy: Double = 5) {
    stage.pass(seconds: 10)
    stage.tell(.stood(at: Stage.place(north), metres: metres))
    var record = stage.location(odometer: odometer, metresNorth: north)
    record.coords.accuracy = accuracy
    stage.event(.location(record))
  }
}
