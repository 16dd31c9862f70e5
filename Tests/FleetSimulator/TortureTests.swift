import FleetSimulator
import Scenario
import Testing

/// Random scenarios with random faults; `scripts/torture` runs them by the hundred.
@Suite struct TortureTests {
  @Test func aSeedIsAScenario() throws {
    let (one, again, other) = (
      try ScenarioGenerator(seed: 7), try ScenarioGenerator(seed: 7), try ScenarioGenerator(seed: 8)
    )
    #expect(one.document == again.document && one.document != other.document)
  }

  /// Nothing in it is a mistake, and nothing in it is beyond this version.
  @Test func eachScenarioCanBeRun() throws {
    for seed in 1...250 as ClosedRange<UInt64> {
      let document = try ScenarioGenerator(seed: seed).document
      do {
        let read = try ScenarioReader.read(document)
        #expect(read.notYet.map(\.message) == [], "seed \(seed)")
        _ = try RunSetup(read.scenario)
      } catch { Issue.record("seed \(seed): \(error)") }
    }
  }

  /// A few of them, small; `rollingroad torture 1 SEED` runs a bigger one.
  @Test(arguments: [1, 2, 3, 5, 8, 13] as [UInt64])
  func nothingIsViolated(seed: UInt64) throws {
    let document = try ScenarioGenerator(seed: seed, size: .small).document
    let report = try Runs.run(RunSetup(ScenarioReader.read(document).scenario))
    #expect(report.victims.map(\.text) == [] && report.isRight, "seed \(seed): \(document.text)")
  }
}
