import Base
import Contract
import Host
import Queue
import Scenario
import Testing
import Upload

@testable import FleetSimulator
@testable import Oracle

/// I12: a phone that gives up records without a reason is found out.
@Suite struct RemovalRuleTests {
  /// Rows go when they are older than `maxDaysToPersist` (SDK §7.4.2).
  @Test(
    arguments: [(1, 86_401, false), (1, 86_300, true), (2, 86_401, true), (0, 864_000, true)] as [(Int, Int64, Bool)])
  func aRecordIsKeptForItsDays(days: Int, seconds: Int64, isFound: Bool) {
    let stage = Stage { $0.persistence.maxDaysToPersist = days }
    stage.delete(stage.insert(agedSeconds: seconds), .age)
    #expect(stage.violated.contains(.bounds) == isFound)
  }

  /// What a configuration changes comes before the app is told of it.
  @Test(arguments: [1, 5]) func aChangeOfTheConfigurationCountsAtItsInstant(days: Int) {
    let stage = Stage { $0.persistence.maxDaysToPersist = 3 }
    stage.pass(seconds: 1)
    stage.delete(stage.insert(agedSeconds: 100_000), .age)
    var other = Runs.configuration(.android)
    other.persistence.maxDaysToPersist = days
    stage.tell(.configured(other))
    #expect(stage.violated.contains(.bounds) == (days == 5))
  }

  /// The oldest goes, where there is no room; rows of an upload stay (SDK §7.4.1).
  @Test(
    arguments: [
      (3, 0, false, false), (2, 0, false, false), (4, 0, false, true), (-1, 0, false, true), (0, 0, false, false),
      (3, 3, false, true), (3, 1, false, true), (3, 1, true, false),
    ] as [(Int, Int, Bool, Bool)])
  func theOldestGoesWhereThereIsNoRoom(limit: Int, evicted: Int, isTaken: Bool, isFound: Bool) {
    let stage = Stage { ($0.persistence.maxRecordsToPersist, $0.http.batchSync) = (limit, false) }
    var records = [stage.insert()]
    if isTaken { stage.send(records) }
    stage.pass(seconds: 1)
    records += (0..<3).map { _ in stage.insert() }
    stage.delete(records[evicted], .room)
    stage.wait(1)
    let found = stage.oracle.violations.violations.contains { $0.what.contains("given up") }
    #expect(found == isFound)
  }

  /// Rows that an upload has taken in this instant, for a request that is still to be told, and such that wait for a token.
  @Test(arguments: ["sent", "refresh", "refreshed", "killed", "none"]) func rowsThatAreTakenStay(taken: String) {
    let stage = Stage { ($0.persistence.maxRecordsToPersist, $0.http.batchSync) = (1, false) }
    if taken == "refreshed" {
      let request = stage.send([], .refresh)
      stage.pass(seconds: 1)
      stage.end(request, status: 200)
    }
    let records = [stage.insert(), stage.insert()]
    stage.delete(records[1], .room)
    switch taken {
    case "sent": stage.send([records[0]])
    case "refresh": stage.send([], .refresh)
    case "killed": stage.tell(.killed(isReboot: false))
    default: break
    }
    stage.wait(1)
    let found = stage.oracle.violations.violations.contains { $0.what.contains("an older record waits") }
    #expect(found == (taken == "none"))
  }

  /// Nothing destroys a record but its app, as `sync()` does where there is no server (HttpConfig 41, SDK §7.4.4).
  @Test(arguments: [("http://server.example/locations", true), ("", false)])
  func aRecordIsDestroyedByItsAppOnly(url: String, isFound: Bool) {
    let stage = Stage { $0.http.url = url }
    stage.delete(stage.insert(), .destruction)
    stage.wait(1)
    #expect(stage.violated.contains(.bounds) == isFound)
  }

  /// With `maxRecordsToPersist` 0 nothing is stored (SDK §7.3.4), but what a fault writes.
  @Test(arguments: [(0, false, true), (-1, false, false), (0, true, false)])
  func aQueueOfNoLengthGetsNothing(limit: Int, isPoisoned: Bool, isFound: Bool) {
    let stage = Stage { $0.persistence.maxRecordsToPersist = limit }
    stage.pass(seconds: 1)
    if isPoisoned {
      var fault = DeviceFault()
      fault.poisonRecord = .textLatitude
      stage.begin(.device(fault))
      stage.end(.device(fault))
    }
    stage.insert()
    stage.wait(1)
    #expect(stage.oracle.violations.violations.contains { $0.what.contains("maxRecordsToPersist is 0") } == isFound)
  }

  /// A store that has failed may have lost the configuration by which it is judged.
  @Test func aStoreThatHasFailedIsNotJudged() throws {
    let stage = Stage { $0.persistence.maxRecordsToPersist = 10 }
    let fault = try Stage.fullDisk()
    stage.begin(fault)
    stage.end(fault)
    stage.delete(stage.insert(), .room)
    #expect(!stage.violated.contains(.bounds))
  }
}
