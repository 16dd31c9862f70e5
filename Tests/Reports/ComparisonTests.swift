import Base
import FleetSimulator
import Scenario
import Store
import Testing

@testable import Reports

/// Two runs held against each other: equal ones differ by nothing, a slower server is found.
@Suite struct ComparisonTests {
  /// A run in virtual time, whose network takes `factor` times as long as it would.
  private static func run(seed: UInt64, latency: Double = 1, devices: Int = 64, faults: String = "") throws
    -> RunSummary
  {
    let text = """
      { version: 1, name: "compared", seed: \(seed), clock: { duration: "20m", settle: "5m" },
        networks: { slow: { connectionType: "cellular", latency: "\(Int(100 * latency))ms", jitter: "30ms" } },
        fleets: { cars: { devices: \(devices), motion: "driving", network: "slow" } }, faults: [\(faults)] }
      """
    let scenario = try ScenarioReader(overrides: [], variable: { _ in nil }).read(text).scenario
    let setup = try RunSetup(scenario)
    let measures = try Measures(scenario, setup)
    let store = try SQLiteStore(StoreConfiguration(folder: ":memory:"))
    let report = try FleetRun(setup, store: store, watchers: [measures]).run()
    return measures.summary(of: report, hash: "one", product: "test")
  }

  @Test func aRunIsNoWorseThanItself() throws {
    let run = try Self.run(seed: 1)
    let comparison = RunComparison(run, run)
    #expect(
      comparison.regressions == []
        && comparison.rows.contains { $0.name == "upload_duration p95" && $0.outcome == .same })
    #expect(ComparisonText(comparison).verdict == "no regression")
  }

  @Test func otherSeedsAreNoRegression() throws {
    let runs = try (1...6).map { try Self.run(seed: $0) }
    for (before, after) in zip(runs, runs.dropFirst()) {
      let comparison = RunComparison(before, after)
      #expect(comparison.regressions == [], "\(ComparisonText(comparison).text)")
    }
  }

  @Test func aSlowerNetworkIsFoundInThePercentilesOfUploads() throws {
    let (before, after) = (try Self.run(seed: 1), try Self.run(seed: 1, latency: 1.05))
    let comparison = RunComparison(before, after)
    let names = comparison.regressions.map(\.name)
    #expect(names.contains("upload_duration p95"), "\(ComparisonText(comparison).text)")
    let back = RunComparison(after, before)
    #expect(back.regressions == [] && back.rows.contains { $0.name == "upload_duration p95" && $0.outcome == .better })
    let allowed = try #require(RunComparison.Limit(text: "upload_duration:p95:20%"))
    #expect(RunComparison(before, after, limits: [allowed]).regressions == [])
  }

  @Test func newErrorsAreARegressionOfTheShareOfFailures() throws {
    let fault = #"{ name: "busy", at: "2m", for: "15m", http: { abort: { status: 503, percentage: 30 } } }"#
    let comparison = RunComparison(try Self.run(seed: 1), try Self.run(seed: 1, faults: fault))
    #expect(comparison.regressions.contains { $0.name == "upload_failed" }, "\(ComparisonText(comparison).text)")
  }

  @Test func aLostRecordNeedsNoStatistics() throws {
    let before = try Self.run(seed: 1, devices: 1)
    var after = before
    after.ledger.lost = 1
    let comparison = RunComparison(before, after)
    #expect(comparison.regressions.map(\.name) == ["records lost"])
    let text = ComparisonText(comparison)
    #expect(text.verdict == "1 regression: records lost 0 to 1" && text.junit.contains("failures=\"1\""))
    #expect(text.markdown.contains("| **records lost** | **0** | **1** |"))
    #expect(ComparisonPage(comparison).text.contains("records lost 0 to 1"))
  }

  @Test func fewSamplesDecideNothing() throws {
    let (before, after) = (try Self.run(seed: 1, devices: 1), try Self.run(seed: 1, latency: 3, devices: 1))
    let row = RunComparison(before, after).rows.first { $0.name == "upload_duration p99" }
    #expect(row?.outcome == .undecided("too few samples"))
  }

  @Test(arguments: ["upload_duration:p95:5%", "upload_failed:0%", "upload_wait:avg:12.5%"])
  func aLimitIsRead(text: String) { #expect(RunComparison.Limit(text: text) != nil) }

  @Test(arguments: [
    "", "upload_duration", "upload_duration:p95", "a:p101:5%", "a:b:5%", "a:p95:-1%", "a:p95:5", "a:b:c:5%",
  ])
  func whatIsNoLimitIsNotRead(text: String) { #expect(RunComparison.Limit(text: text) == nil) }

  /// Student's table.
  @Test(arguments: [(2.145, 14, 0.025), (2.977, 14, 0.005), (2.92, 2, 0.05), (1.812, 10, 0.05), (1.812, 11, 0.05)])
  func studentsTailIsThatOfTheTable(score: Double, freedom: Int, share: Double) {
    #expect((StudentTail.share(beyond: score, freedom: freedom) - share).magnitude < share / 200)
  }
}
