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
/// | a record is stored twice | every scenario |
/// | the last record of a batch is dropped | those that upload in batches |
@Suite struct PlantedBugTests {
  private static let batching = ["tunnel-exit", "boot-after-blackout"]
  /// Whatever goes wrong in them has happened by then.
  private static let duration = Nanoseconds.seconds(32 * 60)

  @Test(arguments: ["first-drive", "disk-full"] + batching)
  func whatIsForgottenAndWhatIsStoredTwiceIsFound(scenario: String) throws {
    let (store, report) = try run(scenario, .forgetsBatch(each: 7), .storesTwice(each: 5))
    try expect(.ackedIsDurable, of: store.leftOut, in: report)
    try expect(.noPhantom, of: store.storedTwice, in: report)
  }

  @Test(arguments: batching)
  func aLastRecordThatIsDroppedIsFound(scenario: String) throws {
    let (store, report) = try run(scenario, .dropsLast(each: 2))
    try expect(.ackedIsDurable, of: store.leftOut, in: report)
  }

  @Test func whatIsFoundIsFoundAgain() throws {
    let one = try run("tunnel-exit", .forgetsBatch(each: 7), .storesTwice(each: 5)).1
    #expect(try run("tunnel-exit", .forgetsBatch(each: 7), .storesTwice(each: 5)).1 == one)
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

  private func run(_ name: String, _ lies: LyingStore.Lie...) throws -> (LyingStore, RunReport) {
    var scenario = try ScenarioReader().read(#require(BuiltInScenario.named(name)).text).scenario
    scenario = scenario.scaled(toDevices: 4)
    var setup = try RunSetup(scenario)
    setup.duration = min(setup.duration, Self.duration)
    let store = try LyingStore(lies)
    return (store, try FleetRun(setup, store: store).run())
  }

  private func expect(_ invariant: Invariant, of victims: Set<UUID128>, in report: RunReport) throws {
    #expect(!victims.isEmpty && report.sums.isBalanced)
    let found = report.victims.filter { $0.rule == invariant }
    #expect(!found.isEmpty)
    for victim in found { #expect(victims.contains(try #require(victim.uuid)), "\(victim.text)") }
  }
}
