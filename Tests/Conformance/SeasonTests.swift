import Base
import Testing
import Threaded

@testable import Conformance

/// Old dates tell of zones; and what is acknowledged is stored, unless the dialect says that it is too old.
@Suite(.waits) struct SeasonTests {
  @Test func aBackendMayRefuseOldRecords() throws {
    let verdict = try ScriptedBackend(.refusesOldRecords).verdict(on: "time-in-every-season")
    guard case .notJudged(let reason)? = verdict else {
      Issue.record("\(String(describing: verdict))")
      return
    }
    #expect("\(reason)".contains("of up to some years ago are"), "\(reason)")
  }

  /// A failure is no answer to a record that is too old.
  @Test func aBackendMayNotFailAtOldRecords() throws {
    let breach = try ScriptedBackend(.failsAtOldRecords).summary(of: ["time-in-every-season"]).broken.first?.breach
    #expect(breach?.harm == .repeat && breach?.status == 500, "\(String(describing: breach))")
    #expect(breach?.remedy.contains("promises.oldest") ?? false, "\(String(describing: breach))")
  }

  @Test(arguments: [
    (ScriptedBackend.Defect.dropsOldRecords, ClauseHarm.lose, "promises.oldest"),
    (.datesOldRecordsAnew, .wrong, "timestamp: "),
  ])
  func whatIsAcknowledgedIsStoredAsItWasSent(defect: ScriptedBackend.Defect, harm: ClauseHarm, words: String) throws {
    let verdict = try ScriptedBackend(defect).verdict(on: "time-in-every-season")
    guard case .broken(let breach)? = verdict else {
      Issue.record("\(String(describing: verdict))")
      return
    }
    #expect(breach.harm == harm && breach.cause.contains(words), "\(breach)")
    let dialect = ScriptedBackend.dialect.replacing("promises: {", with: "promises: { oldest: \"1d\",")
    guard case .notApplicable? = try ScriptedBackend(defect).verdict(on: "time-in-every-season", dialect: dialect)
    else {
      Issue.record("a promise that ends does not count")
      return
    }
  }

  @Test(
    arguments: [("30s", ["minute-early", "day-early"]), ("10h", ["day-early"]), ("2d", [])] as [(String, Set<String>)])
  func whatIsFurtherInTheFutureThanPromisedIsNotJudged(newest: String, left: Set<String>) throws {
    let dialect = ScriptedBackend.dialect.replacing("promises: {", with: "promises: { newest: \"\(newest)\",")
    let summary = try ScriptedBackend(nil).summary(of: ["minute-early", "day-early"], dialect: dialect)
    let unjudged = summary.results.filter { if case .notApplicable = $0.verdict { true } else { false } }
    #expect(Set(unjudged.map(\.clause.id)) == left, "\(summary.results.map(\.verdict))")
  }

  @Test func theHoursOfEachChangeAreThere() throws {
    let now = try #require(WallInstant(exactly: 1_795_694_400_000))
    #expect(
      Seasons.instants(before: now).map(\.iso8601Text) == [
        "2024-02-29T12:00:00.123Z", "2025-10-20T12:00:00.123Z",
        "2025-12-29T12:00:00.123Z", "2025-12-30T12:00:00.123Z", "2025-12-31T12:00:00.123Z", "2026-01-01T12:00:00.123Z",
        "2026-01-02T12:00:00.123Z", "2026-01-03T12:00:00.123Z",
        "2026-01-15T12:00:00.123Z", "2026-03-08T00:30:00.123Z", "2026-03-08T02:30:00.123Z", "2026-03-08T07:30:00.123Z",
        "2026-03-08T09:30:00.123Z",
        "2026-03-27T02:30:00.123Z", "2026-03-29T00:30:00.123Z", "2026-03-29T01:30:00.123Z", "2026-03-29T02:30:00.123Z",
        "2026-04-24T00:30:00.123Z",
        "2026-07-15T12:00:00.123Z", "2026-09-06T00:30:00.123Z", "2026-09-27T02:30:00.123Z", "2026-10-04T02:30:00.123Z",
        "2026-10-25T00:30:00.123Z", "2026-10-25T01:30:00.123Z", "2026-11-01T05:30:00.123Z", "2026-11-01T06:30:00.123Z",
        "2026-11-01T07:30:00.123Z", "2026-11-01T08:30:00.123Z", "2026-11-01T09:30:00.123Z",
        "2026-11-23T23:59:59.999Z", "2026-11-24T00:00:00.000Z",
      ])
  }
}
