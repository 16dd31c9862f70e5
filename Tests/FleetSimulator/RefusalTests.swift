import Base
import Oracle
import Scenario
import Testing

@testable import FleetSimulator
@testable import Upload

/// What dead refresh tokens cost: pairs of requests, and no end of them unless a user or the server makes one (SDK §11.6).
@Suite struct RefusalTests {
  private func instant(_ seconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
  }

  private func refresh(_ status: Int) -> AuthorizationEvent {
    AuthorizationEvent(isSuccess: status == 200, status: status, response: nil, error: nil)
  }

  @Test func aRefusalIsAnUploadAndItsRefresh() {
    var watch = RefusalWatch()
    watch.endUpload(status: 401)
    watch.endRefresh(refresh(400), at: instant(10))
    #expect(watch.close() == 2)
    #expect(watch.close() == nil, "the tokens are good again")
    // The token was known to be over: there was no upload.
    watch.endRefresh(refresh(403), at: instant(20))
    watch.endRefresh(refresh(429), at: instant(30))
    watch.endRefresh(refresh(0), at: instant(40))
    #expect(watch.close() == 2, "what never arrived was not refused")
    watch.endRefresh(refresh(400), at: instant(50))
    watch.endUpload(status: 200)
    #expect(watch.close() == nil, "an upload was taken: the tokens are good")
  }

  /// The end of an access token, a server in trouble, and a refresh that goes well are none.
  @Test func whatTheSDKMendsByItselfIsNoRefusal() {
    for status in [200, 0, 408, 429, 503] {
      var watch = RefusalWatch()
      watch.endUpload(status: 401)
      watch.endRefresh(refresh(status), at: instant(10))
      watch.endUpload(status: 200)
      #expect(watch.close() == nil && watch.perHour(until: instant(3_600)) == nil, "\(status)")
    }
  }

  /// The refresh behind the answer that has stopped it is under way.
  @Test func aStopIsTheEnd() {
    var watch = RefusalWatch()
    for second in [Int64(10), 20] {
      watch.endUpload(status: 401)
      watch.endRefresh(refresh(400), at: instant(second))
    }
    #expect(watch.enable(false) == 4)
    watch.endRefresh(refresh(400), at: instant(21))
    #expect(watch.enable(false) == nil && watch.perHour(until: instant(900)) == nil)
    #expect(watch.enable(true) == nil)
    watch.endRefresh(refresh(400), at: instant(40))
    #expect(watch.close() == 1)
  }

  @Test func anHourIsThatOfTheDrive() {
    var watch = RefusalWatch()
    for second in [Int64(100), 200, 300] {
      watch.endUpload(status: 401)
      watch.endRefresh(refresh(400), at: instant(second))
    }
    #expect(watch.perHour(until: instant(700)) == 36, "six in ten minutes")
    #expect(watch.perHour(until: instant(130)) == nil, "less than a minute tells nothing of an hour")
    watch.endDrive(at: instant(1_300))
    watch.endUpload(status: 401)
    watch.endRefresh(refresh(400), at: instant(1_400))
    #expect(watch.close() == nil && watch.perHour(until: instant(9_000)) == 18)
  }

  private func summary(loginAgain: Double, _ more: String = "") throws -> RunSummary {
    let scenario = try ScenarioReader(overrides: [], variable: { _ in nil }).read(
      """
      { version: 1, name: "dead", seed: 5, clock: { duration: "20m", settle: "10m" },
        target: { auth: { strategy: "jwt", identity: "keycloak", accessTokenTtl: "1h", loginAgain: \(loginAgain) } },
        fleets: { cars: { devices: 8, motion: "driving", network: "lte" } },
        faults: [{ name: "dead", at: "5m", auth: { revokeAllTokens: true } } \(more)] }
      """
    ).scenario
    let setup = try RunSetup(scenario)
    let measures = try Measures(scenario, setup)
    let report = try FleetRun(setup, store: Runs.store(), watchers: [measures]).run()
    return measures.summary(of: report, hash: "", product: "test")
  }

  private func value(_ metric: String, _ aggregation: ThresholdExpression.Aggregation, _ summary: RunSummary) -> Double?
  {
    summary.metrics.first { $0.name == metric }?.figure.value(aggregation, seconds: 1)
  }

  @Test func aLoginEndsIt() throws {
    let summary = try summary(loginAgain: 1)
    #expect(value("refusals_until_login", .count, summary) == 8)
    #expect(
      value("refusals_until_login", .minimum, summary) == 2 && value("refusals_until_login", .maximum, summary) == 2)
    #expect(value("refusals_per_hour", .count, summary) == nil && value("auth_refresh_failures", .count, summary) == 8)
    #expect(summary.refusalSentences.count == 1 && summary.refusalSentences[0].contains("8 devices logged in again"))
  }

  /// Pairs without end, and when the drives are over nothing is left behind.
  @Test func withoutALoginItDoesNotEnd() throws {
    let summary = try summary(loginAgain: 0)
    #expect(value("refusals_until_login", .count, summary) == nil && value("refusals_per_hour", .count, summary) == 8)
    let refused = try #require(summary.answers["status 401"])
    #expect(refused > 8 * 10, "one with each upload that falls due in a quarter of an hour")
    let failures = try #require(value("auth_refresh_failures", .count, summary))
    #expect((Double(refused - 8)...Double(refused)).contains(failures), "the login ends a refresh that is under way")
    // A quarter of an hour, less the time until the next upload; the last pair of each is of the settle phase.
    let perHour = try #require(value("refusals_per_hour", .average, summary))
    let expected = Double(refused - 8) * 2 * 4 / 8
    #expect((expected...expected * 1.1).contains(perHour), "\(perHour) an hour, \(refused) in all")
    #expect(summary.drained != nil && summary.ledger.lost == 0 && summary.violations.isEmpty)
    let sentences = summary.refusalSentences
    #expect(sentences.count == 1 && sentences[0].contains("kept sending until the drives ended"))
  }

  @Test func someLogInAgain() throws {
    let summary = try summary(loginAgain: 0.5)
    let (again, never) = (value("refusals_until_login", .count, summary), value("refusals_per_hour", .count, summary))
    #expect((again ?? 0) > 0 && (never ?? 0) > 0 && (again ?? 0) + (never ?? 0) == 8, "\(summary.refusalSentences)")
  }

  /// The answer 401 carries the command.
  @Test func theCommandStopEndsIt() throws {
    let summary = try summary(
      loginAgain: 0, #", { name: "stop", at: "10m", remote: { background_geolocation: [["stop"]] } }"#)
    #expect(value("refusals_until_stop", .count, summary) == 8 && value("refusals_per_hour", .count, summary) == nil)
    #expect(summary.refusalSentences.first?.contains("8 devices stopped sending") == true)
  }
}
