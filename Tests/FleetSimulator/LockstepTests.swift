import Base
import Contract
import CurlTransport
import IngestServer
import Oracle
import Scenario
import Support
import Synchronization
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

  private func silentFor(_ requests: Range<Int>) throws -> BareServer {
    let count = Mutex(0)
    return try BareServer { _ in
      let number = count.withLock { count in
        count += 1
        return count - 1
      }
      return requests.contains(number) ? .silence : .ok()
    }
  }

  private func run(_ url: String, silenceMax: Nanoseconds) throws -> RunReport {
    var configuration = Runs.configuration()
    configuration.http.timeoutMilliseconds = 200
    var setup = Runs.setup(
      seed: 5, minutes: 20, Runs.drivers(2, configuration: configuration, radio: .constant(.lte)))
    setup.outside = OutsideSetup(url: url)
    setup.outside?.lockstep = .measured
    let transport = try FleetTransport(TransportConfiguration(), silenceMax: silenceMax)
    return try FleetRun(setup, to: .lockstep(transport, .measured, TargetAccess()), watchers: []).run()
  }

  /// Five timeouts are a pause of the server: what comes behind is sent, and taken.
  @Test func aPauseOfTheServerIsWaitedFor() throws {
    let server = try silentFor(3..<8)
    let report = try run(server.url + "locations", silenceMax: FleetTransport.standardSilenceMax)
    #expect(report.findings == [] && report.sums.pending == 0 && report.drained != nil, "\(report.findings)")
    #expect(report.sums.created > 20)
  }

  /// What was not sent is not held against the server: the run ends.
  @Test func aServerThatStaysSilentEndsTheRun() throws {
    let server = try silentFor(3..<1_000)
    let report = try run(server.url + "locations", silenceMax: .milliseconds(500))
    #expect(report.findings.map(\.name) == [ServerFinding.noAnswers])
    #expect(report.findings.first?.text.contains("the run was ended") ?? false, "\(report.findings)")
    #expect(report.requests == 6 && report.sums.pending > 0, "\(report.requests)")
  }

  /// All refusals of the settle phase answer the app, and blame no phone.
  @Test func aServerThatRefusesAllIsNotThePhonesFault() throws {
    let server = try BareServer { _ in .text("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n") }
    let report = try run(server.url + "locations", .measured, minutes: 5)
    #expect(report.violations.filter { $0.rule == .boundedEffort } == [] && report.sums.created > 0)
    #expect(report.findings.map(\.name) == [ServerFinding.notDrained])
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
