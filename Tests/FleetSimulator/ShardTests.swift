import Base
import FleetSimulator
import Oracle
import Scenario
import Testing
import World

/// A run that is dealt out to several processes is the run of one.
@Suite struct ShardTests {
  private static let habits = HabitRates(killsPerHour: 8, rebootsPerHour: 2)

  private static var whole: RunSetup {
    Runs.setup(
      seed: 31, minutes: 10, faults: [.tunnel(200..<500, fleet: "cars")], Runs.drivers(5, habits: habits),
      Runs.drivers(2, name: "vans"))
  }

  private static let report = Result { try Runs.run(whole) }

  @Test(arguments: [2, 5])
  func shardsAddUpToTheWhole(count: Int) throws {
    let report = try Self.report.get()
    var hashes = Array(repeating: TraceHash.zero, count: 2)
    var (created, stored, events, requests, devices) = (0, 0, 0, 0, 0)
    for index in 0..<count {
      let part = try Runs.run(Self.whole.part(#require(Shard(index: index, count: count))))
      for fleet in hashes.indices { hashes[fleet].add(part.fleetHashes[fleet]) }
      created += part.sums.created
      stored += part.sums.stored
      events += part.events
      requests += part.requests
      devices += part.devices
      #expect(part.isRight)
    }
    #expect(hashes == report.fleetHashes)
    #expect(devices == 7 && created == report.sums.created && stored == report.sums.stored)
    #expect(events == report.events && requests == report.requests)
  }

  @Test func aMemberIsWhoItIsInTheWhole() throws {
    var one = Self.whole
    one.fleets[0].members = [3]
    one.fleets[1].members = []
    var rest = Self.whole
    rest.fleets[0].members = [0, 1, 2, 4]
    let (left, right) = (try Runs.run(one), try Runs.run(rest))
    var sum = left.fleetHashes[0]
    sum.add(right.fleetHashes[0])
    #expect(try sum == Self.report.get().fleetHashes[0])
    #expect(left.fleetHashes[1] == .zero && left.devices == 1)
  }

  @Test func aScenarioNamesMembers() throws {
    let setup = { (more: String) in
      let text = "{ version: 1, name: 'x', clock: { duration: '5m' }, fleets: { cars: { devices: 3\(more) } } }"
      return try RunSetup(ScenarioReader().read(text).scenario)
    }
    var sum = TraceHash.zero
    for members in ["[0, 2]", "[1]"] { sum.add(try Runs.run(setup(", members: \(members)")).fleetHashes[0]) }
    #expect(try sum == Runs.run(setup("")).fleetHashes[0])
  }

  /// How long a token is depends on the number of others, and a log goes with the device's state, which has it.
  @Test(arguments: ["android-5.1", "ios-5.1"]) func aLogIsAsLongInEveryShard(profile: String) throws {
    let text = #"""
      { version: 1, name: "logs", clock: { duration: "20m", settle: "1m" }, sdk: { profile: "\#(profile)" },
        target: { auth: { strategy: "jwt", accessTokenTtl: "30s" } },
        faults: [{ name: "log", rate: { perDeviceHour: 60 },
                   remote: { background_geolocation: [["uploadLog", "https://server.example/log"]] } }],
        fleets: { cars: { devices: 4 } } }
      """#
    let setup = try RunSetup(ScenarioReader().read(text).scenario)
    var sum = TraceHash.zero
    for index in 0..<2 {
      sum.add(try Runs.run(setup.part(#require(Shard(index: index, count: 2)))).fleetHashes[0])
    }
    #expect(try sum == Runs.run(setup).fleetHashes[0])
  }

  @Test func theHashDependsOnTheDeviceOfEachEvent() {
    let (one, other) = (hash(of: 1), hash(of: 2))
    var (straight, crossed) = (TraceHash.zero, TraceHash.zero)
    straight.add(one, key: 1)
    straight.add(other, key: 2)
    crossed.add(one, key: 2)
    crossed.add(other, key: 1)
    #expect(straight != crossed)
    #expect(TraceHash(text: straight.text) == straight && TraceHash(text: "+" + straight.text.dropFirst()) == nil)
  }

  private func hash(of word: UInt64) -> TraceHash {
    var hash = TraceHash()
    hash.fold(word)
    return hash
  }

  @Test(arguments: ["0/1", "3/4", "9999/10000"])
  func shardsAreReadAndWritten(text: String) {
    #expect(Shard(text: text)?.text == text)
  }

  @Test(arguments: ["", "1", "1/", "/2", "4/4", "-1/2", "+1/2", "0/0", "0/10001", "1/2/3", " 0/2", "a/b"])
  func anInvalidShardIsRefused(text: String) {
    #expect(Shard(text: text) == nil)
  }
}
