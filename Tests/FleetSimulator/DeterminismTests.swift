import Base
import FleetSimulator
import Store
import Testing
import World

/// The same seed is the same run.
@Suite struct DeterminismTests {
  private let habits = HabitRates(killsPerHour: 16, rebootsPerHour: 6)

  @Test(arguments: UInt64(1)...3)
  func theSameSeedGivesTheSameRun(seed: UInt64) throws {
    let setup = Runs.setup(seed: seed, minutes: 8, Runs.drivers(3, habits: habits))
    #expect(try Runs.run(setup) == Runs.run(setup), "seed \(seed)")
  }

  @Test func anotherSeedGivesAnother() throws {
    let reports = try (UInt64(1)...4).map { try Runs.run(Runs.setup(seed: $0, minutes: 3, Runs.drivers(1))).hash }
    #expect(Set(reports).count == 4)
  }

  @Test func aFleetBesideItChangesNothing() throws {
    let alone = try Runs.run(Runs.setup(seed: 5, minutes: 10, Runs.drivers(3, habits: habits)))
    let beside = try Runs.run(
      Runs.setup(
        seed: 5, minutes: 10, Runs.drivers(2, name: "vans"), Runs.drivers(3, habits: habits),
        Runs.drivers(1, name: "bikes")))
    #expect(alone.fleetHashes[0] == beside.fleetHashes[1])
  }

  @Test func fewerDevicesLeaveTheOthersAsTheyWere() throws {
    let setup = { (devices: Int) in
      Runs.setup(seed: 6, minutes: 8, Runs.drivers(devices, name: "a"), Runs.drivers(1, name: "b"))
    }
    #expect(try Runs.run(setup(1)).fleetHashes[1] == Runs.run(setup(4)).fleetHashes[1])
  }

  @Test func twoRunsThatPartAreToldWhere() throws {
    let one = Runs.setup(seed: 7, minutes: 14, Runs.drivers(3))
    var other = one
    other.faults = [.tunnel(600..<700)]
    let store = { try SQLiteStore(StoreConfiguration(folder: ":memory:")) }
    #expect(try DeterminismCheck.difference(between: one, and: one, store: store) == nil)
    let difference = try #require(try DeterminismCheck.difference(between: one, and: other, store: store))
    #expect(difference.first != difference.second)
    #expect((difference.second?.instant.nanoseconds ?? 0) >= 600_000_000_000)
  }
}
