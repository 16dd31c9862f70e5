import Base
import Contract
import Engine
import Queue
import Scenario
import Testing

@testable import FleetSimulator
@testable import Oracle

/// I24: when the times of records are as they have to be.
@Suite struct IdentityRuleTests {
  @Test func timeGoesBack() {
    let stage = Stage()
    stage.upload([stage.insert(), stage.insert(agedSeconds: 5)])
    #expect(stage.violated == [.identity])
  }

  /// A fence's position is the best of three, and the first of them was (SDK §13.1): meanwhile the second has become
  /// a record.
  @Test func theBestOfSomeSamplesMayBeOlderThanTheLastRecord() {
    let stage = Stage()
    stage.pass(seconds: 10)
    var sample = stage.location()
    sample.isSample = true
    stage.event(.location(sample))
    stage.pass(seconds: 1)
    stage.upload([stage.insert()])
    stage.pass(seconds: 1)
    stage.upload([stage.insert(agedSeconds: 3)])
    #expect(stage.violated == [])
    stage.upload([stage.insert(agedSeconds: 5)])
    #expect(stage.violated == [.identity])
  }

  /// Its time is the app's affair; the next one is the SDK's again.
  @Test func aRecordOfTheAppMayBeNewerThanTheNextOne() {
    var poison = DeviceFault()
    poison.poisonRecord = .missingCoords
    let stage = Stage()
    stage.end(.device(poison))
    stage.upload([stage.insert(), stage.insert(agedSeconds: 5)])
    #expect(stage.violated == [])
  }

  /// Several of them may come at once, and each is one record.
  @Test(arguments: [(2, []), (1, [Invariant.identity])])
  func severalRecordsOfTheAppMayBeNewerThanTheNextOne(count: Int, violated: [Invariant]) {
    var poison = DeviceFault()
    poison.poisonRecord = .missingCoords
    let stage = Stage()
    for _ in 0..<count { stage.end(.device(poison)) }
    stage.upload([stage.insert(), stage.insert(), stage.insert(agedSeconds: 5)])
    #expect(stage.violated == violated)
  }

  /// One that could not be written excuses no other.
  @Test func aRecordOfTheAppThatIsNotWritten() {
    var poison = DeviceFault()
    poison.poisonRecord = .missingCoords
    let stage = Stage()
    stage.end(.device(poison))
    stage.tell(.queue(.refused(device: 0, .insertion)))
    stage.upload([stage.insert(), stage.insert(agedSeconds: 5)])
    #expect(stage.violated == [.identity])
  }

  @Test func aRecordComesFromTheFuture() {
    let stage = Stage()
    stage.upload([stage.insert(agedSeconds: -5)])
    #expect(stage.violated == [.identity])
  }

  /// The clock was set back after the last position: it is told again for each crossing without a new one.
  @Test func theLastPositionMayBeToldAgain() {
    let stage = Stage()
    stage.pass(seconds: 10)
    stage.upload([stage.insert(agedSeconds: -60), stage.insert(agedSeconds: -60)])
    stage.upload([stage.insert()])
    #expect(stage.oracle.violations.count(of: .identity) == 1, "only the first is from the future")
  }

  /// A crossing without a new position is told with the last known one (SDK §15.3.5), which need not have been a record: of
  /// a clock that was ahead then. No other record has it (SDK §14.2).
  @Test(arguments: [(440, true, []), (440, false, [Invariant.identity]), (500, true, [.identity])])
  func theLastPositionMayBeOfAClockThatWasAhead(seconds: Int64, isCrossing: Bool, violated: [Invariant]) {
    let stage = Stage()
    stage.upload([stage.insert()])
    stage.pass(seconds: 10)
    stage.setBack(seconds: -450)
    stage.wait(5)
    stage.setBack(seconds: 450)
    stage.wait(5)
    let row = stage.insert(agedSeconds: -seconds)
    var record = stage.location(uuid: row.uuid)
    if isCrossing {
      record.geofence = GeofenceTrigger(identifier: "depot", action: .enter, timestamp: record.timestamp)
      stage.event(.geofence(record, Stage.depot))
    }
    stage.event(.location(record))
    stage.upload([row])
    #expect(stage.violated.filter { $0 == .identity } == violated)
  }

  /// The last known position, found while the clock was set back, is recorded when it no longer is (SDK §15.3.5). Time goes
  /// back no further than the clock did.
  @Test(arguments: [(2_620, []), (2_700, [Invariant.identity])] as [(Int64, [Invariant])])
  func theLastPositionMayBeOfAClockThatWasBehind(agedSeconds: Int64, violated: [Invariant]) {
    let stage = Stage()
    stage.upload([stage.insert()])
    stage.pass(seconds: 10)
    stage.setBack(seconds: 2_615)
    stage.wait(5)
    stage.setBack(seconds: -2_615)
    stage.upload([stage.insert(agedSeconds: agedSeconds)])
    #expect(stage.violated == violated)
  }

  /// What an earlier process has seen of a clock is no position of this one.
  @Test func theLastPositionIsNoneOfAnEarlierProcess() {
    let stage = Stage()
    stage.setBack(seconds: -450)
    stage.wait(5)
    stage.tell(.killed(isReboot: false))
    stage.setBack(seconds: 450)
    stage.tell(.launched(Launch()))
    let row = stage.insert(agedSeconds: -440)
    var record = stage.location(uuid: row.uuid)
    record.geofence = GeofenceTrigger(identifier: "depot", action: .enter, timestamp: record.timestamp)
    stage.event(.geofence(record, Stage.depot))
    stage.wait(5)
    #expect(stage.violated.contains(.identity))
  }
}
