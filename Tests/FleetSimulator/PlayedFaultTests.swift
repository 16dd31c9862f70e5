import Base
import Oracle
import Scenario
import Support
import Synchronization
import Testing
import World

@testable import FleetSimulator

/// Faults of the server in front of a server that takes none: the simulator's network plays them.
@Suite struct PlayedFaultTests {
  private func run(_ fault: String, auth: String = "none", at server: BareServer) throws -> (
    RunReport, SeenEvents, AnswerAudit
  ) {
    let scenario = try ScenarioReader(overrides: [], variable: { _ in nil }).read(
      """
      { version: 1, name: "played", seed: 3, clock: { mode: "lockstep", latency: "modelled", duration: "6m", settle: "5m" },
        fleets: { cars: { devices: 2, motion: "driving", network: "lte" } }, faults: [{ name: "f", \(fault) }],
        target: { url: "\(server.url)up", auth: { strategy: "\(auth)" } } }
      """
    ).scenario
    let setup = try RunSetup(scenario)
    let (seen, audit) = (SeenEvents(from: setup.start), AnswerAudit(setup))
    let run = try FleetRun(setup, to: RunDestination(of: setup) { try Runs.store() }, watchers: [seen, audit])
    return (try run.run(), seen, audit)
  }

  @Test func anAbortedRequestDoesNotReachTheServer() throws {
    let server = try BareServer { _ in .ok("{}") }
    let (report, seen, _) = try run("at: \"2m\", for: \"2m\", http: { abort: { status: 503 } }", at: server)
    #expect(report.violations == [] && report.sums.unverified == report.sums.created && report.findings == [])
    let outcomes = seen.outcomes(from: 121, to: 239)
    #expect(!outcomes.isEmpty && outcomes.allSatisfy { $0 == 503 })
    #expect(server.requests.count == report.requests)
  }

  @Test func anExpiredTokenIsRefusedAndRefreshed() throws {
    let tokens = Mutex(0)
    let server = try BareServer { request in
      guard request.lines[0].contains("/api/") else { return .ok("{}") }
      let number = tokens.withLock { count in
        count += 1
        return count
      }
      return .ok("{\"accessToken\":\"token-\(number)-\",\"refreshToken\":\"refresh-\(number)-\",\"expires\":3600}")
    }
    let (report, _, audit) = try run("at: \"3m\", auth: { expireAllAccessTokens: true }", auth: "jwt", at: server)
    #expect(report.violations == [] && report.findings == [])
    // The 401 is no word of the server.
    #expect(!audit.verdicts.contains { $0.outcome == .broken }, "\(audit.verdicts.sentences(requests: 0))")
    let refreshes = server.requests.filter { $0.lines[0].contains("/api/refresh_token") }
    #expect(refreshes.count == 2)
    #expect(report.sums.unverified == report.sums.created && report.sums.created > 10)
  }
}
