import JSON
import Support
import Synchronization
import Testing
import Threaded

@testable import CommandLine

/// Targets that stop answering in the middle of a run: it ends, and its report says so.
@Suite(.waits, .timeLimit(.minutes(10))) struct StalledTargetTests {
  private func run(_ folder: TemporaryFolder, _ url: String, mode: String, verify: Bool) throws -> (Int32, JSONValue) {
    let scenario = """
      {
        version: 1, name: "stalled", seed: 3, clock: { duration: "3m", settle: "2s", mode: "\(mode)", factor: 60 },
        sdk: { config: { http: { timeout: 2000 } } },
        target: { url: "\(url)up"\(verify ? ", verify: { url: '/list?device={device}' }" : "") },
        fleets: { cars: { devices: 4, motion: "driving", network: "wifi" } },
        thresholds: { generator_lag: ["count>=0"] },
      }
      """
    let out = folder.file("out")
    let call = CommandCall(["simulate", "stalled.json5", "--quiet", "--out", out], files: ["stalled.json5": scenario])
    return (call.code.rawValue, try Self.summary(out))
  }

  static func summary(_ folder: String) throws -> JSONValue {
    let bytes = try #require(ProcessContext.live().readFile(folder + "/summary.json"))
    return try JSONValue(parsing: bytes.span)
  }

  /// Accepts and never answers from the tenth request on, also when it is asked what it has stored.
  private func stalling() throws -> BareServer {
    let left = Mutex(10)
    return try BareServer { request in
      let isAlive = left.withLock { left in
        left -= 1
        return left > 0
      }
      return isAlive && request.lines[0].hasPrefix("POST") ? .ok("{}") : .silence
    }
  }

  private func findings(_ summary: JSONValue) -> [String] {
    guard case .array(let findings)? = summary["findings"] else { return [] }
    return findings.compactMap { if case .string(let name)? = $0["name"] { name } else { nil } }
  }

  @Test(arguments: ["accelerated", "lockstep"])
  func aTargetThatAnswersNoMoreEndsTheRunWithAReport(mode: String) throws {
    let (folder, server) = (try TemporaryFolder(), try stalling())
    let (code, summary) = try run(folder, server.url, mode: mode, verify: false)
    #expect(code == 99 && findings(summary).contains("no-answers"), "\(findings(summary))")
  }

  /// The head of an answer and no body, a byte of one, an end instead of one, a reset.
  @Test(arguments: [
    BareServer.Answer.text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"), .text("H"), .close([]), .reset([]),
  ])
  func aTargetThatIsHalfDeadEndsTheRunWithAReport(answer: BareServer.Answer) throws {
    let left = Mutex(10)
    let server = try BareServer { _ in
      let isAlive = left.withLock { left in
        left -= 1
        return left > 0
      }
      return isAlive ? .ok("{}") : answer
    }
    let folder = try TemporaryFolder()
    let (code, summary) = try run(folder, server.url, mode: "accelerated", verify: false)
    #expect(code == 99 && findings(summary).contains("no-answers"), "\(findings(summary))")
  }

  @Test func aTargetThatSaysNothingOfItsStoreMakesTheRunInvalidAndCostsNoReport() throws {
    let folder = try TemporaryFolder()
    let server = try BareServer { $0.lines[0].hasPrefix("POST") ? .ok("{}") : .silence }
    let (code, summary) = try run(folder, server.url, mode: "accelerated", verify: true)
    #expect(code == 97 && summary["verification"]?["outcome"] == .string("failed"))
  }

  /// A phone that changes its network ends what it waited for: the target has reset nothing.
  @Test func whatAPhoneGivesUpIsNotBlamedOnTheTarget() throws {
    let (folder, server) = (try TemporaryFolder(), try BareServer { _ in .silence })
    let scenario = """
      {
        version: 1, name: "left", seed: 3, clock: { duration: "3m", settle: "2s", mode: "accelerated", factor: 60 },
        sdk: { config: { http: { timeout: 3600000 } } }, target: { url: "\(server.url)up" },
        networks: { mobile: { connectionType: "cellular" } },
        faults: [{ name: "tunnel", at: "2m", for: "10s", network: "none" }],
        fleets: { cars: { devices: 4, motion: "driving", network: "mobile" } }, thresholds: { generator_lag: ["count>=0"] },
      }
      """
    let out = folder.file("out")
    let call = CommandCall(["simulate", "left.json5", "--quiet", "--out", out], files: ["left.json5": scenario])
    #expect(call.code.rawValue == 99)
    let summary = try Self.summary(out)
    guard case .array(let errors)? = summary["errors"] else { preconditionFailure("a summary lists errors") }
    let kinds = errors.compactMap { $0["kind"] }
    #expect(
      kinds.contains(.string("aborted by network change")) && !kinds.contains(.string("connection reset")), "\(kinds)")
  }

  /// Each connection serves one request and swallows the next, which every HTTP client sends again: the report says so.
  @Test func whatIsSentAgainUnseenIsCounted() throws {
    let folder = try TemporaryFolder()
    let counts = Mutex<(of: [Int: Int], swallowed: Int)>(([:], 0))
    let server = try BareServer { request in
      counts.withLock { counts in
        counts.of[request.connection, default: 0] += 1
        guard counts.of[request.connection] == 2 else { return .ok("{}") }
        counts.swallowed += 1
        return .close([])
      }
    }
    let (code, summary) = try run(folder, server.url, mode: "accelerated", verify: false)
    let swallowed = counts.withLock { $0.swallowed }
    #expect(code == 0 && swallowed > 1)
    guard case .array(let notes)? = summary["notes"] else { preconditionFailure("a summary has notes") }
    let note = notes.compactMap {
      if case .string(let text) = $0, text.contains("repeated on a new connection") { text } else { nil }
    }.first
    #expect(note?.hasPrefix("\(swallowed) uploads ") == true, "\(notes)")
  }
}
