import Base
import FleetSimulator
import Store
import Testing
import World

/// The same seed is the same run.
@Suite struct DeterminismTests {
  private let habits = HabitRates(killsPerHour: 4, rebootsPerHour: 1)

  @Test(arguments: UInt64(1)...3)
  func theSameSeedGivesTheSameRun(seed: UInt64) throws {
    let setup = Runs.setup(seed: seed, Runs.drivers(4, habits: habits))
    #expect(try Runs.run(setup) == Runs.run(setup), "seed \(seed)")
  }

  @Test func anotherSeedGivesAnother() throws {
    let reports = try (UInt64(1)...4).map { try Runs.run(Runs.setup(seed: $0, Runs.drivers(2))).hash }
    #expect(Set(reports).count == 4)
  }

  @Test func aFleetBesideItChangesNothing() throws {
    let alone = try Runs.run(Runs.setup(seed: 5, Runs.drivers(4, habits: habits)))
    let beside = try Runs.run(
      Runs.setup(
        seed: 5, Runs.drivers(3, name: "vans"), Runs.drivers(4, habits: habits), Runs.drivers(2, name: "bikes")))
    #expect(alone.fleetHashes[0] == beside.fleetHashes[1])
  }

  @Test func fewerDevicesLeaveTheOthersAsTheyWere() throws {
    let setup = { (devices: Int) in Runs.setup(seed: 6, Runs.drivers(devices, name: "a"), Runs.drivers(2, name: "b")) }
    #expect(try Runs.run(setup(1)).fleetHashes[1] == Runs.run(setup(5)).fleetHashes[1])
  }

  @Test func twoRunsThatPartAreToldWhere() throws {
    let setup = Runs.setup(seed: 7, minutes: 6, Runs.drivers(2))
    func run(_ store: any Store) throws -> FleetRun { try FleetRun(setup, store: store) }
    let same = try DeterminismCheck.run(run(Runs.store()), beside: run(Runs.store()))
    #expect(try same.difference == nil && same.report == Runs.run(setup))
    // A server that miscounts now and then, in the second run alone.
    let store = try LyingStore(.miscounts(each: 2))
    let other = try DeterminismCheck.run(run(Runs.store()), beside: run(store))
    let difference = try #require(other.difference)
    let (common, first, second) = try (
      #require(difference.common), #require(difference.first), #require(difference.second)
    )
    #expect(first.kind == .arrived || first.kind == .answered)
    #expect(first.number == second.number && common.number == first.number - 1)
    #expect(first.device == second.device && first.content != second.content)
    #expect(other.report == same.report)
  }
}
