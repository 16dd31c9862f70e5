import Base
import Scenario
import Support
import Synchronization
import Testing

@testable import FleetSimulator

/// Checks at a server that ends the life of a token when it likes.
@Suite struct TokenCheckTests {
  /// Takes three uploads with each token, which it says is good for an hour.
  private final class Issuer: Sendable {
    private let state = Mutex((issued: 0, uses: [String: Int]()))
    private let refreshes: Bool

    init(refreshes: Bool) { self.refreshes = refreshes }

    func answer(_ request: BareServer.Request) -> BareServer.Answer {
      if request.lines[0].hasPrefix("POST /up") {
        let token = request.values(of: "Authorization").first ?? ""
        let uses = state.withLock { state in
          state.uses[token, default: 0] += 1
          return state.uses[token, default: 0]
        }
        return uses > 3 ? Backend.status(401) : .ok("{}")
      }
      if !refreshes, !request.lines[0].hasPrefix("POST /api/register") { return Backend.status(503) }
      let number = state.withLock { state in
        state.issued += 1
        return state.issued
      }
      return .ok(#"{"access_token":"a\#(number)","refresh_token":"r\#(number)","expires_in":3600}"#)
    }
  }

  private func summary(refreshes: Bool) throws -> RunSummary {
    let issuer = Issuer(refreshes: refreshes)
    let server = try BareServer { issuer.answer($0) }
    let scenario = try ScenarioReader(overrides: [], variable: { _ in nil }).read(
      """
      { version: 1, name: "tokens", seed: 3, clock: { mode: "lockstep", latency: "modelled", duration: "6m", settle: "1m" },
        fleets: { cars: { devices: 2, motion: "driving", network: "lte" } },
        target: { url: "\(server.url)up", auth: { strategy: "jwt" } },
        checks: { accepted: "response.status in [200]" } }
      """
    ).scenario
    let setup = try RunSetup(scenario)
    let measures = try Measures(scenario, setup)
    let destination = try RunDestination(of: setup) { try Runs.store() }
    let report = try FleetRun(setup, to: destination, watchers: [measures]).run()
    return measures.summary(of: report, hash: "", product: "test")
  }

  /// The device refreshes the token, and the server takes the upload.
  @Test(arguments: [true, false]) func aTokenMayEndBeforeItsTime(refreshes: Bool) throws {
    let summary = try summary(refreshes: refreshes)
    #expect((summary.answers["status 401"] ?? 0) > 1, "\(summary.answers)")
    #expect(summary.checks[0].held > 3 && (summary.checks[0].failed == 0) == refreshes, "\(summary.checks)")
  }
}
