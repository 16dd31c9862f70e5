import Base
import JSON
import Oracle
import Scenario
import Support
import Synchronization
import Testing
import Upload

@testable import FleetSimulator

/// A server that does well misses nothing, and what was not put to the test is not told as a success.
@Suite struct TrustTests {
  private func summary(
    _ clock: String, _ more: String, strategy: String = "none", at server: BareServer
  ) throws -> RunSummary {
    var scenario = try ScenarioReader(overrides: [], variable: { _ in nil }).read(
      """
      { version: 1, name: "trust", seed: 3, clock: { \(clock) }, \(more),
        fleets: { cars: { devices: 2, motion: "driving", network: "lte" } },
        target: { url: "\(server.url)up", auth: { strategy: "\(strategy)" } } }
      """
    ).scenario
    scenario.target.hasAdminToken = false
    let setup = try RunSetup(scenario)
    let measures = try Measures(scenario, setup)
    let destination = try RunDestination(of: setup) { try Runs.store() }
    let report = try FleetRun(setup, to: destination, watchers: [measures]).run()
    return measures.summary(of: report, hash: "", product: "test")
  }

  private static let lockstep = #"mode: "lockstep", latency: "modelled", duration: "6m", settle: "5m""#
  private static let accepted = #"checks: { accepted: "response.status in [200]" }"#

  @Test func aTimeOfAcceleratedDevicesIsJudgedWhereTheFactorLeavesNoDoubt() throws {
    func outcome(_ text: String, _ value: Double?, stretch: Double?) throws -> ThresholdVerdict.Outcome {
      let expression = try #require(ThresholdExpression(text, selection: "drain_time"))
      return ThresholdTest(expression, stretch: stretch).outcome(of: value)
    }
    #expect(try outcome("p(95)<300", 299, stretch: 600) == .passed)
    #expect(try outcome("p(95)<300", 483, stretch: 600) == .notJudged)
    #expect(try outcome("p(95)<300", 300 * 600, stretch: 600) == .failed)
    #expect(try outcome("p(95)>300", 299, stretch: 600) == .failed)
    #expect(try outcome("p(95)>300", 483, stretch: 600) == .notJudged)
    #expect(try outcome("max==300", 483, stretch: 600) == .notJudged)
    #expect(try outcome("max!=300", 483, stretch: 600) == .notJudged)
    #expect(try outcome("max==300", 200, stretch: 600) == .failed)
    #expect(try outcome("p(95)<300", 483, stretch: nil) == .failed)
    #expect(try outcome("p(95)<300", nil, stretch: 600) == .notMeasured)
  }

  @Test func theFactorIsThatOfTheRunAndConcernsWhatGoesByTheClockOfDevices() throws {
    let server = try BareServer { _ in .ok("{}") }
    let thresholds = """
      thresholds: { record_delivery_latency: ["max<1", "count>0"], upload_duration: ["max<60000"], uploads: ["count>0"] }
      """
    let clock = #"mode: "accelerated", factor: 600, duration: "6m", settle: "1m""#
    let verdicts = try summary(clock, thresholds, at: server).thresholds
    #expect(verdicts.map(\.stretch) == [600, nil, nil, 600])
    let latency = try #require(verdicts.first)
    let expression = try #require(ThresholdExpression("max<1", selection: "record_delivery_latency"))
    #expect(latency.outcome == ThresholdTest(expression, stretch: 600).outcome(of: latency.value))
    #expect((latency.reason?.hasPrefix("a second of the server is 600 s") ?? false) == (latency.outcome == .notJudged))
    #expect(verdicts.dropFirst().allSatisfy { $0.outcome == .passed })
    let exact = try summary(Self.lockstep, thresholds, at: server).thresholds
    #expect(exact[0].stretch == nil && exact[0].outcome == .failed)
  }

  /// While its server is away a device tries again by its own clock, which goes six hundred times as fast.
  @Test func howOftenAcceleratedDevicesTryIsJudgedWhereTheFactorLeavesNoDoubt() throws {
    let server = try BareServer { _ in .text("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n") }
    let thresholds = """
      thresholds: { uploads: ["count<10", "count>0", "count<1000000"], retries_per_record: ["max<3", "count>=0"] }
      """
    let clock = #"mode: "accelerated", factor: 600, duration: "20m", settle: "2s""#
    let verdicts = try summary(clock, thresholds, at: server).thresholds
    #expect(verdicts.map(\.stretch) == [600, 600, 600, 600, nil])
    let uploads = try #require(verdicts.first?.value)
    #expect(uploads >= 10 && uploads < 6_000, "\(uploads)")
    #expect(verdicts.prefix(3).map(\.outcome) == [.notJudged, .passed, .passed], "\(verdicts)")
  }

  /// Gives each device tokens of its own; `refuses` says whether the upload of that number gets 401.
  private func tokens(expires: Int = 3_600, refuses: @escaping @Sendable (Int) -> Bool = { _ in false }) throws
    -> BareServer
  {
    let counts = Mutex((tokens: 0, uploads: 0))
    return try BareServer { request in
      guard request.lines[0].contains("/api/") else {
        let number = counts.withLock { counts in
          counts.uploads += 1
          return counts.uploads
        }
        return refuses(number) ? Backend.status(401) : .ok("{}")
      }
      let number = counts.withLock { counts in
        counts.tokens += 1
        return counts.tokens
      }
      return .ok(
        "{\"accessToken\":\"token-\(number)-\",\"refreshToken\":\"refresh-\(number)-\",\"expires\":\(expires)}")
    }
  }

  @Test func theEndOfATokenIsNoFailedCheck() throws {
    let expiry = #"faults: [{ name: "f", at: "3m", auth: { expireAllAccessTokens: true } }], "#
    let summary = try summary(Self.lockstep, expiry + Self.accepted, strategy: "jwt", at: tokens())
    #expect(summary.answers["status 401"] == 2, "\(summary.answers)")
    #expect(summary.checks[0].failed == 0 && summary.checks[0].held > 10, "\(summary.checks)")
  }

  /// A server may take a token back before its end, and then takes the new one.
  @Test(arguments: [5...5, 5...6]) func aRefusalBehindARefreshIsAFailedCheck(refused: ClosedRange<Int>) throws {
    let summary = try summary(Self.lockstep, Self.accepted, strategy: "jwt", at: tokens(refuses: refused.contains))
    #expect(summary.answers["status 401"] == refused.count, "\(summary.answers)")
    #expect((summary.checks[0].failed > 0) == (refused.count > 1), "\(summary.checks)")
  }

  @Test func aTokenThatIsNeverReplacedIsAFailedCheckInTheEnd() throws {
    let expiry =
      #"faults: [{ name: "f", at: "3m", for: "20m", auth: { expireAllAccessTokens: true, refreshStatus: 503 } }], "#
    let clock = #"mode: "lockstep", latency: "modelled", duration: "6m", settle: "0s""#
    let summary = try summary(clock, expiry + Self.accepted, strategy: "jwt", at: tokens())
    let refused = try #require(summary.answers["status 401"])
    #expect(refused > 1 && summary.checks[0].failed == refused, "\(summary.answers) \(summary.checks)")
  }

  @Test func aCheckThatNoAnswerPutToTheTestIsNotHeld() throws {
    let server = try BareServer { _ in Backend.status(401) }
    let check = #"checks: { "not-refused": "response.status not in [400, 404, 422]" }"#
    let threshold = #"thresholds: { "checks{check:not-refused}": ["rate==1"] }"#
    let clock = #"mode: "lockstep", latency: "modelled", duration: "3m", settle: "10s""#
    let summary = try summary(clock, "\(check), \(threshold)", at: server)
    #expect(summary.checks == [CheckResult(name: "not-refused", held: 0, failed: 0)])
    #expect(summary.thresholds[0].outcome == .notMeasured && summary.result == .failed)
  }

  @Test func repeatedRowsCountAsRepeatedRecords() throws {
    let scenario = try ScenarioReader(overrides: [], variable: { _ in nil }).read(
      """
      { version: 1, name: "twice", clock: { mode: "virtual", duration: "2m", settle: "1m" },
        fleets: { cars: { devices: 1, motion: "driving" } }, thresholds: { duplicates_unexplained: ["count==0"] } }
      """
    ).scenario
    let setup = try RunSetup(scenario)
    let measures = try Measures(scenario, setup)
    var report = try FleetRun(setup, to: .inside(Runs.store()), watchers: [measures]).run()
    report.sums.duplicateRows = 57
    let summary = measures.summary(of: report, hash: "", product: "test")
    #expect(summary.thresholds[0].value == 57 && summary.thresholds[0].outcome == .failed)
  }

  @Test func requestsThatTheSimulatorHasAnsweredAreCountedAsThat() throws {
    let expiry = #"faults: [{ name: "f", at: "3m", auth: { expireAllAccessTokens: true } }]"#
    let summary = try summary(Self.lockstep, expiry, strategy: "jwt", at: tokens())
    let told = "the simulator's network has answered 2 uploads and 0 token requests in the target's place"
    #expect(summary.notes.contains { $0.hasPrefix(told) }, "\(summary.notes)")
  }

  @Test func uploadsWithoutAnAnswerAtTheEndAreCounted() throws {
    let server = try BareServer { _ in .silence }
    let clock = #"mode: "accelerated", factor: 60, duration: "2m", settle: "1s""#
    let summary = try summary(clock, "sdk: { config: { http: { timeout: 3600000 } } }", at: server)
    #expect(summary.answers["no answer by the end"] == 2, "\(summary.answers)")
    #expect(summary.figure("uploads") == .counter(summary.answers.values.reduce(0, +)))
  }
}
