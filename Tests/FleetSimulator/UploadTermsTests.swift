import Base
import Contract
import Engine
import Host
import Scenario
import Testing
import Upload
import Vocabulary
import World

@testable import FleetSimulator
@testable import Oracle

/// Uploads that leave records behind, go without a network or do not come, heartbeats that are stored, and errors of the odometer
/// that do not grow.
@Suite struct UploadTermsTests {
  /// Without `maxBatchSize` all that wait go (SDK §8.4), but those that came meanwhile.
  @Test(
    arguments: [
      (-1, 3, "", []), (-1, 2, "", [.batchBounds]), (2, 2, "", []), (5, 2, "", []), (-1, 2, "refresh", []),
      (-1, 2, "configured", []), (-1, 2, "new", []),
    ] as [(Int, Int, String, [Invariant])])
  func anUploadWithoutALimitHoldsAll(limit: Int, sent: Int, meanwhile: String, violated: [Invariant]) {
    let stage = Stage { $0.http.maxBatchSize = limit }
    var records = (0..<(meanwhile == "new" ? 2 : 3)).map { _ in stage.insert() }
    stage.pass(seconds: 60)
    if meanwhile == "new" { records.append(stage.insert()) }
    if meanwhile == "refresh" { stage.end(stage.send([], .refresh, secondsAgo: 10), status: 200) }
    if meanwhile == "configured", let told = stage.oracle.ledger.truth.lives[0].configuration {
      stage.tell(.configured(told))
    }
    stage.send(Array(records.prefix(sent)), secondsAgo: 5)
    #expect(stage.violated.filter { $0 == .batchBounds } == violated)
  }

  /// With `DESC` the newest record goes first (SDK §8.4), of those that were there when the rows were taken.
  @Test(arguments: [(1, 60, false, false), (0, 60, false, true), (0, 1, false, false), (0, 60, true, false)])
  func theNewestRecordGoesFirst(sent: Int, seconds: Int64, isRefreshed: Bool, isFound: Bool) {
    let stage = Stage { ($0.persistence.locationsOrderDirection, $0.http.batchSync) = (.descending, false) }
    let records = [stage.insert(), stage.insert()]
    stage.pass(seconds: seconds)
    if isRefreshed { stage.end(stage.send([], .refresh), status: 200) }
    stage.send([records[sent]])
    #expect(stage.violated.contains(.order) == isFound)
  }

  /// After an upload without an answer inserts wait for ten records (SDK §9.3.2); what ends the waiting, and what does not wait.
  @Test(
    arguments: [
      (9, FlushTrigger.insert, "", true), (10, .insert, "", false), (3, .heartbeat, "", false),
      (3, .insert, "network", false),
      (3, .insert, "answer", false), (3, .insert, "restart", false), (3, .insert, "short queue", false),
      (3, .insert, "earlier flush", false), (3, .insert, "status", false),
    ] as [(Int, FlushTrigger, String, Bool)])
  func insertsWaitAfterASilence(count: Int, trigger: FlushTrigger, change: String, isFound: Bool) {
    let stage = Stage { if change == "short queue" { $0.persistence.maxRecordsToPersist = 5 } }
    let record = stage.insert()
    let request = stage.send([record])
    stage.pass(seconds: 1)
    if change == "status" {
      stage.end(request, status: 500)
    } else {
      stage.tell(.ended(request: request, .failed(.timeout, message: "")))
    }
    switch change {
    case "network": stage.tell(.network(.wifi), on: .wifi)
    case "answer": stage.end(stage.send([], .log), status: 500)
    case "restart":
      stage.tell(.killed(isReboot: false))
      stage.tell(.launched(Launch()))
    default: break
    }
    for _ in 0..<count {
      stage.pass(seconds: 10)
      stage.insert()
    }
    stage.send([record], because: trigger, secondsAgo: change == "earlier flush" ? 1_000 : 0)
    let isTold = stage.oracle.violations.violations.contains { $0.what.contains("without an answer") }
    #expect(isTold == isFound)
  }

  /// Without a network nothing is sent, unless it went at the instant of the change (SDK §8.5.7).
  @Test(
    arguments: [(RadioNetwork.none, 10, true), (.none, 0, false), (.lte, 10, false)] as [(RadioNetwork, Int64, Bool)])
  func nothingIsSentWithoutANetwork(network: RadioNetwork, seconds: Int64, isFound: Bool) {
    let stage = Stage()
    let record = stage.insert()
    stage.tell(.network(network), on: network)
    stage.pass(seconds: seconds)
    stage.send([record], on: network)
    #expect(stage.violated.contains(.triggerLegality) == isFound)
  }

  /// When its user opens an app, what waits is sent (HttpConfig 64).
  @Test(arguments: [true, false]) func whatWaitsIsSentWhenTheAppIsOpened(isSent: Bool) {
    let stage = Stage()
    let record = stage.insert()
    stage.end(stage.send([record]), status: 500)
    stage.pass(seconds: 60)
    stage.tell(.opened)
    if isSent { stage.upload([record]) }
    stage.wait(60)
    #expect(stage.violated.contains(.uploadDue) == !isSent)
  }

  /// A heartbeat tells the last known position, and is no record (SDK §18.4).
  @Test(arguments: [true, false]) func aHeartbeatIsNoRecord(isRecord: Bool) {
    let stage = Stage { $0.app.heartbeatIntervalSeconds = 60 }
    var record = stage.location(isMoving: false)
    record.event = .heartbeat
    stage.event(isRecord ? .location(record) : .heartbeat(record))
    #expect(stage.violated.contains(.heartbeat) == isRecord)
  }

  /// The error of the odometer grows with it, and is 0 again when it is set (LocationEvent `odometerError`).
  @Test(
    arguments: [
      (100.0, 5.0, 7.0, nil, false), (100, 5, 5, nil, true), (100, 0, 0, nil, true), (100, 7, 5, nil, true),
      (0, 5, 5, nil, false), (100, 7, 5, Command.resetOdometer, false), (100, 7, 7.1, Command.stop, false),
    ] as [(Double, Double, Double, Command?, Bool)])
  func theErrorOfTheOdometerGrows(metres: Double, before: Double, after: Double, command: Command?, isFound: Bool) {
    let stage = Stage.started()
    stage.pass(seconds: 10)
    tell(stage, odometer: 1_000, error: before)
    if let command { stage.tell(.told(.commanded(command))) }
    stage.pass(seconds: 10)
    tell(stage, odometer: (command == .resetOdometer ? 500 : 1_000) + metres, error: after)
    #expect(stage.oracle.violations.violations.contains { $0.what.contains("odometer_error") } == isFound)
  }

  private func tell(_ stage: Stage, odometer: Double, error: Double) {
    var record = stage.location(odometer: odometer)
    (record.odometerError, record.coords.accuracy) = (error, 5)
    stage.event(.location(record))
  }
}
