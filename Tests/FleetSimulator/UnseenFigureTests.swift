import Base
import JSON
import Oracle
import Scenario
import Support
import Testing

@testable import FleetSimulator

/// What a run at a real server cannot see is no figure, and what it has found out is one.
@Suite struct UnseenFigureTests {
  private func run(_ backend: Backend, thresholds: String) throws -> (RunSummary, Measures, RunReport) {
    let server = try BareServer { backend.answer($0) }
    let scenario = try ScenarioReader(overrides: [], variable: { _ in nil }).read(
      """
      { version: 1, name: "unseen", seed: 3, clock: { mode: "lockstep", latency: "modelled", duration: "6m", settle: "5m" },
        fleets: { cars: { devices: 2, motion: "driving", network: "lte" } }, thresholds: \(thresholds),
        target: { url: "\(server.url)up", headers: { "X-Device": "${device.id}" },
          verify: { url: "/list?device={device}" } } }
      """
    ).scenario
    let setup = try RunSetup(scenario)
    let measures = try Measures(scenario, setup)
    let destination = try RunDestination(of: setup) { try Runs.store() }
    let report = try FleetRun(setup, to: destination, watchers: [measures]).run()
    return (measures.summary(of: report, hash: "", product: "test"), measures, report)
  }

  @Test func repeatedArrivalsAtARealServerAreNotJudged() throws {
    let (summary, measures, report) = try run(
      Backend(.honest, countsQuarantined: true),
      thresholds:
        #"{ duplicates_ratio: ["rate<0.05"], duplicates_explained: ["count<5"], duplicates_unexplained: ["count==0"] }"#
    )
    #expect(summary.verification.outcome == .verified && summary.ledger.stored > 10)
    #expect(summary.thresholds.map(\.outcome).prefix(3) == [.notJudged, .notJudged, .passed])
    #expect(summary.thresholds[0].reason == "repeated arrivals at an external server are not visible")
    #expect(summary.figure("duplicates_ratio") == nil && summary.figure("duplicates_explained") == nil)
    #expect(summary.json["ledger"]?["duplicatesExplained"] == .null)
    #expect(try RunSummary(JSONValue(parsing: Array(summary.json.pretty.utf8).span)) == summary)
    let sent = measures.readings(concludedBy: report).map(\.name)
    #expect(sent.contains("records_lost") && !sent.contains("duplicates_ratio"), "\(sent)")
  }

  @Test func recordsThatAPageHasCostAreLost() throws {
    let (summary, _, _) = try run(Backend(.login), thresholds: #"{ records_lost: ["count==0"] }"#)
    #expect(summary.ledger.created > 10 && summary.ledger.lostToPages == summary.ledger.created)
    #expect(summary.figure("records_lost") == .counter(summary.ledger.created))
    #expect(summary.thresholds[0].outcome == .failed && summary.result == .violated)
  }
}
