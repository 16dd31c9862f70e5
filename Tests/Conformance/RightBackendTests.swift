import AnswerCheck
import Base
import Scenario
import Testing
import Threaded

@testable import BackendStore
@testable import Conformance

/// Backends that are right, in forms of their own: none of them is blamed (docs/conform.md).
@Suite(.waits) struct RightBackendTests {
  private static let storage: Set<String> = [
    "good-record-acknowledged", "stored-when-acknowledged", "right-device", "batch-all-stored",
  ]

  private static func dialect(_ old: String, _ new: String) -> String {
    ScriptedBackend.dialect.replacing(old, with: new)
  }

  private static func verdicts(_ summary: ConformanceSummary) -> String {
    summary.results.map { "\($0.clause.id): \($0.verdict)" }.joined(separator: "\n")
  }

  /// What is taken for one entry has no uuid, so that nothing is said of what is in it.
  @Test func aListInAnObjectIsNoLoss() throws {
    let summary = try ScriptedBackend(nil, listing: .wrapped).summary(of: Self.storage)
    #expect(summary.outcome == .storeUnread && summary.broken.isEmpty, "\(Self.verdicts(summary))")
    let text = ConformanceText(summary, width: 400, hasColours: false).text
    #expect(text.contains("no entry has a uuid") && text.contains("\"$.points[*]\""), "\(text)")
    let named = Self.dialect("/stored?device={device}\"", "/stored?device={device}\", records: \"$.points[*]\"")
    let seen = try ScriptedBackend(nil, listing: .wrapped).summary(of: Self.storage, dialect: named)
    #expect(seen.outcome == .allKept, "\(Self.verdicts(seen))")
  }

  @Test func uuidsMayHaveNoHyphens() throws {
    let summary = try ScriptedBackend(nil, listing: .withoutHyphens).summary(of: Self.storage)
    #expect(summary.outcome == .allKept, "\(Self.verdicts(summary))")
  }

  /// Rows have a uuid of their own.
  @Test func theUUIDOfARowIsNotThatOfItsRecord() throws {
    let summary = try ScriptedBackend(nil, listing: .otherUUIDs).summary(of: Self.storage)
    #expect(summary.outcome == .storeUnread && summary.broken.isEmpty, "\(Self.verdicts(summary))")
    #expect(Self.verdicts(summary).contains("uuid stands at $.client.ref"), "\(Self.verdicts(summary))")
    let named = Self.dialect(
      "/stored?device={device}\"", #"/stored?device={device}", fields: { uuid: "$.client.ref" }"#)
    let seen = try ScriptedBackend(nil, listing: .otherUUIDs).summary(of: Self.storage, dialect: named)
    #expect(seen.outcome == .allKept, "\(Self.verdicts(seen))")
  }

  @Test func aFieldOfTheQuestionMayChangeAtARestart() throws {
    let clause = "same-before-and-after-restart"
    let right = try ScriptedBackend(nil, listing: .changing).verdict(on: clause, dialect: ScriptedBackend.restartable)
    #expect(right == .kept(""), "\(String(describing: right))")
    let forgetful = try ScriptedBackend(.forgetsAtRestart).summary(of: [clause], dialect: ScriptedBackend.restartable)
    let cause = try #require(forgetful.broken.first?.breach?.cause)
    #expect(cause.contains("13 entries") && cause.contains("1 of 13 records that were listed before it are missing: "))
  }

  /// A table whose rows have identities of their own, and no column for that of the record, tells of no loss.
  @Test func whatIsListedByAnotherNameAloneIsNotLost() throws {
    let summary = try ScriptedBackend(nil, listing: .ownUUIDs).summary(of: Self.storage)
    #expect(summary.outcome == .storeUnread && summary.broken.isEmpty, "\(Self.verdicts(summary))")
    #expect(Self.verdicts(summary).contains("is listed as 00000000-0000-4000-8000-"), "\(Self.verdicts(summary))")
  }

  /// What is shown of a geofence is looked at, promised or not.
  @Test func aWrongGeofenceThatIsNotPromisedIsSeen() throws {
    let verdict = try ScriptedBackend(.entersAlways).verdict(on: "event-geofence", dialect: Self.withoutPromises)
    guard case .broken(let breach)? = verdict else {
      Issue.record("a wrong action is kept")
      return
    }
    #expect(breach.cause.contains("geofence.action"))
  }

  private static let withoutPromises = dialect(
    ", keeps: [\"event\", \"geofence\", \"extras\", \"battery\", \"activity\"]", "")

  /// Some writers of JSON leave out what is 0, which a store may have all the same.
  @Test func aListThatLeavesOutEachZeroTellsNothingOfThem() throws {
    let verdict = try ScriptedBackend(nil, listing: .withoutZeros).verdict(
      on: "standard-fields-kept", dialect: Self.withoutPromises)
    guard case .partly? = verdict else {
      Issue.record("\(String(describing: verdict))")
      return
    }
  }

  @Test(arguments: ["standard-fields-kept", "event-motionchange", "event-providerchange"])
  func aListThatLeavesOutFalseTooTellsNothingOfIt(clause: String) throws {
    let verdict = try ScriptedBackend(nil, listing: .withoutZerosAndFalse).verdict(
      on: clause, dialect: Self.withoutPromises)
    #expect(verdict == .partly(ClauseRun.reasonOfZeros), "\(String(describing: verdict))")
  }

  /// Words of its own are compared with nothing, and a promise of the dialect is one of the SDK's words.
  @Test func aStoreMayHaveItsOwnWordsForEvents() throws {
    let events: Set<String> = ["event-motionchange", "event-geofence", "event-heartbeat", "event-providerchange"]
    let clauses = events.union(["kinds-in-one-batch", "standard-fields-kept"])
    let summary = try ScriptedBackend(nil, listing: .ownWords).summary(of: clauses, dialect: Self.withoutPromises)
    #expect(summary.broken.isEmpty && summary.kept.count == 2, "\(Self.verdicts(summary))")
    #expect(Set(summary.notJudged.map(\.clause.id)) == events, "\(Self.verdicts(summary))")
    let reason = #"the store has its own word for event "motionchange": "MOVED""#
    #expect(summary.notJudged.allSatisfy { $0.verdict == .partly(reason) }, "\(Self.verdicts(summary))")
    let promised = try ScriptedBackend(nil, listing: .ownWords).summary(of: ["event-motionchange"])
    #expect(promised.outcome == .mustBroken, "\(Self.verdicts(promised))")
  }

  @Test func aZeroForAnUnknownAccuracyIsABreach() throws {
    let verdict = try ScriptedBackend(.makesZeroOfUnknownAccuracy).verdict(
      on: "minus-one-kept", dialect: Self.withoutPromises)
    guard case .broken(let breach)? = verdict else {
      Issue.record("\(String(describing: verdict))")
      return
    }
    #expect(breach.cause == "coords.accuracy of -1 is stored as 0.0", "\(breach.cause)")
  }

  @Test func aNullForAZeroIsABreach() throws {
    let verdict = try ScriptedBackend(.makesNullOfZero).verdict(
      on: "standard-fields-kept", dialect: Self.withoutPromises)
    guard case .broken(let breach)? = verdict else {
      Issue.record("\(String(describing: verdict))")
      return
    }
    #expect(breach.cause.contains("coords.speed: null instead of 0"), "\(breach.cause)")
  }

  /// A store that is to keep no extras has none to compare.
  @Test func extrasThatAreNotPromisedAreNotCompared() throws {
    let dialect = Self.dialect("\"extras\", ", "")
    let verdict = try ScriptedBackend(.sharesExtras).verdict(on: "one-record-one-content", dialect: dialect)
    guard case .kept? = verdict else {
      Issue.record("\(String(describing: verdict))")
      return
    }
  }

  @Test func extrasOfAnotherRecordAreABreach() throws {
    let verdict = try ScriptedBackend(.sharesExtras).verdict(on: "one-record-one-content")
    guard case .broken(let breach)? = verdict else {
      Issue.record("\(String(describing: verdict))")
      return
    }
    #expect(breach.cause.hasPrefix("record 2 of the batch has the extras of record 1: "), "\(breach.cause)")
  }

  /// A run of some clauses that cannot be judged says why, and is no success.
  @Test func whatKeepsTheWantedClausesFromBeingJudgedIsTold() throws {
    let summary = try ScriptedBackend(.fails).summary(of: ["batch-all-stored", "unknown-path-refused"])
    #expect(summary.outcome == .mustBroken, "\(Self.verdicts(summary))")
    #expect(summary.broken.map(\.clause.id) == ["good-record-acknowledged"], "\(Self.verdicts(summary))")
  }

  /// A restart goes on beside the uploads of its clause.
  @Test(arguments: ["ack-survives-stop", "ack-survives-kill", "ack-survives-kill-in-flight"])
  func whatARestartDoesNotLoseIsKept(clause: String) throws {
    let verdict = try ScriptedBackend(nil).verdict(on: clause, dialect: ScriptedBackend.restartable)
    guard case .kept? = verdict else {
      Issue.record("\(clause): \(String(describing: verdict))")
      return
    }
  }

  /// A command that ends well need not have reached the process that listens.
  @Test(arguments: ["ack-survives-stop", "ack-survives-kill", "ack-survives-kill-in-flight", "ready-after-kill"])
  func aRestartThatIsNotSeenPutsNothingToTheTest(clause: String) throws {
    let verdict = try ScriptedBackend(nil, restarts: false).verdict(on: clause, dialect: ScriptedBackend.restartable)
    guard case .notJudged(let reason)? = verdict else {
      Issue.record("\(clause): \(String(describing: verdict))")
      return
    }
    #expect("\(reason)".contains("was not seen to go away"), "\(reason)")
  }

  /// A flat table that is to keep events and no geofences has none to show.
  @Test func aGeofenceThatIsNotPromisedIsNotLookedFor() throws {
    let named = Self.dialect("\"geofence\", ", "")
    let verdict = try ScriptedBackend(.forgetsGeofences).verdict(on: "event-geofence", dialect: named)
    guard case .kept? = verdict else {
      Issue.record("\(String(describing: verdict))")
      return
    }
  }

  /// A list of columns may have none for geofences.
  @Test func aColumnThatIsMissingIsNoBreach() throws {
    let summary = try ScriptedBackend(nil, listing: .columns).summary(
      of: ["event-geofence", "event-motionchange"], dialect: Self.withoutPromises)
    #expect(summary.outcome == .allKept, "\(Self.verdicts(summary))")
    let whole = try ScriptedBackend(.forgetsGeofences).verdict(on: "event-geofence", dialect: Self.withoutPromises)
    guard case .broken? = whole else {
      Issue.record("\(String(describing: whole))")
      return
    }
  }

  /// What may be on a page that was not read is neither there nor lost.
  @Test func pagesThatWereNotReadAreNamed() throws {
    let list = Self.dialect("/stored?device={device}\"", "/stored?device={device}\", records: \"$.points[*]\"")
    let summary = try ScriptedBackend(nil, listing: .hasPages).summary(
      of: ["batch-250", "store-reads-all"], dialect: list)
    #expect(summary.broken.isEmpty && summary.outcome == .storeUnread, "\(Self.verdicts(summary))")
    #expect(Self.verdicts(summary).contains("say where the next one is with verify.next"), "\(Self.verdicts(summary))")
    let named = list.replacing("$.points[*]\"", with: "$.points[*]\", next: \"$.next_page\"")
    let seen = try ScriptedBackend(nil, listing: .hasPages).summary(
      of: ["batch-250", "store-reads-all"], dialect: named)
    #expect(seen.outcome == .allKept, "\(Self.verdicts(seen))")
  }

  /// What a list shows a moment later was not lost, and keeps no clause from its turn.
  @Test func whatIsListedLateIsNoLossOfTheRun() throws {
    let summary = try ScriptedBackend(.listsTwoLate).summary(of: [
      "week-late", "minute-early", "alive-after-bad-record",
    ])
    #expect(summary.broken.isEmpty && summary.outcome == .storeUnread, "\(Self.verdicts(summary))")
    #expect(summary.kept.map(\.clause.id) == ["alive-after-bad-record"], "\(Self.verdicts(summary))")
    #expect(Self.verdicts(summary).contains(" s after its answer, and is there "), "\(Self.verdicts(summary))")
  }

  /// One failure alone is a moment's: the other clauses are judged, and the report tells it.
  @Test func oneFailureEndsNoRun() throws {
    let summary = try ScriptedBackend(.failsOnce).summary(of: Self.storage)
    #expect(summary.outcome == .allKept, "\(Self.verdicts(summary))")
    #expect(Self.verdicts(summary).contains("acknowledged when it was sent again"), "\(Self.verdicts(summary))")
  }

  /// The same for a clause that runs beside others.
  @Test func oneFailureOfALargeBatchBreaksNoClause() throws {
    let summary = try ScriptedBackend(.failsAtTheFirstLargeBatch).summary(of: ["batch-250", "batch-all-stored"])
    #expect(summary.outcome == .allKept, "\(Self.verdicts(summary))")
    #expect(Self.verdicts(summary).contains("when it ran again; the first time, "), "\(Self.verdicts(summary))")
  }

  /// Times that cannot be read keep no clause from seeing that nothing was lost.
  @Test func aLossIsLookedForWhereTimesCannotBeRead() throws {
    let verdict = try ScriptedBackend(nil, listing: .unreadableTimes).verdict(on: "cut-request-stores-nothing-half")
    guard case .kept? = verdict else { return _ = Issue.record("\(String(describing: verdict))") }
  }

  @Test func aTimeInTwoColumnsIsNotMissing() throws {
    let summary = try ScriptedBackend(nil, listing: .splitTimes).summary(of: Self.times)
    #expect(summary.broken.isEmpty, "\(Self.verdicts(summary))")
    #expect(Self.verdicts(summary).contains("return both as one value"), "\(Self.verdicts(summary))")
  }

  @Test func aUUIDThatIsCutIsNamed() throws {
    let summary = try ScriptedBackend(.cutsUUIDs).summary(of: Self.storage)
    #expect(summary.causes.map(\.clause.id) == ["stored-when-acknowledged"], "\(Self.verdicts(summary))")
    let cause = summary.causes.first?.breach?.cause ?? ""
    #expect(cause.hasPrefix("the uuid of a record is stored as '") && cause.hasSuffix("', a part of it"), "\(cause)")
  }

  /// Where no batch is acknowledged, there is none to put a record into twice.
  @Test func aBodyThatIsNoJSONIsNotSent() throws {
    let verdict = try ScriptedBackend(.takesNoBatches).verdict(on: "twin-in-one-batch")
    guard case .notJudged(let reason)? = verdict else {
      Issue.record("\(String(describing: verdict))")
      return
    }
    #expect("\(reason)".contains("no batch could be formed"))
  }

  /// Params, which say whose it is, have no place beside an array (SDK §8.2).
  @Test(arguments: ["root-dot-array", "root-changed-with-full-queue"])
  func anArrayWithoutParamsIsNotJudged(clause: String) throws {
    let dialect = Self.dialect("tokens: \"none\"", "tokens: \"none\", roots: [\".\"]")
    let verdict = try ScriptedBackend(nil).verdict(on: clause, dialect: dialect)
    guard case .notApplicable(let reason)? = verdict else {
      Issue.record("\(String(describing: verdict))")
      return
    }
    #expect(reason.contains("a bare array has no params"))
  }

  private static let times: Set<String> = [
    "time-to-the-millisecond", "time-is-utc", "cut-request-stores-nothing-half", "recorded-at-and-age-harmless",
  ]

  @Test(arguments: [ScriptedBackend.Listing.microseconds, .nanoseconds])
  func timesAreNumbersOfAnyUnit(listing: ScriptedBackend.Listing) throws {
    let summary = try ScriptedBackend(nil, listing: listing).summary(of: Self.times)
    #expect(summary.outcome == .allKept, "\(Self.verdicts(summary))")
  }

  /// Which unit a number has, the size tells, and a store has one.
  @Test func aThousandfoldTimeIsABreach() throws {
    let dialect = Self.dialect("tokens: \"none\"", "tokens: \"none\", epoch: true")
    let right = try ScriptedBackend(nil, listing: .microseconds).verdict(on: "time-epoch", dialect: dialect)
    #expect(right == .kept(""), "\(String(describing: right))")
    let verdict = try ScriptedBackend(.takesEpochForSeconds).verdict(on: "time-epoch", dialect: dialect)
    guard case .broken? = verdict else {
      Issue.record("\(String(describing: verdict))")
      return
    }
  }

  @Test func aTimeThatNothingCanReadIsNoBreach() throws {
    let summary = try ScriptedBackend(nil, listing: .unreadableTimes).summary(of: Self.times)
    // This one is about losses, too.
    let half = "cut-request-stores-nothing-half"
    #expect(summary.broken.isEmpty && summary.kept.map(\.clause.id) == [half], "\(Self.verdicts(summary))")
    #expect(summary.notJudged.count == Self.times.count - 1, "\(Self.verdicts(summary))")
  }

  private static let places: Set<String> = [
    "coordinates-exact", "coordinates-at-edges", "cut-request-stores-nothing-half",
  ]

  @Test(arguments: [
    (ScriptedBackend.Listing.geoJSON, "$.geometry.coordinates[1]"), (.texts, "$.geom"),
  ])
  func aPlaceThatIsKeptElsewhereIsNoBreach(listing: ScriptedBackend.Listing, place: String) throws {
    let summary = try ScriptedBackend(nil, listing: listing).summary(of: Self.places)
    #expect(summary.broken.isEmpty, "\(Self.verdicts(summary))")
    let reasons = summary.notJudged.map { "\($0.verdict)" }
    #expect(reasons.contains { $0.contains(place) && $0.contains("verify.fields") }, "\(reasons)")
    let part = summary.notJudged.map(\.clause.id).joined(separator: ", ")
    #expect(summary.reservations == ["checked in part: \(part)"], "\(summary.reservations)")
  }

  /// That a text has its value as a number was not seen.
  @Test func aPlaceThatIsNotReadIsNotKept() throws {
    let verdict = try ScriptedBackend(nil, listing: .geoJSON).verdict(on: "numbers-as-text")
    guard case .notJudged? = verdict else {
      Issue.record("\(String(describing: verdict))")
      return
    }
  }

  @Test func aPlaceIsFoundWhereTheDialectSays() throws {
    let fields =
      #"fields: { "coords.latitude": "$.geometry.coordinates[1]", "coords.longitude": "$.geometry.coordinates[0]" }"#
    let named = Self.dialect("/stored?device={device}\"", "/stored?device={device}\", \(fields)")
    let summary = try ScriptedBackend(nil, listing: .geoJSON).summary(of: Self.places, dialect: named)
    #expect(summary.outcome == .allKept, "\(Self.verdicts(summary))")
  }

  /// Everything else of the record is there.
  @Test func aPlaceThatIsNowhereIsABreach() throws {
    let summary = try ScriptedBackend(nil, listing: .placeless).summary(of: ["coordinates-exact"])
    #expect(summary.broken.first?.breach?.cause == "'coords.latitude' is not stored", "\(Self.verdicts(summary))")
  }

  @Test func aPackedAnswerIsReadAsItIs() {
    let packed: [UInt8] = [
      31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 171, 86, 202, 207, 86, 178, 42, 41, 42, 77, 173, 5, 0, 144, 95, 212, 167, 11, 0,
      0, 0,
    ]
    var answer = RawAnswer()
    answer.status = 200
    answer.body = packed
    answer.head = AnswerHead([("Content-Type", "application/json"), ("Content-Encoding", "gzip")])
    let watch = AnswerWatch()
    watch.see(answer)
    #expect(watch.seen.wrongType == nil)
    answer.head = AnswerHead([("Content-Type", "application/json")])
    watch.see(answer)
    #expect(watch.seen.wrongType != nil)
  }

  /// Each seventh upload is refused for its time, whatever it is.
  @Test func aBackendThatThrottlesIsNotBlamedForIt() throws {
    let clauses = Self.storage.union([
      "header-case", "content-type-charset", "store-reads-all", "bad-record-alone", "answer-waits-for-body",
      "long-headers", "twin-in-one-batch", "split-request", "keep-alive",
    ])
    let summary = try ScriptedBackend(nil, busyAt: 7).summary(of: clauses)
    #expect(summary.broken.isEmpty, "\(Self.verdicts(summary))")
    let first = summary.kept.first { $0.clause.id == "good-record-acknowledged" }?.verdict
    #expect("\(String(describing: first))".contains("the backend throttles"))
    // Twenty uploads in a row never go through. Which other clause meets four refusals depends on those beside it.
    let left = summary.notJudged.map { "\($0.clause.id): \($0.verdict)" }
    #expect(
      left.contains { $0.hasPrefix("keep-alive: ") } && left.allSatisfy { $0.contains("the backend throttles") },
      "\(left)")
    #expect(summary.kept.count > 2 * left.count, "\(left)")
  }

  /// That it is busy is what it says to this record alone.
  @Test func whatIsAlwaysRefusedAsBusyIsABreach() throws {
    let verdict = try ScriptedBackend(.isBusyAtABadRecord).verdict(on: "bad-record-alone")
    guard case .broken(let breach)? = verdict else {
      Issue.record("\(String(describing: verdict))")
      return
    }
    #expect(breach.cause.contains("503"))
  }
}
