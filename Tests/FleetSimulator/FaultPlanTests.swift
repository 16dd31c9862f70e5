import Base
import Contract
import Oracle
import Scenario
import Testing
import World

@testable import FleetSimulator

/// Which devices faults affect, and that no other device notices.
@Suite struct FaultPlanTests {
  private func kill(_ name: String, _ edit: (inout FaultSelection) -> Void, perHour: Double = 0) -> Fault {
    var selection = FaultSelection()
    edit(&selection)
    return Fault(
      name: name, start: perHour > 0 ? nil : .seconds(20), perDeviceHour: perHour, selection: selection,
      action: .lifecycle(LifecycleFault(terminating: .constant(10))))
  }

  private func begun(_ faults: [Fault], _ edit: (inout RunSetup) -> Void = { _ in }) throws -> [FaultOccurrence] {
    var setup = Runs.setup(
      seed: 4, minutes: 1, faults: faults, Runs.parked(40, name: "a"), Runs.parked(40, name: "b"))
    edit(&setup)
    return try Runs.watch(setup).1.begun
  }

  @Test func soManyAreExactlySoMany() throws {
    let all = try begun([kill("k") { $0.count = 7 }])
    #expect(all.count == 7 && Set(all.map(\.fleet)).count == 2)
    let some = try begun([kill("k") { ($0.count, $0.fleet) = (7, "b") }])
    #expect(some.count == 7 && some.allSatisfy { $0.fleet == "b" })
  }

  @Test func aShareIsAboutAShareAndStaysWithItsDevices() throws {
    let all = try begun([kill("k") { $0.fraction = 0.3 }])
    #expect((14...34).contains(all.count))
    let alone = try begun([kill("k") { $0.fraction = 0.3 }]) { $0.fleets.removeFirst() }
    #expect(alone == all.filter { $0.fleet == "b" })
    let few = try begun([kill("k") { $0.fraction = 0.3 }]) { $0.fleets[0].members = [0, 1, 2, 3] }
    #expect(few == all.filter { $0.fleet == "b" || $0.index < 4 })
  }

  @Test func takingAFaultAwayChangesNoOther() throws {
    let faults = [
      kill("one", { $0.fraction = 0.5 }, perHour: 90), kill("two", { $0.fleet = "a" }, perHour: 60),
      kill("three") { $0.count = 3 },
    ]
    let all = try begun(faults)
    for kept in faults {
      #expect(try Set(begun([kept])) == Set(all.filter { $0.fault == kept.name }), "\(kept.name)")
    }
  }

  @Test func aFaultOfOneFleetLeavesTheOtherAlone() throws {
    let fault = kill("k", { $0.fleet = "a" }, perHour: 60)
    func hashes(_ faults: [Fault]) throws -> [TraceHash] {
      try Runs.run(
        Runs.setup(seed: 4, minutes: 4, faults: faults, Runs.drivers(3, name: "a"), Runs.drivers(3, name: "b"))
      ).fleetHashes
    }
    let (with, without) = (try hashes([fault]), try hashes([]))
    #expect(with[0] != without[0] && with[1] == without[1])
  }

  @Test func aListOfOccurrencesIsWhatHappens() throws {
    let faults = [kill("one", { _ in }, perHour: 60), kill("two") { $0.fraction = 0.5 }]
    let setup = Runs.setup(seed: 9, minutes: 4, faults: faults, Runs.drivers(4))
    let (report, seen) = try Runs.watch(setup)
    func begun(_ occurrences: [FaultOccurrence]) throws -> (RunReport, SeenEvents) {
      var listed = setup
      for index in listed.faults.indices {
        let own = occurrences.filter { $0.fault == faults[index].name }
        listed.faults[index].occurrences = own.map { ListedOccurrence($0) }
      }
      return try Runs.watch(listed)
    }
    #expect(seen.begun.count > 3)
    let (again, sameSeen) = try begun(seen.begun)
    #expect(again.fleetHashes == report.fleetHashes && sameSeen.begun == seen.begun)
    #expect(try begun([seen.begun[0]]).1.begun == [seen.begun[0]])
    #expect(try begun([]).1.begun == [])
  }

  @Test func everythingEndsWhenTheRunHeals() throws {
    var device = DeviceFault()
    device.clockOffset = .seconds(60)
    let fault = Fault(name: "clock", start: .seconds(20), action: .device(device))
    let (_, seen) = try Runs.watch(Runs.setup(seed: 4, minutes: 1, faults: [fault], Runs.drivers(2)))
    #expect(seen.begun.count == 2 && seen.ended == seen.begun)
  }
}
