import Oracle
import Scenario
import Testing

@testable import FleetSimulator

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
        let setup = try RunSetup(read.scenario)
        // Many of them in one body would be refused for ever, as the SDK has it.
        #expect(setup.faults.allSatisfy { !$0.isOversized || $0.perDeviceHour == 0 }, "seed \(seed)")
      } catch { Issue.record("seed \(seed): \(error)") }
    }
  }

  /// Rules that look at nothing find nothing: what they need comes up among a few dozen seeds.
  @Test(arguments: [
    "\"absence\"", "\"persistMode\"", "\"WhenInUse\"", "location\",\"1-7", "geofence\",\"1-7",
    #""tls":{"problem":"slow""#, #""tls":{"problem":"cut""#,
  ])
  func aSituationComesUpOftenEnough(text: String) throws {
    let seeds = try (1...80 as ClosedRange<UInt64>).count { seed in
      let document = try ScenarioGenerator(seed: seed).document.text
      return document.split { $0 == " " || $0 == "\n" }.joined().contains(text)
    }
    #expect(seeds >= 3)
  }

  /// Only a mistake makes one: here any turn is one too many.
  @Test func aDeviceThatGoesRoundInCirclesEndsItsRun() throws {
    let run = try FleetRun(Runs.setup(seed: 1, Runs.drivers(1)), store: Runs.store())
    run.turnsAtOnceMax = -1
    let error = try #require(throws: LivelockError.self) { try run.run() }
    #expect(error.device == "cars-0" && "\(error)".hasPrefix("cars-0 does not advance after 00:"))
  }

  /// A few of them, small; `rollingroad torture 1 SEED` runs a bigger one.
  @Test(arguments: [1, 2, 3, 5, 8, 13] as [UInt64])
  func nothingIsViolated(seed: UInt64) throws {
    let document = try ScenarioGenerator(seed: seed, size: .small).document
    let report = try Runs.run(RunSetup(ScenarioReader.read(document).scenario))
    #expect(report.violations.map(\.text) == [] && report.isRight, "seed \(seed): \(document.text)")
  }
}

extension Fault {
  fileprivate var isOversized: Bool {
    if case .device(let fault) = action { fault.poisonRecord == .oversizedExtras } else { false }
  }
}
