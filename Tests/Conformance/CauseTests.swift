import Base
import Testing
import Threaded

@testable import BackendStore
@testable import Conformance

/// One defect is one finding: what it breaks elsewhere is told under it, or is not judged.
@Suite(.waits) struct CauseTests {

  private func causes(
    _ defect: ScriptedBackend.Defect, _ clauses: Set<String>, dialect: String = ScriptedBackend.dialect
  ) throws -> [String] {
    try ScriptedBackend(defect).summary(of: clauses, dialect: dialect).causes.map(\.clause.id)
  }

  @Test func whatIsStoredElsewhereInAFieldIsToldOnce() throws {
    let swapped: Set<String> = [
      "coordinates-not-swapped", "coordinates-exact", "numbers-as-text", "keys-in-any-order",
      "cut-request-stores-nothing-half",
    ]
    #expect(try causes(.swapsCoordinates, swapped) == ["coordinates-not-swapped"])
    #expect(try causes(.shiftsTimes, ["time-is-utc", "cut-request-stores-nothing-half"]) == ["time-is-utc"])
    // By itself it is a cause.
    #expect(try causes(.swapsCoordinates, ["keys-in-any-order"]) == ["keys-in-any-order"])
  }

  @Test func whatIsLostOfBatchesIsToldOnce() throws {
    let clauses: Set<String> = ["batch-all-stored", "time-is-utc", "text-nul", "same-before-and-after-restart"]
    #expect(try causes(.firstOfBatch, clauses, dialect: ScriptedBackend.restartable) == ["batch-all-stored"])
    #expect(try causes(.firstOfBatch, ["text-nul"]) == ["text-nul"])
  }

  /// A list that is whole of small batches tells of a large one what is lost.
  @Test func whatALargeBatchLosesIsNotTheLists() throws {
    let clauses: Set<String> = ["batch-250", "store-reads-all"]
    let summary = try ScriptedBackend(.losesTheLastOfTwenty).summary(of: clauses)
    #expect(summary.broken.map(\.clause.id) == ["batch-250"], "\(summary.results.map(\.verdict))")
    #expect(
      summary.broken.first?.breach?.cause
        == "1 of 250 records of a batch of 250 were acknowledged and are not stored: the last")
  }

  /// One record more does not make the list longer, and what it lacks does not appear in it when it comes again.
  @Test(arguments: [ScriptedBackend.Listing.firstHundred, .newestHundred])
  func whatIsBehindTheEndOfAListIsNotLost(listing: ScriptedBackend.Listing) throws {
    let summary = try ScriptedBackend(nil, listing: listing).summary(of: ["batch-250", "batch-all-stored"])
    #expect(summary.broken.isEmpty && summary.outcome == .allKept, "\(summary.results.map(\.verdict))")
    #expect(summary.badge.contains("checked in part: batch-250"), "\(summary.badge)")
    // What is behind the end of a list is unknown, and no phone needs a list.
    let all = try ScriptedBackend(nil, listing: listing).summary(of: ["store-reads-all", "batch-all-stored"])
    #expect(all.outcome == .storeUnread && all.kept.map(\.clause.id) == ["batch-all-stored"])
    #expect(
      all.notJudged.first?.remark.contains("ends at 100 entries") ?? false, "\(all.results.map(\.verdict))")
  }

  /// A store that ends where a list may end: what it has lost is there when it comes again.
  @Test func whatAStoreKeepsNoRoomForIsLost() throws {
    let breach = try ScriptedBackend(.keepsNewest).summary(of: ["batch-250"]).broken.first?.breach
    #expect(
      breach?.harm == .lose
        && breach?.cause
          == "150 of 250 records of a batch of 250 were acknowledged and are not stored: numbers 1 to 150",
      "\(breach?.cause ?? "")")
  }

  /// What is stored is looked at again when it may have been changed.
  @Test(arguments: [
    (ScriptedBackend.Defect.overwritesRepeats, "resend-acknowledged-again", "odometer: 0 instead of"),
    (.keepsOneFenceOfAName, "event-geofence", "geofence.action"),
    (.lowersKeys, "extras-every-kind", "extras.tripId is missing"),
    (.thinsOldOnes, "stays-stored", "is another one now: "),
  ])
  func whatChangesLaterIsSeen(defect: ScriptedBackend.Defect, clause: String, cause: String) throws {
    let clauses: Set<String> = [
      "resend-acknowledged-again", "event-geofence", "extras-every-kind", "stays-stored", "batch-all-stored",
      "batch-250",
    ]
    let summary = try ScriptedBackend(defect).summary(of: clauses)
    #expect(summary.causes.map(\.clause.id) == [clause], "\(summary.results.map(\.verdict))")
    #expect(
      summary.causes.first?.breach?.cause.contains(cause) ?? false, "\(summary.causes.first?.breach?.cause ?? "")")
  }

  /// Two texts that look the same are told by their characters.
  @Test func anotherFormOfUnicodeIsToldByItsCharacters() {
    let difference = StoredField.difference(.text("Z\u{FC}rich"), .text("Zu\u{308}rich"), "extras.a")
    #expect(difference == "extras.a: another form of Unicode, U+FC U+72 U+69 instead of U+75 U+308 U+72")
  }

  /// A backend that knows the last two hundred records is one that forgets, and none that does not know a record at all.
  @Test func aShortMemoryIsToldAsThat() throws {
    let clauses: Set<String> = [
      "resend-after-cut-answer", "resend-acknowledged-again", "resend-after-many", "batch-250", "backlog-5000",
    ]
    let summary = try ScriptedBackend(.remembersTwoHundred).summary(of: clauses)
    #expect(summary.causes.map(\.clause.id) == ["resend-after-many"], "\(summary.results.map(\.verdict))")
  }

  /// A list that was longer once does not end at a round number.
  @Test func aListThatWasLongerHasNoLimit() throws {
    let summary = try ScriptedBackend(.keepsAHundredOfABatch).summary(of: [
      "store-reads-all", "batch-250", "right-device",
    ])
    let cause = summary.broken.first?.breach?.cause
    #expect(
      summary.broken.map(\.clause.id) == ["batch-250"]
        && cause == "150 of 250 records of a batch of 250 were acknowledged and are not stored: the last 150",
      "\(summary.results.map(\.verdict))")
  }

  /// No loss, as it is there.
  @Test func whatIsFiledUnderAnotherDeviceIsToldAsThat() throws {
    let breach = try ScriptedBackend(.filesTheSixthElsewhere, listing: .needsADevice).summary(of: ["batch-all-stored"])
      .broken.first?.breach
    let cause = breach?.cause ?? ""
    #expect(
      cause.hasPrefix(
        "1 of 10 records of a batch of 10 are not stored under their device, but under another, as 'c"), "\(cause)")
    #expect(cause.hasSuffix("': number 6") && breach?.harm == .wrong)
  }

  /// Each record is there, and in the lists of all other phones.
  @Test func whatIsListedUnderOthersTooIsNotFiledRightly() throws {
    let summary = try ScriptedBackend(.cutsNames).summary(of: ["right-device", "stored-when-acknowledged"])
    #expect(summary.causes.map(\.clause.id) == ["right-device"], "\(summary.results.map(\.verdict))")
    #expect(summary.kept.map(\.clause.id) == ["stored-when-acknowledged"], "\(summary.results.map(\.verdict))")
    let cause = summary.causes.first?.breach?.cause ?? ""
    #expect(cause.contains("' is listed under '") && cause.hasSuffix("' as well"), "\(cause)")
  }

  private static let risky: Set<String> = ["alive-after-bad-record", "bad-record-in-batch", "reset-after-request"]

  @Test func whatNeedsAFieldThatMayBeMissingIsToldOnce() throws {
    let clauses: Set<String> = ["missing-fields", "keys-in-any-order", "unknown-fields"]
    #expect(try causes(.failsAtMissingFields, clauses) == ["missing-fields"])
  }

  /// Nothing is said of the clauses that came behind it, as nothing can be.
  @Test(arguments: [ScriptedBackend.Defect.stopsAtABadRecord, .stopsToStoreAtABadRecord])
  func whatStopsABackendIsToldOnce(defect: ScriptedBackend.Defect) throws {
    let summary = try ScriptedBackend(defect).summary(of: Self.risky)
    #expect(summary.causes.map(\.clause.id) == ["alive-after-bad-record"])
    #expect(summary.notJudged.map(\.clause.id) == ["bad-record-in-batch", "reset-after-request"])
    let silence = ConformanceVerdict.notJudged(.backendStopped(after: "alive-after-bad-record"))
    #expect(summary.notJudged.allSatisfy { $0.verdict == silence }, "\(summary.results)")
  }

  /// Where clauses run at once, as the store shows late what it has, a bad record comes by itself all the same.
  @Test func aBadRecordIsNamedWhereClausesRunAtOnce() throws {
    let dialect = ScriptedBackend.dialect.replacing(
      "/stored?device={device}\"", with: "/stored?device={device}\", readDelay: \"300ms\"")
    let clauses = Self.risky.union(["cut-request-stores-nothing-half", "unreadable-not-acknowledged"])
    let summary = try ScriptedBackend(.stopsToStoreAtABadRecord).summary(of: clauses, dialect: dialect)
    #expect(summary.causes.map(\.clause.id) == ["alive-after-bad-record"], "\(summary.results.map(\.verdict))")
    #expect(summary.causes.first?.breach?.suspects.isEmpty ?? false, "\(summary.results.map(\.verdict))")
  }

  /// A refusal is one thing, and what is taken for known behind it is another.
  @Test func whatIsKnownFromARefusedBatchIsLost() throws {
    let breach = try ScriptedBackend(.knowsWhatItRefuses).summary(of: ["bad-record-in-batch"]).broken.first?.breach
    #expect(breach?.harm == .lose, "\(String(describing: breach))")
    #expect(
      breach?.cause.hasSuffix(
        "; when its good records were sent again by themselves, they were acknowledged, and 9 of 9 are not stored")
        ?? false, "\(breach?.cause ?? "")")
    let refusing = try ScriptedBackend(.refusesBatchWithABadRecord).summary(of: ["bad-record-in-batch"])
    #expect(refusing.broken.first?.breach?.harm == .block, "\(refusing.results.map(\.verdict))")
  }

  /// A clause that was kept itself is broken when the backend stores nothing behind it.
  @Test func aClauseBehindWhichNothingIsStoredIsBroken() throws {
    let result = try ScriptedBackend(.stopsAtABadRecord).summary(of: ["bad-record-in-batch"]).results.first
    let cause = try #require(result?.breach?.cause)
    #expect(cause == "after it, a good record was answered with status 500", "\(cause)")
  }

  @Test func behindARestartTheOthersAreJudged() throws {
    let summary = try ScriptedBackend(.stopsAtABadRecord).summary(of: Self.risky, dialect: ScriptedBackend.restartable)
    #expect(summary.causes.map(\.clause.id) == ["alive-after-bad-record"])
    #expect(summary.kept.map(\.clause.id) == ["reset-after-request"] && summary.notJudged.isEmpty)
  }

  /// Side by side all may look broken; each by itself shows which one it is.
  @Test func theOneOfManyIsFoundBehindARestart() throws {
    let clauses: Set<String> = [
      "text-nul", "null-fields", "missing-fields", "unknown-fields", "event-heartbeat", "minute-early", "week-late",
    ]
    let summary = try ScriptedBackend(.stopsAtNUL).summary(of: clauses, dialect: ScriptedBackend.restartable)
    #expect(summary.causes.map(\.clause.id) == ["text-nul"])
    #expect(summary.kept.count == clauses.count - 1, "\(summary.results.map(\.verdict))")
  }

  /// No clause is left to see it, and the next phase is not blamed.
  @Test func whatTheLastOfThemStopsIsSeen() throws {
    let alone = try ScriptedBackend(.stopsAtNUL).summary(of: ["text-nul"])
    #expect(alone.causes.map(\.clause.id) == ["text-nul"], "\(alone.results.map(\.verdict))")
    #expect(alone.causes.first?.breach?.cause.hasPrefix("after it, a good record was answered with status 500") == true)
    let followed = try ScriptedBackend(.stopsAtNUL).summary(of: ["text-nul", "hundred-at-once"])
    #expect(followed.causes.map(\.clause.id) == ["text-nul"], "\(followed.results.map(\.verdict))")
    #expect(followed.notJudged.map(\.verdict) == [.notJudged(.backendStopped(after: "text-nul"))])
    let right = try ScriptedBackend(nil).summary(of: ["text-nul", "hundred-at-once"])
    #expect(right.kept.count == 2)
  }

  /// A clause that runs by itself may be kept and stop the backend, and the clause behind it has not done so.
  @Test func whatOneAloneStopsIsItsOwn() throws {
    let clauses: Set<String> = ["resend-after-cut-answer", "no-commands-unasked"]
    let summary = try ScriptedBackend(.stopsAtARepeat).summary(of: clauses)
    #expect(summary.causes.map(\.clause.id) == ["resend-after-cut-answer"], "\(summary.results.map(\.verdict))")
  }

  /// One restart serves all clauses that follow.
  @Test func whatAnEarlierPhaseHasStoppedIsStartedAgain() throws {
    let restartable = ScriptedBackend.restartable
    let late = try ScriptedBackend(.stopsAtNUL).summary(of: ["text-nul", "hundred-at-once"], dialect: restartable)
    #expect(late.causes.map(\.clause.id) == ["text-nul"] && late.kept.map(\.clause.id) == ["hundred-at-once"])
    let clauses: Set<String> = ["resend-after-cut-answer", "no-commands-unasked", "hundred-at-once"]
    let early = try ScriptedBackend(.stopsAtARepeat).summary(of: clauses, dialect: restartable)
    #expect(early.causes.map(\.clause.id) == ["resend-after-cut-answer"], "\(early.results.map(\.verdict))")
    #expect(early.kept.count == 2, "\(early.results.map(\.verdict))")
  }

  /// Where it cannot be restarted, no single one is accused. One of these clauses uploads when the others have long ended.
  @Test func theManyThatRanAtOnceAreNamedTogether() throws {
    let summary = try ScriptedBackend(.stopsAtNUL).summary(of: ["text-nul", "null-fields", "idle-then-upload"])
    let finding = try #require(summary.causes.first)
    #expect(summary.causes.count == 1 && finding.clause.level == .must, "\(summary.results.map(\.verdict))")
    let cause = finding.breach?.cause ?? ""
    #expect(cause.hasPrefix("after ") && cause.contains(" clauses that ran at once (") && cause.contains("text-nul"))
    #expect(cause.contains("a good record was answered with status 500") && cause.contains("--only"), "\(cause)")
    #expect(finding.breach?.suspects.contains("text-nul") == true && finding.breach?.suspects.count ?? 0 > 1)
    let silence = ConformanceVerdict.notJudged(.backendStopped(after: finding.clause.id))
    #expect(summary.notJudged.allSatisfy { $0.verdict == silence }, "\(summary.results.map(\.verdict))")
  }

  private func causes(_ breaches: [String: Set<BreachSign>]) throws -> [String: String] {
    try results(breaches.map { ($0.key, $0.value) }).reduce(into: [:]) { $0[$1.clause.id] = $1.cause }
  }

  /// Nothing is said of what was stored.
  @Test func whatDoesNotComeBackIsToldOnce() throws {
    let clauses: Set<String> = [
      "back-after-restart", "ack-survives-stop", "same-before-and-after-restart", "resend-after-restart",
      "stays-stored",
    ]
    let summary = try ScriptedBackend(.staysAway).summary(
      of: clauses, dialect: ScriptedBackend.restartable, restartTimeout: .seconds(1))
    #expect(summary.causes.map(\.clause.id) == ["back-after-restart"], "\(summary.results.map(\.verdict))")
    #expect(summary.notJudged.count == clauses.count - 1, "\(summary.results.map(\.verdict))")
    let breach = summary.causes.first?.breach
    #expect(
      breach?.cause == "the backend did not come back after the restart: for 1 s it was not there (status 503)",
      "\(breach?.cause ?? "")")
    // A clause by itself says the same.
    let alone = try ScriptedBackend(.staysAway).summary(
      of: ["ack-survives-kill"], dialect: ScriptedBackend.restartable, restartTimeout: .seconds(1))
    #expect(alone.broken.first?.breach?.cause == breach?.cause, "\(alone.results.map(\.verdict))")
    let right = try ScriptedBackend(nil).summary(of: ["back-after-restart"], dialect: ScriptedBackend.restartable)
    #expect(right.outcome == .allKept)
  }

  private func results(_ breaches: [(String, Set<BreachSign>)]) throws -> [ClauseResult] {
    let results = try breaches.map { id, signs in
      var breach = Breach(cause: "it was seen", harm: .wrong)
      breach.signs = signs
      let clause = try #require(ConformanceClause.all.first { $0.id == id })
      return ClauseResult(clause: clause, verdict: .broken(breach), seconds: 0)
    }
    let causes = ConformanceCauses(results)
    return results.map {
      var result = $0
      result.cause = causes.cause(of: $0.clause.id)
      return result
    }
  }

  /// The exit code is that of the worst clause, and so is the finding.
  @Test func aFindingHasTheLevelOfTheWorstThatItHolds() throws {
    let late = "readable-when-acknowledged"
    for (consequence, head) in [
      ("alive-after-bad-record", "✗ \(late)  must, by itself a should"), ("inaccurate-kept", "! \(late)  should,"),
    ] {
      let results = try results([(late, []), (consequence, [.loss])])
      let summary = ConformanceSummary(
        results, target: "", store: nil, seed: 1, start: WallInstant(millisecondsSince1970: 0), seconds: 0)
      let text = ConformanceText(summary, width: 120, hasColours: false).text
      #expect(summary.causes.count == 1 && text.contains(head), "\(text)")
      #expect((summary.outcome == .mustBroken) == text.contains("also    \(consequence) (must)"), "\(text)")
    }
  }

  @Test func theCauseOfACauseIsTheFinding() throws {
    let found = try causes([
      "idle-connections-beside-others": [], "many-devices-at-once": [.unanswered], "hundred-at-once": [],
    ])
    let idle = "idle-connections-beside-others"
    #expect(found == ["many-devices-at-once": idle, "hundred-at-once": idle])
  }

  /// What follows from a breach stands under it, and nothing else.
  @Test func anotherBreachIsAFindingOfItsOwn() throws {
    let (fields, content) = ("standard-fields-kept", "one-record-one-content")
    #expect(try causes([fields: [.field("coords.speed")], content: [.ofNeighbour]]) == [:])
    #expect(try causes([fields: [.field("coords.speed")], content: [.field("odometer")]]) == [content: fields])
    let extras = "extras-every-kind"
    #expect(try causes([extras: [.field("extras.i")], "text-escaped": [.loss]]) == [:])
    #expect(
      try causes([extras: [.field("extras")], "event-geofence": [.field("geofence.extras")]]) == [
        "event-geofence": extras
      ])
    #expect(try causes([extras: [.field("extras")], "event-geofence": [.field("geofence.action")]]) == [:])
    // A compressed body has text of many scripts, too.
    let (text, place) = ("text-all-scripts", BreachSign.field("extras.place"))
    #expect(try causes([text: [place], "gzip-body": [place]]) == ["gzip-body": text])
    #expect(try causes([text: [place], "gzip-body": [.loss]]) == [:])
  }

  /// A list that leaves out rows explains a few missing records, and one that was not read explains none.
  @Test func aListExplainsWhatItLeavesOut() throws {
    let (list, few) = ("store-reads-all", Set([BreachSign.loss, .ofPartOfList]))
    #expect(try causes([list: [.loss], "keep-alive": few]) == ["keep-alive": list])
    #expect(try causes([list: [.refused(isBatch: true)], "keep-alive": few]) == [:])
  }

  /// A proxy's limit is not the crash behind it, and no refusal stores a record twice.
  @Test(arguments: [
    (502, 413, false), (502, 502, true), (400, 400, true), (200, 400, false), (413, 500, true), (409, 200, false),
  ])
  func anotherRefusalHasAnotherReason(first: Int, second: Int, isExplained: Bool) throws {
    func result(_ id: String, _ status: Int, _ sign: BreachSign) throws -> ClauseResult {
      let clause = try #require(ConformanceClause.all.first { $0.id == id })
      var breach = Breach(cause: "", harm: .lose)
      (breach.status, breach.signs) = (status, [sign])
      return ClauseResult(clause: clause, verdict: .broken(breach), seconds: 0)
    }
    let causes = ConformanceCauses([
      try result("good-record-acknowledged", first, first < 400 ? .loss : .refused(isBatch: false)),
      try result("week-late", second, second < 400 ? .storedTwice : .refused(isBatch: false)),
    ])
    #expect(causes.cause(of: "week-late") == (isExplained ? "good-record-acknowledged" : nil))
  }

  @Test func whatIsRefusedOfOneFormIsToldOnce() throws {
    let found = try causes([
      "root-object": [], "answer-in-time": [.refused(isBatch: false)], "week-late": [.refused(isBatch: true)],
    ])
    #expect(found == ["answer-in-time": "root-object"])
  }

  /// What a restart has lost is more than what may be late.
  @Test func aProvedLossComesBeforeAPossibleOne() throws {
    let late = "readable-when-acknowledged"
    for proof in ["ack-survives-stop", "ack-survives-kill"] {
      let found = try causes([late: [], proof: [.loss], "resend-after-many": [.loss]])
      #expect(found == [late: proof, "resend-after-many": proof])
    }
    #expect(try causes([late: [], "resend-after-many": [.loss]]) == ["resend-after-many": late])
  }

  /// What rests on a clause is no cause of it, whatever both show.
  @Test func noTwoExplainEachOther() throws {
    let found = try causes(["many-devices-at-once": [.storedTwice], "same-record-at-once": [.storedTwice]])
    #expect(found == ["same-record-at-once": "many-devices-at-once"])
    #expect(
      try causes(["same-record-at-once": [.storedTwice], "twin-in-one-batch": [.storedTwice]]) == [
        "twin-in-one-batch": "same-record-at-once"
      ])
  }

  @Test func everySignNamesClausesThatAreThere() {
    let all = Set(ConformanceClause.all.map(\.id))
    let fields = ["coords.latitude", "timestamp", "event", "geofence", "extras.a", "battery.level"]
    for sign in [
      .loss, .elsewhere, .storedTwice, .ofBatch, .unanswered, .refused(isBatch: true), .refused(isBatch: false),
      .ofBareRecords,
    ]
      + fields.map(BreachSign.field)
    {
      #expect(!sign.clauses.isEmpty && all.isSuperset(of: sign.clauses), "\(sign)")
    }
  }
}
