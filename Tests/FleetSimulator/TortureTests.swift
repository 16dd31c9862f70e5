import FleetSimulator
import Testing

/// Random scenarios with random faults; `scripts/torture` runs them.
@Suite struct TortureTests {
  @Test func aSeedIsAScenario() throws {
    let (one, again, other) = (
      try ScenarioGenerator(seed: 7), try ScenarioGenerator(seed: 7), try ScenarioGenerator(seed: 8)
    )
    #expect(one.document == again.document && one.document != other.document)
  }
}
