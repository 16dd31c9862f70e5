import Base
import CurlTransport
import IngestServer
import Oracle
import Scenario
import Support
import Testing
import World

@testable import FleetSimulator

/// Virtual time in front of a real server.
@Suite struct LockstepTests {
  private func run(
    _ url: String, _ latency: LatencySource, minutes: Int64 = 20, faults: [Fault] = []
  ) throws -> RunReport {
    var setup = Runs.setup(seed: 5, minutes: minutes, Runs.drivers(2, radio: .constant(.lte)))
    setup.faults = faults
    setup.outside = OutsideSetup(url: url, isOurs: true)
    setup.outside?.lockstep = latency
    return try FleetRun(setup, to: RunDestination(of: setup) { try Runs.store() }, watchers: []).run()
  }

  @Test func modelledTimeIsTheSameTwice() throws {
    let reports = try (1...2).map { _ in
      let server = try Runs.server()
      defer { server.stop() }
      return try run(server.url + "/locations", .modelled)
    }
    #expect(reports.map(\.hash) == [reports[0].hash, reports[0].hash])
    #expect(reports[0].violations == [] && reports[0].sums.created > 20)
    #expect(reports[0].sums.stored == reports[0].sums.created && reports[0].drained != nil)
  }

  @Test func measuredTimeIsWhatTheServerTook() throws {
    let server = try Runs.server()
    defer { server.stop() }
    let report = try run(server.url + "/locations", .measured)
    #expect(report.violations == [] && report.sums.created > 20)
    #expect(report.sums.stored == report.sums.created)
  }

  /// Port 1 has no listener: the device hears so at once, keeps its records, and tries again in its own time.
  @Test(arguments: LatencySource.allCases) func aRefusedConnectionIsReportedToTheDevice(_ latency: LatencySource) throws
  {
    let report = try run("http://127.0.0.1:1/locations", latency, minutes: 5)
    #expect(report.sums.created > 0 && report.sums.pending == report.sums.created)
    #expect(!report.violations.contains { $0.rule == .drain } && report.sums.isBalanced, "\(report.violations)")
    #expect(report.findings.map(\.name) == [ServerFinding.noAnswers, ServerFinding.notDrained])
  }
}
