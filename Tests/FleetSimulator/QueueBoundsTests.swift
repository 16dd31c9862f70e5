import Contract
import Engine
import Host
import Oracle
import Queue
import Scenario
import Testing
import Upload

@testable import FleetSimulator

/// I12 and I30 at a queue that is full: what makes room is told behind what needs it.
@Suite struct QueueBoundsTests {
  @Test func aQueueGrowsBeyondItsLimit() {
    let stage = Stage { $0.persistence.maxRecordsToPersist = 2 }
    let records = (0..<4).map { _ in
      stage.pass(seconds: 1)
      return stage.insert()
    }
    stage.pass(seconds: 1)
    stage.upload(records)
    #expect(stage.violated == [.bounds])
  }

  /// A phone that waited for Wi-Fi sends all that it has, however much a server would take (SDK §8.2).
  @Test func aBatchHasAsManyRecordsAsWaited() {
    let stage = Stage { ($0.persistence.maxRecordsToPersist, $0.http.maxBatchSize) = (-1, -1) }
    stage.upload((0..<10_001).map { _ in stage.insert() })
    #expect(stage.violated == [])
  }

  /// What makes room is told behind the records of its instant (SDK §7.4: after an insert).
  @Test(arguments: [true, false])
  func aQueueIsWeighedWhenItsInstantIsOver(makesRoom: Bool) {
    let stage = Stage { $0.persistence.maxRecordsToPersist = 1 }
    let records = (0..<3).map { _ in stage.insert() }
    if makesRoom { stage.delete(records[1], .room) }
    stage.send([records[0]])
    #expect(stage.violated.contains(.bounds) == !makesRoom)
  }

  /// An upload holds its row while new tokens are on their way.
  @Test(arguments: [1, 2])
  func aRowThatWaitsForATokenStaysBesideTheLimit(more: Int) {
    let stage = Stage { $0.persistence.maxRecordsToPersist = 1 }
    stage.insert()
    stage.send([], .refresh)
    for _ in 0..<more {
      stage.pass(seconds: 1)
      stage.insert()
    }
    #expect(stage.violated.contains(.bounds) == (more > 1))
  }

  /// The upload that began as the process ended holds its row, and has sent nothing (HttpConfig "Upload lifecycle").
  @Test(arguments: [1, 2])
  func aRowThatWasLockedAsTheProcessEndedStaysBesideTheLimit(more: Int) {
    let stage = Stage { ($0.persistence.maxRecordsToPersist, $0.http.batchSync) = (1, false) }
    for _ in 0...more { stage.insert() }
    stage.tell(.killed(isReboot: false))
    stage.pass(seconds: 1)
    stage.tell(.launched(Launch()))
    #expect(stage.violated.contains(.bounds) == (more > 1))
  }

  /// What failed needs no threshold while it is in the queue, and may have made room for another record.
  @Test(arguments: [true, false])
  func aRecordBelowTheThresholdIsNotDue(hasMadeRoom: Bool) {
    let stage = Stage { $0.http.autoSyncThreshold = 5 }
    let first = stage.insert()
    stage.event(.motionChange(stage.location()))
    stage.end(stage.send([first]), status: 500)
    stage.pass(seconds: 1)
    stage.insert()
    if hasMadeRoom { stage.delete(first, .room) }
    stage.pass(seconds: 60)
    stage.tell(.fetched)
    #expect(stage.violated.contains(.uploadDue) == !hasMadeRoom)
  }

  /// The commands of one answer may make a record and change the mode behind it.
  @Test(arguments: [(0, []), (1, [Invariant.bounds])] as [(Int64, [Invariant])])
  func aRecordOfTheInstantInWhichTheModeChanges(afterSeconds: Int64, violated: [Invariant]) {
    let stage = Stage()
    stage.pass(seconds: 10)
    let row = stage.insert()
    var configuration = Runs.configuration()
    configuration.persistence.persistMode = .geofence
    stage.tell(.configured(configuration))
    stage.pass(seconds: afterSeconds)
    stage.event(.location(stage.location(uuid: row.uuid)))
    #expect(stage.violated.filter { $0 == .bounds } == violated)
  }
}
