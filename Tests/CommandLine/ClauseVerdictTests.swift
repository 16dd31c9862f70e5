import JSON
import Support
import Testing
import Threaded

@testable import CommandLine

/// What `simulate` makes of the clauses that a server's answers break.
@Suite(.waits, .timeLimit(.minutes(5))) struct ClauseVerdictTests {
  private func run(_ body: String, _ words: [String], out: TemporaryFolder? = nil) throws -> CommandCall {
    let server = try BareServer { _ in
      .text("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }
    let scenario = """
      {
        version: 1, name: "clauses", seed: 3, clock: { duration: "5m", settle: "10s", mode: "accelerated", factor: 300 },
        target: { url: "\(server.url)up" },
        fleets: { cars: { devices: 2, motion: "driving", network: "wifi" } },
        thresholds: { generator_lag: ["count>=0"] },
      }
      """
    let folder = out.map { ["--out", $0.path] } ?? []
    return CommandCall(
      ["simulate", "clauses.json5", "--quiet"] + words + folder, files: ["clauses.json5": scenario])
  }

  private static let broken = #"{"background_geolocation":"stop"}"#
  private static let threshold = [
    "--set", "thresholds={ generator_lag: ['count>=0'], clauses_broken: ['count==0'] }",
  ]

  @Test func aBrokenClauseIsInTheFirstLineAndFailsNothingByItself() throws {
    let call = try run(Self.broken, [])
    #expect(call.code == .ok, "\(call.output)")
    #expect(call.output.contains("clauses passed; storage not verified; 1 clause broken by the server's answers"))
  }

  @Test func strictFailsTheRunAndNamesTheClause() throws {
    let call = try run(Self.broken, ["--strict"])
    #expect(call.code == .thresholdFailed && call.output.contains("the server's answers break clause 24"))
  }

  @Test func strictFailsARunThatDidNotLookAtTheStore() throws {
    let call = try run("{}", ["--strict"])
    #expect(call.code == .thresholdFailed)
    #expect(
      call.output.contains("clauses failed: --strict needs target.verify to check what is stored"))
    #expect(try run("{}", []).code == .ok)
  }

  @Test func theThresholdFailsTheRun() throws {
    let call = try run(Self.broken, Self.threshold)
    #expect(
      call.code == .thresholdFailed && call.output.contains(" failed: clauses_broken count==0 was 1"), "\(call.output)")
    #expect(try run("{}", Self.threshold).code == .ok)
  }

  @Test func modelledLockstepSaysWhichClausesItCannotJudge() throws {
    let call = try run(
      "{}", ["--mode", "lockstep", "--set", "clock.latency=modelled"])
    let line = call.output.split(separator: "\n").first {
      $0.contains("header fields are not available in this kind of run")
    }
    let text = String(try #require(line, "\(call.output)"))
    for clause in ["(clause 13)", "(clause 15)", "(clause 21)"] { #expect(text.contains(clause), "\(text)") }
    #expect(try !run("{}", []).output.contains("header fields are not available in this kind of run"))
  }

  @Test func theOutputsSayWhereWhenAndHowFastByTheClock() throws {
    let folder = try TemporaryFolder()
    let call = try run("{}", [], out: folder)
    #expect(call.output.contains("/s at the server, ") && call.output.contains(" by the clock"), "\(call.output)")
    #expect(call.output.contains("  at http://127.0.0.1:"))
    #expect(call.output.contains(", server: unknown\n"), "\(call.output)")
    let unit = String(decoding: try folder.read("junit.xml"), as: UTF8.self)
    #expect(unit.contains("name=\"server\" value=\"\""))
    #expect(unit.contains("wallSeconds") && unit.contains("http://127.0.0.1:"))
  }
}
