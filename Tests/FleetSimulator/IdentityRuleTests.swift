import Base
import Contract
import Engine
import Scenario
import Testing

@testable import FleetSimulator

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
}
