import Base
import Scenario
import Testing
import Threaded

@testable import Conformance

/// A backend is asked for what the app of its dialect sends, and for nothing else (SDK §8.2, §8.4).
@Suite(.waits) struct RequestFormTests {
  private static func verdicts(_ summary: ConformanceSummary) -> String {
    summary.results.map { "\($0.clause.id): \($0.verdict)" }.joined(separator: "\n")
  }

  private static let ofBatches: Set<String> = [
    "batch-all-stored", "batch-of-one", "batch-250", "backlog-5000", "root-array", "root-dot-array",
    "resend-batch-after-cut-answer", "resend-grown-batch", "twin-in-one-batch", "kinds-in-one-batch",
    "template-array-batch", "bad-record-in-batch", "one-record-one-content",
  ]
  private static let ofAnyForm: Set<String> = [
    "good-record-acknowledged", "stored-when-acknowledged", "readable-when-acknowledged", "right-device",
    "cut-request-stores-nothing-half", "refused-means-kept-out-or-once", "same-time-two-records",
    "same-second-two-records", "answer-length-true", "alive-after-bad-record", "bad-record-alone", "newest-first",
    "many-devices-at-once", "good-beside-bad",
  ]

  @Test func anAppThatSendsSingleRecordsSendsNoBatches() throws {
    var rules = FormBackend.Rules()
    rules.takesLists = false
    let summary = try FormBackend(rules).summary(
      of: Self.ofBatches.union(Self.ofAnyForm), dialect: FormBackend.dialect(http: "batchSync: false"))
    #expect(summary.broken.isEmpty, "\(Self.verdicts(summary))")
    for result in summary.results where Self.ofBatches.contains(result.clause.id) {
      guard case .notApplicable(let reason) = result.verdict, reason.contains("one record at a time") else {
        Issue.record("\(result.clause.id): \(result.verdict)")
        continue
      }
    }
    let kept = Set(summary.kept.map(\.clause.id))
    #expect(kept.isSuperset(of: Self.ofAnyForm), "\(Self.verdicts(summary))")
  }

  /// Such an app may switch to batches; the finding says how to say that it does not.
  @Test func withoutAWordBatchesAreAskedFor() throws {
    var rules = FormBackend.Rules()
    rules.takesLists = false
    let summary = try FormBackend(rules).summary(
      of: ["stored-when-acknowledged", "batch-all-stored"], dialect: FormBackend.dialect())
    #expect(summary.broken.map(\.clause.id) == ["batch-all-stored"], "\(Self.verdicts(summary))")
    let remedy = summary.broken.first?.breach?.remedy ?? ""
    #expect(remedy.contains("app.http.batchSync: false"), "\(remedy)")
  }

  @Test func anAppThatSendsBatchesSendsArraysOfOne() throws {
    var rules = FormBackend.Rules()
    rules.takesObjects = false
    let single: Set<String> = ["root-object", "root-array", "root-dot-object", "template-array"]
    let summary = try FormBackend(rules).summary(
      of: single.union(Self.ofAnyForm).union(["batch-all-stored", "batch-of-one"]),
      dialect: FormBackend.dialect(http: "batchSync: true"))
    #expect(summary.broken.isEmpty, "\(Self.verdicts(summary))")
    for result in summary.results where single.contains(result.clause.id) {
      #expect(result.verdict.word == "not applicable", "\(result.clause.id): \(result.verdict)")
    }
    let kept = Set(summary.kept.map(\.clause.id))
    #expect(kept.isSuperset(of: Self.ofAnyForm.union(["batch-all-stored"])), "\(Self.verdicts(summary))")
  }

  @Test(arguments: [1, 7, 50]) func noRequestHasMoreRecordsThanTheAppSends(limit: Int) throws {
    var rules = FormBackend.Rules()
    rules.limit = limit
    let long: Set<String> = ["body-over-1-mb", "body-10-mb", "batch-250"]
    let clauses: Set<String> = ["resend-after-many", "store-reads-all", "backlog-5000"]
    let summary = try FormBackend(rules).summary(
      of: Self.ofAnyForm.union(Self.ofBatches).union(long).union(clauses),
      dialect: FormBackend.dialect(http: "batchSync: true, maxBatchSize: \(limit)"))
    #expect(summary.broken.isEmpty, "\(Self.verdicts(summary))")
    for result in summary.results where long.contains(result.clause.id) {
      guard case .notApplicable(let reason) = result.verdict, reason.contains("app.http.maxBatchSize") else {
        Issue.record("\(result.clause.id): \(result.verdict)")
        continue
      }
    }
    #expect(Set(summary.kept.map(\.clause.id)).isSuperset(of: clauses), "\(Self.verdicts(summary))")
    let isBatch = summary.kept.contains { $0.clause.id == "batch-all-stored" }
    #expect(isBatch == (limit > 1), "\(Self.verdicts(summary))")
  }

  /// They are in each record (SDK §7.5), also in those that a clause writes by hand, and what a backend makes of them is no breach.
  @Test func theExtrasOfTheAppAreSent() throws {
    var rules = FormBackend.Rules()
    rules.isDeviceInExtras = true
    let clauses: Set<String> = [
      "stored-when-acknowledged", "right-device", "extras-every-kind", "text-escaped", "missing-fields", "null-fields",
      "unknown-fields", "keys-in-any-order", "event-geofence", "numbers-as-text",
    ]
    let summary = try FormBackend(rules).summary(
      of: clauses, dialect: FormBackend.dialect(persistence: #"extras: { device_id: "${device.id}", app: "a/b" }"#))
    #expect(summary.kept.count == clauses.count, "\(Self.verdicts(summary))")
  }

  @Test func theContentTypeOfTheAppStays() throws {
    var rules = FormBackend.Rules()
    rules.contentType = "application/vnd.api+json"
    let summary = try FormBackend(rules).summary(
      of: ["good-record-acknowledged", "content-type-charset"],
      dialect: FormBackend.dialect(http: #"headers: { "content-type": "application/vnd.api+json" }"#))
    #expect(summary.broken.isEmpty, "\(Self.verdicts(summary))")
    #expect(
      summary.results.contains { $0.clause.id == "content-type-charset" && $0.verdict.word == "not applicable" },
      "\(Self.verdicts(summary))")
  }

  @Test(arguments: [false, true]) func whatIsRefusedWithoutATokenIsNotStored(storesRefused: Bool) throws {
    var rules = FormBackend.Rules()
    (rules.tokenLife, rules.storesRefused) = (60_000, storesRefused)
    let summary = try FormBackend(rules).summary(
      of: ["no-token-refused"], dialect: FormBackend.dialect(tokens: "required"))
    #expect(summary.broken.count == (storesRefused ? 1 : 0), "\(Self.verdicts(summary))")
    #expect(summary.kept.count == (storesRefused ? 0 : 1), "\(Self.verdicts(summary))")
    if storesRefused { #expect(Self.verdicts(summary).contains("and is stored"), "\(Self.verdicts(summary))") }
  }

  private static let ofTokens: Set<String> = ["register-answer", "batch-of-one", "minute-early", "refresh-form"]

  private static func reasons(_ summary: ConformanceSummary) -> Set<String> {
    Set(summary.notJudged.map(\.remark).filter { $0.hasPrefix("no device can sign in") })
  }

  /// One request may be not enough, which the dialect cannot say, and is no breach.
  @Test(arguments: [
    #"{"code":"N%","next":"/exchange"}"#, #"{"n":%,"access_token":null,"customToken":"eyJh.e30."}"#, "see your mail, %",
    "",
  ])
  func aLoginWithoutATokenEndsTheJudgingOnce(login: String) throws {
    var rules = FormBackend.Rules()
    (rules.tokenLife, rules.login) = (60_000, login)
    let summary = try FormBackend(rules).summary(of: Self.ofTokens, dialect: FormBackend.dialect(tokens: "required"))
    #expect(summary.outcome == .nothingJudged && summary.broken.isEmpty, "\(Self.verdicts(summary))")
    #expect(summary.notJudged.count == Self.ofTokens.count && Self.reasons(summary).count == 1)
    let reason = Self.reasons(summary).first ?? ""
    #expect(reason.contains("status 200") && reason.hasSuffix("login.command makes them"), "\(reason)")
  }

  @Test(arguments: [
    (#"{"n":%,"data":[{"access_token":"a","refresh_token":"r"}]}"#, "$.data[0].access_token"),
    (#"{"n":%,"authToken":"a"}"#, "$.authToken"), (#"{"n":%,"token":{"value":"a"}}"#, "$.token"),
    ("eyJhbGciOiJub25lIn0.e30.%", "the whole body"), (#""eyJhbGciOiJub25lIn0.e30.%""#, "the whole body"),
    ("access_token=a&refresh_token=r&n=%", "a body that is not JSON"),
  ])
  func aTokenWhereTheSDKDoesNotLookBreaksItsClause(login: String, place: String) throws {
    var rules = FormBackend.Rules()
    (rules.tokenLife, rules.login) = (60_000, login)
    let summary = try FormBackend(rules).summary(of: Self.ofTokens, dialect: FormBackend.dialect(tokens: "required"))
    #expect(summary.broken.map(\.clause.id) == ["register-answer"], "\(Self.verdicts(summary))")
    let cause = summary.broken.first?.breach?.cause ?? ""
    #expect(cause.hasSuffix("where the SDK finds it: it stands at \(place)"), "\(cause)")
    #expect(Self.reasons(summary).count == 1, "\(Self.reasons(summary))")
  }

  @Test(
    arguments: [
      (#"test -n \"$DEVICE\" && echo '{\"access_token\":\"until-%\",\"refresh_token\":\"again\"}'"#, nil),
      ("echo code", "has printed has no access token: status 200: code"), ("exit 3", "login.command ended with 3"),
    ] as [(String, String?)])
  func aCommandMayGiveTheTokens(command: String, problem: String?) throws {
    var rules = FormBackend.Rules()
    rules.tokenLife = 60_000
    let end = SystemClock().wallNow.millisecondsSince1970 + 3_600_000
    let summary = try FormBackend(rules).summary(
      of: Self.ofTokens,
      dialect: FormBackend.dialect(
        tokens: "required", login: "command: \"\(command.replacing("%", with: "\(end)"))\""))
    #expect(summary.broken.isEmpty, "\(Self.verdicts(summary))")
    if let problem {
      #expect(Self.reasons(summary).first?.contains(problem) ?? false, "\(Self.verdicts(summary))")
    } else {
      #expect(summary.kept.count == Self.ofTokens.count, "\(Self.verdicts(summary))")
    }
  }

  /// What comes of it is the matter of other clauses.
  @Test func aTokenThatCannotBeRefreshedBreaksNoRepetition() throws {
    var rules = FormBackend.Rules()
    (rules.tokenLife, rules.hidesNewTokens) = (2_000, true)
    let summary = try FormBackend(rules).summary(
      of: ["resend-much-later"], dialect: FormBackend.dialect(tokens: "required"), timeAway: .milliseconds(2_200))
    #expect(summary.broken.isEmpty && summary.kept.count == 1, "\(Self.verdicts(summary))")
  }

  /// As the SDK does it before it uploads (SDK §11.5).
  @Test func aTokenThatEndsDuringAClauseIsRefreshed() throws {
    var rules = FormBackend.Rules()
    rules.tokenLife = 1_000
    let summary = try FormBackend(rules).summary(
      of: ["idle-then-upload"], dialect: FormBackend.dialect(tokens: "required"), idleTime: .milliseconds(1_300))
    #expect(summary.kept.count == 1, "\(Self.verdicts(summary))")
  }
}
