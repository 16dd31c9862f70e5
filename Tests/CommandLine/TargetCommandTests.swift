import IngestServer
import Support
import Testing

@testable import CommandLine

/// `simulate --target`: what goes over the wire, and what is asked of a server of ours beside it.
@Suite struct TargetCommandTests {
  private static let scenario = """
    {
      version: 1, name: "errand", seed: 3, clock: { duration: "3m", settle: "1m" },
      fleets: { cars: { devices: 1, motion: "driving", network: "wifi" } },
    }
    """
  private static let token = "an administrator's"

  private func run(_ words: [String], environment: [String: String] = [:]) -> CommandCall {
    CommandCall(
      ["simulate", "errand.json5", "--quiet", "--mode", "lockstep"] + words, environment: environment,
      files: ["errand.json5": Self.scenario])
  }

  @Test func whatAServerHasStoredIsVerifiedWithItsToken() throws {
    let server = try LocalServer.start(adminToken: Self.token)
    defer { server.stop() }
    let trusted = run(["--target", server.url], environment: ["ROLLINGROAD_ADMIN_TOKEN": Self.token])
    #expect(trusted.code == .ok && !trusted.output.contains("not verified"), "\(trusted.output)\(trusted.error)")
    let stranger = run(["--target", server.url])
    #expect(stranger.output.contains("not verified: /admin/v1: status 401"), "\(stranger.output)")
    let fault = "faults=[{ name: 'down', at: '1m', for: '1m', http: { abort: { status: 503 } } }]"
    let refused = run(["--target", server.url, "--set", fault])
    #expect(refused.code == .runtimeFailure && refused.error.contains("status 401; show --admin-token"))
    let placed = run(["--target", server.url, "--set", fault, "--admin-token", Self.token])
    #expect(placed.code == .ok, "\(placed.output)\(placed.error)")
    let shard = run(["--target", server.url, "--set", fault, "--admin-token", Self.token, "--shard", "0/2"])
    #expect(shard.code == .badScenario && shard.error.contains("with one process"))
  }

  @Test func aTokenIsNotRepeated() {
    #expect(["a", "--admin-token", "x", "b", "--admin-token=y", "c"].without(["--admin-token"]) == ["a", "b", "c"])
  }
}
