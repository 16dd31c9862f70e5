import Testing
import Threaded

@testable import Conformance

/// With a template too, what is stored is compared with what was sent, and what is not compared is not kept (SDK §7.5, docs/conform.md).
@Suite(.waits) struct TemplateTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let defect: TemplateBackend.Defect
    let clause: String
    var listing = TemplateBackend.Listing.named
    var testDescription: String { "\(defect) breaks \(clause), listed \(listing)" }
  }

  private static let inBothListings: [(TemplateBackend.Defect, String)] = [
    (.cutsDegrees, "coordinates-exact"),
    (.countsInSummerTime, "time-in-every-season"),
    (.makesNullOfZero, "standard-fields-kept"),
    (.countsInKilometres, "standard-fields-kept"),
    (.keepsTheLastEvent, "one-record-one-content"),
    (.sharesExtras, "one-record-one-content"),
    (.cutsTexts, "extras-8-kb"),
    (.spoilsTexts, "text-all-scripts"),
    (.writesExtrasAsText, "extras-every-kind"),
  ]

  private static let cases: [Case] =
    inBothListings.flatMap { defect, clause in
      [.named, .asSent].map { Case(defect: defect, clause: clause, listing: $0) }
    } + [
      Case(defect: .failsAtNUL, clause: "text-nul"),
      Case(defect: .stopsAtABadRecord, clause: "alive-after-bad-record"),
      Case(defect: .refusesABadRecord, clause: "bad-record-in-batch"),
    ]

  @Test(arguments: cases) func aDefectBreaksItsClause(_ example: Case) throws {
    let verdict = try TemplateBackend(example.defect, listing: example.listing).verdict(on: example.clause)
    guard case .broken? = verdict else {
      Issue.record("\(example.testDescription) is \(String(describing: verdict))")
      return
    }
  }

  private static let compared: Set<String> = [
    "coordinates-exact", "coordinates-not-swapped", "coordinates-at-edges", "time-in-every-season", "time-is-utc",
    "time-to-the-millisecond", "standard-fields-kept", "one-record-one-content", "extras-8-kb", "text-all-scripts",
    "text-escaped", "extras-every-kind", "integers-exact", "integers-64-bit", "long-decimals", "text-nul",
    "extras-numbers-not-integers", "text-half-surrogate", "kinds-in-one-batch", "event-motionchange",
    "alive-after-bad-record", "bad-record-in-batch", "bad-record-alone", "good-beside-bad",
  ]

  @Test(arguments: [TemplateBackend.Listing.named, .asSent])
  func aRightBackendKeepsThem(listing: TemplateBackend.Listing) throws {
    let summary = try TemplateBackend(nil, listing: listing).summary(of: Self.compared)
    let others = summary.results.filter { result in if case .kept = result.verdict { false } else { true } }
    #expect(others.isEmpty, "\(others.map { "\($0.clause.id): \($0.verdict)" })")
  }

  /// The extras of the app lie under those of the clause, whose text is no text of UTF-8.
  @Test func halfASurrogateGoesIntoATemplateWithExtrasOfTheApp() throws {
    let template =
      #"{"uuid":"<%= uuid %>","timestamp":"<%= timestamp %>","coords":{"latitude":<%= latitude %>,"longitude":<%= longitude %>}}"#
    let dialect = FormBackend.dialect(
      persistence: "extras: { app: 'a', device: '${device.id}' }, locationTemplate: '\(template)'")
    let summary = try FormBackend().summary(of: ["text-half-surrogate", "text-nul"], dialect: dialect)
    #expect(summary.results.count == 2 && summary.broken.isEmpty, "\(summary.results.map(\.verdict))")
    #expect(summary.kept.contains { $0.clause.id == "text-nul" }, "\(summary.results.map(\.verdict))")
  }

  /// Their values stand under names that nothing tells.
  @Test func whatIsNotComparedIsNotKept() throws {
    let clauses: Set<String> = [
      "coordinates-exact", "coordinates-not-swapped", "time-in-every-season", "time-to-the-millisecond",
      "standard-fields-kept", "one-record-one-content", "extras-every-kind", "text-all-scripts",
    ]
    let summary = try TemplateBackend(nil, listing: .unknown).summary(of: clauses)
    #expect(
      summary.broken.isEmpty && summary.kept.isEmpty, "\(summary.results.map { "\($0.clause.id): \($0.verdict)" })")
    let remarks = summary.results.map(\.remark)
    #expect(remarks.allSatisfy { $0.contains("verify.fields") }, "\(remarks)")
  }

  /// No event is an absent field to the SDK; the empty text is only what a template makes of it.
  @Test func noEventMayBeNull() throws {
    #expect(try TemplateBackend(nil).verdict(on: "kinds-in-one-batch") == .kept(""))
  }

  @Test(arguments: [
    ("coords.speed", "$.spd", "$.velo", "its value stands at $.spd"), ("timestamp", "$.ts", "$.when", "stands at $.ts"),
    ("coords.latitude", "$.position.lat", "$.position.y", "stands at $.position.lat"),
    ("uuid", "$.id", "$.uid", "no entry has a uuid at $.uid"), ("event", "$.evt", "$.happened", "$.evt"),
  ])
  func aPlaceWhereNothingStandsIsAMistakeOfTheDialect(field: String, right: String, wrong: String, words: String) throws
  {
    let places = TemplateBackend.places.replacing("\"\(right)\"", with: "\"\(wrong)\"")
    for promises in ["", #"keeps: ["speed", "event", "extras"]"#] {
      let dialect = TemplateBackend.dialect(places: places, promises: promises)
      let summary = try TemplateBackend(nil).summary(
        of: ["standard-fields-kept", "coordinates-exact"], dialect: dialect)
      let text = summary.unreadStore ?? ""
      #expect(summary.outcome == .storeUnread && summary.broken.isEmpty, "\(text)")
      #expect(text.contains(wrong) && text.contains(words), "\(text)")
    }
  }

  @Test func swappedPlacesMayBeThoseOfTheDialect() throws {
    guard case .broken(let breach)? = try TemplateBackend(.swapsPlaces).verdict(on: "coordinates-not-swapped") else {
      Issue.record("swapped coordinates are kept")
      return
    }
    #expect(breach.remedy.contains("verify.fields has 'coords.latitude' at $.position.lat"), "\(breach)")
  }

  @Test func timesThatAreNumbersAreJudged() throws {
    let dialect = TemplateBackend.dialect(time: "epoch")
    #expect(try TemplateBackend(nil).verdict(on: "time-epoch", dialect: dialect) == .kept(""))
    guard case .notApplicable? = try TemplateBackend(nil).verdict(on: "time-epoch") else {
      Issue.record("an app without epoch times is judged for them")
      return
    }
  }

  /// Columns without names stand where the dialect says, or where the template has them.
  @Test func aListOfListsIsRead() throws {
    let places =
      #"uuid: "$[0]", timestamp: "$[1]", "coords.latitude": "$[2]", "coords.longitude": "$[3]", "coords.speed": "$[4]""#
    let dialect = TemplateBackend.dialect(places: places)
    let clauses: Set<String> = ["coordinates-exact", "time-in-every-season"]
    let right = try TemplateBackend(nil, listing: .lists).summary(of: clauses, dialect: dialect)
    #expect(right.kept.count == 2, "\(right.results.map(\.verdict))")
    let wrong = try TemplateBackend(.cutsDegrees, listing: .lists).summary(of: clauses, dialect: dialect)
    #expect(wrong.broken.map(\.clause.id) == ["coordinates-exact"], "\(wrong.results.map(\.verdict))")
    let unnamed = try TemplateBackend(nil, listing: .lists).summary(of: clauses)
    #expect(unnamed.outcome == .storeUnread && unnamed.unreadStore?.contains("\"$[0]\"") == true)
  }
}
