import Base
import Contract
import Engine
import Host
import Oracle
import Scenario
import Testing
import Vocabulary

@testable import FleetSimulator

/// I17: a phone that does not carry out a command to set its odometer, or sets another value, is found out.
@Suite struct OdometerRecordTests {
  enum Record: CaseIterable { case right, none, other, noPosition, oldPosition, stopped, failed, twice, late }

  /// A command makes a record that contains the value, with the position that it looks for (BGGeo 482, 499; SDK §17.6).
  @Test(arguments: Record.allCases, [Command.setOdometer(metres: 1_234.56), .resetOdometer])
  func aCommandMakesARecordWithItsValue(_ record: Record, command: Command) {
    let value = if case .setOdometer(let metres) = command { metres } else { 0.0 }
    let stage = Stage.started()
    stage.event(.motionChange(stage.location(odometer: 70)))
    stage.wait(60)
    stage.event(.location(stage.location(odometer: 80)))
    stage.wait(5)
    stage.tell(.told(.commanded(command)))
    switch record {
    case .right: stage.event(.location(stage.location(odometer: value)))
    case .other: stage.event(.location(stage.location(odometer: value + 200)))
    case .stopped: stage.event(.enabledChange(isEnabled: false))
    case .failed: stage.event(.locationError(.timeout))
    case .twice: stage.tell(.told(.commanded(.setOdometer(metres: 5_000))))
    case .none, .noPosition, .oldPosition, .late: break
    }
    stage.wait(4)
    var position = stage.location(odometer: value + 90)
    if record == .oldPosition { position.timestamp = position.timestamp.advanced(byMilliseconds: -5_000) }
    if record != .noPosition { stage.event(.location(position)) }
    stage.wait(10)
    if record == .late { stage.event(.location(stage.location(odometer: value))) }
    stage.wait(60)
    let isNamed = stage.oracle.violations.violations.contains { $0.what.contains("that a command has set at") }
    #expect(isNamed == (record == .none || record == .other))
  }
}
