import Base
import FleetSimulator
import Testing

/// Servers that lie are found out, and their victims are named.
@Suite struct PlantedBugTests {
  @Test(arguments: UInt64(1)...3)
  func aBatchThatIsAcknowledgedAndForgottenIsFound(seed: UInt64) throws {
    try expectAllFound(LyingStore(.forgetsBatch(each: 7)), seed: seed)
  }

  @Test(arguments: UInt64(1)...3)
  func aLastRecordThatIsDroppedIsFound(seed: UInt64) throws {
    try expectAllFound(LyingStore(.dropsLast(each: 2)), seed: seed)
  }

  private func expectAllFound(_ store: LyingStore, seed: UInt64) throws {
    let setup = Runs.setup(seed: seed, faults: [.tunnel(120..<600)], Runs.drivers(3))
    let report = try FleetRun(setup, store: store).run()
    #expect(!store.victims.isEmpty, "seed \(seed)")
    #expect(!report.isRight, "seed \(seed)")
    let lost = report.victims.filter { $0.rule == .acknowledgedIsStored }
    #expect(!lost.isEmpty, "seed \(seed)")
    for victim in lost {
      let uuid = try #require(victim.uuid)
      #expect(store.victims.contains(uuid), "seed \(seed)")
      #expect(victim.device.hasPrefix("cars-"), "seed \(seed)")
      #expect(victim.story.count >= 3, "seed \(seed)")
    }
    #expect(report.sums.isBalanced, "seed \(seed)")
  }
}
