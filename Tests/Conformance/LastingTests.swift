import Base
import Testing
import Threaded

@testable import Conformance

/// What shows only now and then, or only when time has passed.
@Suite(.waits) struct LastingTests {
  private func causes(_ summary: ConformanceSummary) -> [String] {
    summary.causes.map { "\($0.clause.id): \($0.breach?.cause ?? "")" }
  }

  /// Clauses that send several records; none of them is about what this backend does.
  private static let several: Set<String> = [
    "good-record-acknowledged", "stored-when-acknowledged", "batch-all-stored", "batch-of-one", "newest-first",
    "coordinates-exact", "time-is-utc", "same-second-two-records", "batch-250", "resend-acknowledged-again",
    "kinds-in-one-batch", "text-all-scripts",
  ]

  @Test func whatIsLostNowAndThenIsOneFinding() throws {
    let summary = try ScriptedBackend(.losesEachSeventh).summary(of: Self.several)
    #expect(summary.causes.map(\.clause.id) == ["stored-when-acknowledged"], "\(causes(summary))")
    let cause = summary.causes.first?.breach?.cause ?? ""
    #expect(cause.contains(" good records were acknowledged and are not stored: "), "\(cause)")
    #expect(summary.broken.count > 2, "nothing was broken that the sample explains")
  }

  @Test func whatFailsNowAndThenIsOneFinding() throws {
    let summary = try ScriptedBackend(.failsAtEachSeventh).summary(of: Self.several)
    #expect(summary.causes.map(\.clause.id) == ["good-record-acknowledged"], "\(causes(summary))")
    let cause = summary.causes.first?.breach?.cause ?? ""
    #expect(
      cause.contains(" uploads of good records were answered with an error (status 500): "), "\(cause)")
  }

  /// Of each fiftieth upload two may be batches; a form of upload that is read wrongly fails each time.
  @Test(arguments: [(40, 16, 2, false), (40, 16, 6, true), (10, 4, 1, false), (10, 4, 4, true), (5, 0, 0, false)])
  func whatMayBeChanceIsNoMatterOfBatches(singles: Int, batches: Int, failed: Int, isOfBatches: Bool) {
    var sample = GoodRecordSample()
    (sample.singles.uploads, sample.batches.uploads) = (singles, batches)
    #expect(sample.isOfBatches(failed) == isOfBatches)
  }

  /// Each upload would wait for its time limit.
  @Test(arguments: [
    (ScriptedBackend.Defect.isSilentBehindFirst, "keep-alive", "upload 2 over one connection: no answer in time"),
    (.claimsAByteMore, "answer-length-true", "it is shorter than its Content-Length"),
  ])
  func whatKeepsUploadsWaitingIsJudgedAtOnce(defect: ScriptedBackend.Defect, clause: String, words: String) throws {
    for wanted in [LastingTests.several, LastingTests.several.union([clause])] {
      let summary = try ScriptedBackend(defect).summary(of: wanted, answerTime: .seconds(2))
      #expect(summary.causes.map(\.clause.id) == [clause], "\(causes(summary))")
      #expect(causes(summary).first?.contains(words) ?? false, "\(causes(summary))")
      #expect(summary.broken.count == 1 && summary.notJudged.contains { $0.remark == "because of \(clause)" })
    }
  }

  /// The others are judged, one after the other.
  @Test func whatFailsInCrowdsAloneIsTheCrowds() throws {
    let clauses: Set<String> = ["good-record-acknowledged", "many-devices-at-once", "batch-of-one", "minute-early"]
    let summary = try ScriptedBackend(.failsInCrowds).summary(of: clauses)
    #expect(summary.causes.map(\.clause.id) == ["many-devices-at-once"], "\(causes(summary))")
    #expect(
      summary.notJudged.isEmpty && summary.kept.contains { $0.clause.id == "good-record-acknowledged" },
      "\(summary.results.map(\.verdict))")
  }

  /// A defect that good records do not show stays the finding that it is.
  @Test func whatIsAlwaysWrongIsNoMatterOfChance() throws {
    let summary = try ScriptedBackend(.losesTheLastOfTwenty).summary(of: Self.several)
    #expect(summary.causes.map(\.clause.id) == ["batch-250"], "\(causes(summary))")
  }

  /// A list of the last day shows as little of old records.
  @Test func aLossOfOldRecordsAsksForTheList() throws {
    let summary = try ScriptedBackend(.dropsOldRecords).summary(of: ["week-late", "late-behind-newer"])
    let remedy = summary.causes.first?.breach?.remedy ?? ""
    #expect(summary.causes.map(\.clause.id) == ["week-late"])
    #expect(remedy.contains("only the records of a day or a week"), "\(remedy)")
    #expect(
      summary.kept.map(\.verdict) == [
        .kept("without one that is a day older, which is not stored by itself either (week-late)")
      ],
      "\(summary.results.map(\.verdict))")
    // What is as young as most says nothing of that.
    let young = try ScriptedBackend(.losesTheLastOfTwenty).summary(of: ["batch-250"])
    #expect(young.causes.map { $0.breach?.remedy } == [""])
  }

  /// Several clauses lose records by a filter of speed, and one is about it.
  @Test func aLossOfPositionsThatJumpIsOneFinding() throws {
    var rules = FormBackend.Rules()
    rules.dropsJumps = true
    let summary = try FormBackend(rules).summary(
      of: ["coordinates-not-swapped", "coordinates-exact", "jump-kept"], dialect: FormBackend.dialect())
    #expect(summary.causes.map(\.clause.id) == ["jump-kept"] && summary.broken.count == 3, "\(causes(summary))")
    #expect(
      summary.causes.first?.breach?.cause.hasSuffix("apart were acknowledged and are not stored: number 2") ?? false)
  }

  /// A store may merge later what it has twice.
  @Test func whatIsStoredTwiceTellsOfReadDelay() throws {
    let breach = try ScriptedBackend(.storesRepeats).summary(of: ["resend-acknowledged-again"]).broken.first?.breach
    #expect(
      breach?.stored.hasSuffix(" s after the answer (a store that merges them later says so with verify.readDelay)")
        ?? false, "\(breach?.stored ?? "")")
  }

  /// What was merged before the end of the run is there once.
  @Test func whatIsMergedLaterIsNotJudged() throws {
    var rules = FormBackend.Rules()
    rules.mergesRepeats = true
    let clauses: Set<String> = ["resend-acknowledged-again", "batch-of-one"]
    let summary = try FormBackend(rules).summary(of: clauses, dialect: FormBackend.dialect())
    #expect(summary.outcome == .storeUnread && summary.kept.count == 1, "\(summary.results.map(\.verdict))")
    let reason = summary.notJudged.first?.remark ?? ""
    #expect(reason.contains("was listed twice, and once at the end of the run"), "\(reason)")
  }

  @Test func whatIsDroppedLaterIsFound() throws {
    let summary = try ScriptedBackend(.listsOldRecordsOnce).summary(of: ["week-late", "batch-of-one", "stays-stored"])
    #expect(
      causes(summary) == [
        "stays-stored: records that were seen in the store are not there any more: 1 of 1 of week-late"
      ])
  }

  @Test func aRightBackendKeepsWhatItHas() throws {
    let summary = try ScriptedBackend(nil).summary(of: [
      "week-late", "batch-of-one", "stays-stored", "resend-much-later",
    ])
    #expect(summary.outcome == .allKept, "\(summary.results.map(\.verdict))")
  }

  /// Two clauses have met a loss that does not come again: all of what was under way sends it again, and no single request.
  @Test func aLossThatIsKeptOnRepetitionIsFound() throws {
    let clauses: Set<String> = ["stored-when-acknowledged", "week-late", "minute-early"]
    let summary = try ScriptedBackend(.losesTwoOnce).summary(of: clauses)
    #expect(summary.causes.map(\.clause.id) == ["stored-when-acknowledged"], "\(causes(summary))")
    let breach = summary.causes.first?.breach
    #expect(
      breach?.suspects == ["week-late", "minute-early"] && breach?.reproduction == nil, "\(String(describing: breach))")
  }

  /// What others have sent is in the store when this clause has waited once.
  @Test func aStoreThatIsBehindIsComparedAsAWhole() throws {
    let dialect = ScriptedBackend.dialect.replacing(
      "/stored?device={device}\"", with: "/stored?device={device}\", readDelay: \"500ms\"")
    let clauses = Self.several.subtracting(["batch-250"]).union(["stays-stored"])
    let summary = try ScriptedBackend(nil).summary(
      of: clauses, dialect: dialect, timeForDevices: .milliseconds(2_500))
    #expect(summary.outcome == .allKept && summary.kept.count == clauses.count, "\(summary.results.map(\.verdict))")
  }

  /// Nothing was seen before, so that nothing is called kept.
  @Test func withoutAStoreNothingStays() throws {
    let dialect = #"{ version: 1, path: "/locations", app: { http: { params: { device_id: "${device.id}" } } } }"#
    guard case .notJudged? = try ScriptedBackend(nil).verdict(on: "stays-stored", dialect: dialect) else {
      Issue.record("a verdict without a look")
      return
    }
  }

  @Test func aMemoryOfAMomentIsFound() throws {
    let clauses: Set<String> = ["resend-acknowledged-again", "resend-much-later"]
    let summary = try ScriptedBackend(.knowsForAMoment).summary(of: clauses)
    #expect(summary.causes.last?.clause.id == "resend-much-later", "\(causes(summary))")
    #expect(
      causes(summary).last?.hasSuffix("after it was acknowledged is stored 2 times") ?? false, "\(causes(summary))")
  }

  @Test func whatFillsTheGapsOfARecordIsFound() throws {
    let summary = try ScriptedBackend(.fillsGapsFromBefore).summary(of: ["missing-fields", "one-record-one-content"])
    #expect(summary.causes.map(\.clause.id) == ["one-record-one-content"], "\(causes(summary))")
    #expect(causes(summary).first?.contains("a record without battery.level has 0.13") ?? false, "\(causes(summary))")
    #expect(try ScriptedBackend(nil).summary(of: ["one-record-one-content"]).outcome == .allKept)
  }

  @Test func aCursorOfSecondsIsFound() throws {
    let paged = ScriptedBackend.dialect.replacing(
      "/stored?device={device}\"", with: "/stored?device={device}\", records: \"$.points[*]\", next: \"$.next\"")
    let clauses: Set<String> = ["store-reads-all", "batch-250"]
    let summary = try ScriptedBackend(.pagesBySeconds).summary(of: clauses, dialect: paged)
    #expect(summary.causes.map(\.clause.id).contains("store-reads-all"), "\(causes(summary))")
    #expect(try ScriptedBackend(nil).summary(of: ["store-reads-all"]).outcome == .allKept)
  }

  /// Two names of one meridian, and of a place that is on all of them.
  @Test func theSamePlaceMayHaveAnotherName() throws {
    let summary = try ScriptedBackend(nil, listing: .ofOneMeridian).summary(of: ["coordinates-at-edges"])
    #expect(summary.outcome == .allKept, "\(summary.results.map(\.verdict))")
  }

  /// What a finding sends again is what it accuses.
  @Test func theCommandLineSendsTheRecordThatIsAccused() throws {
    let summary = try ScriptedBackend(.numbersDevices).summary(of: ["devices-look-alike"])
    let breach = try #require(summary.causes.first?.breach)
    let name = try #require(breach.cause.firstRange(of: "'")).upperBound
    let device = breach.cause[name...].prefix { $0 != "'" }
    #expect(
      breach.reproduction?.commandLine.contains("\"\(device)\"") ?? false,
      "\(breach.cause)\n\(breach.reproduction?.commandLine ?? "")")
  }
}
