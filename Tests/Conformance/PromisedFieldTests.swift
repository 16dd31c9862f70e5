import Base
import Scenario
import Testing
import Threaded

@testable import BackendStore
@testable import Conformance

/// What a dialect promises to keep is looked for, and what a list shows in its own way is not taken for a loss (docs/conform.md).
@Suite(.waits) struct PromisedFieldTests {
  private static let everything = ScriptedBackend.dialect.replacing(
    "\"activity\"]", with: "\"activity\", \"provider\", \"altitude\", \"unknown\"]")

  private static let losses: [(ScriptedBackend.Defect, String, String)] = [
    (.forgetsProvider, "event-providerchange", "provider"),
    (.forgetsNewFields, "unknown-fields", "'new_key' is not stored"),
    (.forgetsConfidence, "standard-fields-kept", "'activity.confidence' is not stored"),
    (.forgetsZeroAltitude, "standard-fields-kept", "'coords.altitude' of 0 is not stored"),
    (.forgetsFloors, "standard-fields-kept", "'coords.floor' is not stored"),
    (.forgetsAccuracies, "standard-fields-kept", "'coords.speed_accuracy' is not stored"),
    (.forgetsTimeOfRecording, "standard-fields-kept", "'recorded_at' is not stored"),
  ]

  @Test(arguments: losses)
  func whatIsPromisedAndNotStoredIsABreach(defect: ScriptedBackend.Defect, clause: String, words: String) throws {
    guard case .broken(let breach)? = try ScriptedBackend(defect).verdict(on: clause, dialect: Self.everything) else {
      Issue.record("\(defect) keeps \(clause)")
      return
    }
    #expect(breach.cause.contains(words), "\(breach.cause)")
    guard case .kept? = try ScriptedBackend(nil).verdict(on: clause, dialect: Self.everything) else {
      Issue.record("a right backend does not keep \(clause)")
      return
    }
  }

  /// A list of columns may have none for what no promise names.
  @Test(arguments: [ScriptedBackend.Defect.forgetsFloors, .forgetsAccuracies, .forgetsTimeOfRecording])
  func aFieldThatIsNotPromisedMayBeMissing(defect: ScriptedBackend.Defect) throws {
    let verdict = try ScriptedBackend(defect).verdict(on: "standard-fields-kept")
    guard case .kept? = verdict else {
      Issue.record("\(String(describing: verdict))")
      return
    }
  }

  /// Nothing is known of a backend that lets no upload in: no clause of it is kept, and the message says what is missing.
  @Test func aBackendThatWantsAnUnknownKeyIsNotJudged() throws {
    let dialect = ScriptedBackend.dialect.replacing("tokens: \"none\", ", with: "")
    let clauses: Set<String> = ["no-redirect", "good-record-acknowledged", "stored-when-acknowledged", "batch-250"]
    let summary = try ScriptedBackend(.wantsAKey).summary(of: clauses, dialect: dialect)
    #expect(summary.outcome == .nothingJudged && summary.broken.isEmpty, "\(summary.results.map(\.verdict))")
    let text = ConformanceText(summary, width: 400, hasColours: false).text
    #expect(text.contains("403") && text.contains("app.http.headers"), "\(text)")
    // A promise that no upload needs one is broken.
    #expect(try ScriptedBackend(.wantsAKey).summary(of: clauses).outcome == .mustBroken)
  }

  private static let times = [
    "time-is-utc", "time-to-the-millisecond", "time-zone-and-fractions", "minute-early", "recorded-at-and-age-harmless",
    "cut-request-stores-nothing-half", "time-in-every-season",
  ]

  @Test(arguments: [
    (ScriptedBackend.Listing.timesUnderAnotherName, times, "ts_ms: name it in verify.fields"),
    (.timesSinceTwoThousandAndOne, times, "counts in no unit since 1970"),
    (.wholeDegrees, ["coordinates-exact", "coordinates-at-edges", "numbers-as-text"], "10000000 to each"),
  ])
  func aUnitOrANameOfItsOwnIsNotJudged(listing: ScriptedBackend.Listing, clauses: [String], words: String) throws {
    let summary = try ScriptedBackend(nil, listing: listing).summary(of: Set(clauses))
    #expect(summary.broken.isEmpty, "\(summary.results.map { "\($0.clause.id): \($0.verdict)" })")
    #expect(summary.notJudged.contains { $0.remark.contains(words) }, "\(summary.notJudged.map(\.remark))")
    #expect(summary.badge.contains("checked in part: ") && summary.badge.contains(clauses[0]), "\(summary.badge)")
  }

  /// What the list shows under a name of its own is there, and was not compared.
  @Test func aFieldUnderAnotherNameIsNotJudged() throws {
    let target = ConformanceTarget(
      "http://127.0.0.1:1", try DialectReader().read("{ version: 1 }"), adminToken: nil)
    let clause = try #require(ConformanceClause.all.first { $0.id == "extras-every-kind" })
    let run = ClauseRun(
      clause, target, ConformanceRun.Settings(seed: 1, start: SystemClock().wallNow), facts: RunFacts(target),
      watch: AnswerWatch())
    let record = SentRecord(
      uuid: UUID128(high: 1, low: 2), timestamp: SystemClock().wallNow, bytes: Array(#"{"extras":{"a":1}}"#.utf8))
    let look = ClauseRun.FoundRecords(
      entries: [record.uuid: [StoredRecord(.object([]), fields: [])]], listed: 1)
    func compare() throws { try run.expectSame(["extras"], of: record, in: look) }
    do { try compare() } catch ClauseStop.notApplicable(let reason) { #expect(reason == "the store shows no 'extras'") }
    run.facts.note(hidden: "extras", "it is at $.more")
    do { try compare() } catch ClauseStop.notJudged(let reason) { #expect(reason == "it is at $.more") }
    #expect(throws: ClauseStop.self) { try compare() }
  }

  @Test func aFlagMayBeAText() throws {
    let summary = try ScriptedBackend(nil, listing: .flagsAsText).summary(of: [
      "standard-fields-kept", "event-motionchange",
    ])
    #expect(summary.broken.isEmpty && summary.kept.count == 2, "\(summary.results.map(\.verdict))")
  }
}
