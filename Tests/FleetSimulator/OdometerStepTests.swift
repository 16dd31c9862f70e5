import Base
import Contract
import Engine
import Host
import Scenario
import Testing
import Vocabulary

@testable import FleetSimulator
@testable import Oracle

/// I17: the error of the odometer and what crossings do to it.
@Suite struct OdometerStepTests {
  /// The error is the root of the sum of the squares of the error before and of the accuracies of both ends of the step (SDK §17.4):
  /// from 0 with positions of 5 m to 7.07, from 23.15 with 9.18 m to 26.54 (SDK §17).
  @Test(
    arguments: [
      (0.0, 5.0, 7.07, false), (7.07, 5, 10, false), (23.15, 9.18, 26.54, false),
      (7.07, 5, 14.14, true),
      (7.07, 5, 8.66, true),
    ] as [(Double, Double, Double, Bool)])
  func theErrorGrowsByBothAccuracies(before: Double, accuracy: Double, after: Double, isFound: Bool) {
    let stage = drive(before: before, accuracy: accuracy, after: after) { _ in }
    #expect(stage.violated.contains(.odometerTolerance) == isFound)
  }

  enum Between: CaseIterable { case nothing, motionChange, crossing, poor, filtered, standstill }

  /// Whatever else comes between two records leaves the error open.
  @Test(arguments: Between.allCases) func whatComesBetweenLeavesTheErrorOpen(_ between: Between) {
    let stage = drive(
      before: 7.07, accuracy: 5, after: between == .standstill ? 7.07 : 30,
      metres: between == .standstill ? 0 : 100
    ) { stage in
      switch between {
      case .nothing, .standstill: break
      case .motionChange: stage.event(.motionChange(stage.location()))
      case .crossing:
        var record = stage.location(odometer: 1_000)
        (record.event, record.odometerError) = (.geofence, 7.07)
        stage.event(.location(record))
      case .poor:
        var record = stage.location(odometer: 1_000)
        (record.coords.accuracy, record.odometerError) = (50, 7.07)
        stage.event(.location(record))
      case .filtered:
        stage.event(
          .locationFilter(
            FilteredLocation(
              record: stage.location(), reason: "implied-speed", thresholdMetres: 100, crossing: nil
            )))
      }
    }
    let isNamed = stage.oracle.violations.violations.contains {
      $0.what.contains("accuracies of the step")
    }
    #expect(isNamed == (between == .nothing))
  }

  private func drive(
    before: Double, accuracy: Double, after: Double, metres: Double = 100,
    _ between: (Stage) -> Void
  ) -> Stage {
    let stage = Stage(behaviour: .documented)
    stage.stay(0)
    stage.tell(.asked(.start))
    for (odometer, error) in [(1_000, before), (1_000 + metres, after)] {
      stage.pass(seconds: 10)
      var record = stage.location(odometer: odometer)
      (record.coords.accuracy, record.odometerError) = (accuracy, error)
      stage.event(.location(record))
      if odometer == 1_000 { between(stage) }
    }
    return stage
  }

  /// A command that sets the odometer sets its error to 0 (LocationEvent `odometerError`); positions that come before its record add to it.
  @Test(
    arguments: [(0.0, false), (40, false), (500, true)] as [(Double, Bool)],
    [Command.resetOdometer, .setOdometer(metres: 70)])
  func theErrorIsZeroWhereTheOdometerIsSet(_ set: (error: Double, isFound: Bool), command: Command) {
    let stage = Stage.started()
    stage.pass(seconds: 10)
    tell(stage, odometer: 5_000, error: 500)
    stage.tell(.told(.commanded(command)))
    stage.pass(seconds: 3)
    tell(stage, odometer: command == .resetOdometer ? 0 : 70, error: set.error)
    #expect(
      stage.oracle.violations.violations.contains {
        $0.what.contains("a command has set the odometer")
      } == set.isFound)
  }

  private func tell(
    _ stage: Stage, odometer: Double, error: Double, event: RecordEvent? = nil,
    metresNorth: Double = 0
  ) {
    var record = stage.location(odometer: odometer, metresNorth: metresNorth)
    (record.odometerError, record.coords.accuracy, record.event) = (error, 5, event)
    stage.event(.location(record))
  }

  enum Crossing: CaseIterable { case still, grown, withPosition, observed, command }

  /// While locations are tracked a crossing does not advance the odometer; a position of the same instant does (SDK §17.5).
  @Test(arguments: Crossing.allCases) func aCrossingOnTheWay(_ crossing: Crossing) {
    let stage = Stage(behaviour: crossing == .observed ? .observed : .documented)
    stage.stay(0)
    stage.tell(.asked(.start))
    stage.pass(seconds: 10)
    tell(stage, odometer: 1_000, error: 7)
    stage.pass(seconds: 10)
    if crossing == .command { stage.tell(.told(.commanded(.changePace(isMoving: true)))) }
    tell(stage, odometer: crossing == .still ? 1_000 : 1_100, error: 7, event: .geofence)
    if crossing == .withPosition { tell(stage, odometer: 1_100, error: 10) }
    stage.wait(10)
    let isNamed = stage.oracle.violations.violations.contains {
      $0.what.contains("with a crossing")
    }
    #expect(isNamed == (crossing == .grown))
  }

  enum Way: CaseIterable { case counted, uncounted, short, poor, restart, stopped, observed }

  /// In geofences-only mode the odometer grows from crossing to crossing (LocationEvent `odometer`), in one process without a stop.
  @Test(arguments: Way.allCases) func theWayBetweenCrossings(_ way: Way) {
    let stage = Stage(behaviour: way == .observed ? .observed : .documented)
    stage.stay(0)
    stage.tell(.asked(.startGeofences))
    stage.pass(seconds: 10)
    tell(stage, odometer: 1_000, error: 7, event: .geofence)
    stage.pass(seconds: 100)
    if way == .restart {
      stage.tell(.killed(isReboot: false))
      stage.tell(.launched(Launch()))
      stage.pass(seconds: 10)
    }
    if way == .stopped {
      stage.event(.enabledChange(isEnabled: false))
      stage.event(.enabledChange(isEnabled: true))
    }
    var record = stage.location(
      odometer: way == .counted ? 2_000 : 1_000, metresNorth: way == .short ? 150 : 1_000)
    (record.event, record.coords.accuracy) = (.geofence, way == .poor ? 60 : 5)
    stage.event(.location(record))
    let isNamed = stage.oracle.violations.violations.contains {
      $0.what.contains("between two crossings")
    }
    #expect(isNamed == (way == .uncounted))
  }
}
