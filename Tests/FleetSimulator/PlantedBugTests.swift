import Base
import FleetSimulator
import Scenario
import Store
import Testing

/// Servers that lie are found out by the scenarios that are meant for them, and their victims are named.
///
/// | bug | found by |
/// |---|---|
/// | a batch is acknowledged and forgotten | every scenario |
/// | the last record of a batch is dropped | those that upload in batches |
/// | a record is stored twice | every scenario |
@Suite struct PlantedBugTests {
  static let batching = ["tunnel-exit", "boot-after-blackout"]
  static let all = ["first-drive", "disk-full"] + batching

  @Test(arguments: all)
  func aBatchThatIsAcknowledgedAndForgottenIsFound(scenario: String) throws {
    try expectFound(.forgetsBatch(each: 7), breaking: .ackedIsDurable, in: scenario)
  }

  @Test(arguments: batching)
  func aLastRecordThatIsDroppedIsFound(scenario: String) throws {
    try expectFound(.dropsLast(each: 2), breaking: .ackedIsDurable, in: scenario)
  }

  @Test(arguments: all)
  func aRecordThatIsStoredTwiceIsFound(scenario: String) throws {
    try expectFound(.storesTwice(each: 5), breaking: .noPhantom, in: scenario)
  }

  @Test func theStoryOfAVictimIsWhole() throws {
    let setup = Runs.setup(seed: 3, faults: [.tunnel(120..<600)], Runs.drivers(3))
    let newStore = { try LyingStore(.dropsLast(each: 2)) }
    let report = try Investigation.explain(FleetRun(setup, store: newStore()).run(), of: setup, store: newStore)
    let victim = try #require(report.victims.first { $0.rule == .ackedIsDurable })
    let words = ["created", "sent with", "at the server", "answered with 200", "taken for delivered", "server: "]
    var lines = victim.story[...]
    for word in words {
      let place = try #require(lines.firstIndex { $0.contains(word) }, "'\(word)' in \(victim.text)")
      lines = lines[(place + 1)...]
    }
  }

  private func expectFound(_ lie: LyingStore.Lie, breaking invariant: Invariant, in name: String) throws {
    let text = try #require(BuiltInScenario.named(name)).text
    let setup = try RunSetup(ScenarioReader().read(text).scenario.scaled(toDevices: 4))
    let store = try LyingStore(lie)
    let report = try FleetRun(setup, store: store).run()
    #expect(!store.victims.isEmpty)
    let found = report.victims.filter { $0.rule == invariant }
    #expect(!found.isEmpty)
    for victim in found { #expect(store.victims.contains(try #require(victim.uuid)), "\(victim.text)") }
    #expect(report.sums.isBalanced)
    #expect(try FleetRun(setup, store: LyingStore(lie)).run() == report)
  }
}
