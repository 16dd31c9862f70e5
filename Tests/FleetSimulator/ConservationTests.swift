import Base
import Contract
import Testing
import World

@testable import FleetSimulator
@testable import Oracle

/// Every record is somewhere, and nowhere twice.
@Suite struct ConservationTests {
  /// There are millions of them in a run of ten thousand phones.
  @Test func aRecordThatWaitsTakesSixtyFourBytes() {
    #expect(MemoryLayout<WaitingRecord>.stride == 64 && MemoryLayout<DequeuedRecord>.stride <= 80)
  }

  @Test(arguments: DevicePlatform.allCases)
  func aDriveArrivesWhole(platform: DevicePlatform) throws {
    let fleet = Runs.drivers(3, configuration: Runs.configuration(batch: true, platform))
    let report = try Runs.run(Runs.setup(seed: 1, fleet))
    #expect(report.violations == [])
    #expect(report.sums.created > 100)
    #expect(report.sums.stored == report.sums.created)
    #expect(report.isRight)
  }

  @Test func aDeviceDeliversItsQueueAfterATunnel() throws {
    let report = try Runs.run(
      Runs.setup(seed: 2, faults: [.tunnel(300..<900)], Runs.drivers(3, radio: .constant(.lte))))
    #expect(report.violations == [])
    #expect(report.sums.stored == report.sums.created && report.sums.created > 100)
  }

  @Test func aQueueThatWasNeverConnectedDrainsInTheEnd() throws {
    let report = try Runs.run(Runs.setup(seed: 3, Runs.drivers(2, radio: .constant(.none))))
    #expect(report.sums.stored == report.sums.created && report.sums.created > 50)
    #expect(report.drained != nil)
  }

  @Test(arguments: UInt64(10)...15)
  func killsAndRebootsLoseNothing(seed: UInt64) throws {
    let habits = HabitRates(killsPerHour: 60, rebootsPerHour: 20, relaunchSeconds: .uniform(min: 5, max: 60))
    var configuration = Runs.configuration()
    configuration.app.stopOnTerminate = false
    let fleet = Runs.drivers(2, habits: habits, configuration: configuration)
    let report = try Runs.run(Runs.setup(seed: seed, minutes: 12, fleet))
    #expect(report.violations == [], "seed \(seed)")
    #expect(report.isRight, "seed \(seed)")
  }

  @Test func aSmallQueueEvictsAndTheBookKnows() throws {
    var configuration = Runs.configuration()
    configuration.persistence.maxRecordsToPersist = 10
    let fleet = Runs.drivers(2, configuration: configuration, radio: .constant(.none))
    let report = try Runs.run(Runs.setup(seed: 4, fleet))
    #expect(report.sums.evicted > 0)
    #expect(report.sums.stored + report.sums.evicted == report.sums.created)
    #expect(report.isRight)
  }
}
