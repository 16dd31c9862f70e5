import Base
import CurlTransport
import Glibc
import JSON
import Scenario
import Support
import Testing
import Threaded

@testable import Conformance

/// What a run as a whole comes to: what was not looked at is not called kept (docs/conform.md).
@Suite(.waits) struct VerdictTests {
  private static let clauses: Set<String> = [
    "good-record-acknowledged", "stored-when-acknowledged", "readable-when-acknowledged", "right-device",
    "batch-all-stored", "answer-in-time",
  ]

  @Test func aRightBackendKeepsAll() throws {
    let summary = try ScriptedBackend(nil).summary(of: Self.clauses)
    #expect(summary.outcome == .allKept && summary.badge == "6 of 6")
  }

  @Test(arguments: [ScriptedBackend.Listing.fails, .isMissing])
  func aStoreThatCannotBeReadIsNoSuccess(listing: ScriptedBackend.Listing) throws {
    let summary = try ScriptedBackend(nil, listing: listing).summary(of: Self.clauses)
    #expect(summary.outcome == .storeUnread && summary.broken.isEmpty)
    #expect(summary.badge == "2 of 2; the store could not be read", "\(summary.badge)")
    let text = ConformanceText(summary, width: 100, hasColours: false).text
    #expect(text.contains("status \(listing == .fails ? 500 : 404)") && text.contains("? 2 of 2"), "\(text)")
  }

  /// What an empty body is answered is another clause.
  @Test func aLongHeadMayBeTaken() throws {
    let verdict = try ScriptedBackend(.acknowledgesLongHeads).verdict(on: "alive-after-garbage")
    #expect(verdict == .kept(""), "\(String(describing: verdict))")
  }

  /// RFC 9110 §10.1.1: a client repeats such a request without the field.
  @Test func anExpectationMayBeRefused() throws {
    var rules = FormBackend.Rules()
    rules.refusesExpect = true
    let summary = try FormBackend(rules).summary(of: ["expect-continue"], dialect: FormBackend.dialect())
    #expect(summary.results.first?.verdict == .kept("refused with 417"), "\(summary.results.map(\.verdict))")
  }

  /// One of several nodes behind an address is not listed: the first look sees nothing, and later ones do.
  @Test func aStoreThatHasShownEntriesIsNotDoubted() throws {
    var rules = FormBackend.Rules()
    rules.losesOf = (1...20).map { "-stored-when-acknowledged-\($0)" }
    let summary = try FormBackend(rules).summary(of: ["stored-when-acknowledged"], dialect: FormBackend.dialect())
    let breach = summary.broken.first?.breach
    #expect(
      breach?.cause == "the record was acknowledged and is not stored" && breach?.remedy == "", "\(summary.results)")
  }

  /// An answer that was not seen says nothing about its body.
  @Test func anUnansweredHEADIsNotJudged() throws {
    let right = try ScriptedBackend(nil).verdict(on: "no-body-with-204")
    if case .kept? = right {} else { Issue.record("\(String(describing: right))") }
    guard case .notJudged? = try ScriptedBackend(.cutsHEAD).verdict(on: "no-body-with-204") else {
      Issue.record("a verdict without a look")
      return
    }
  }

  @Test(
    arguments: [
      (#"{"exp":1700000000}"#, 1_700_000_000_000), (#"{"exp":1700000000.5}"#, 1_700_000_000_500),
      (#"{"exp":1750000000000000000}"#, nil), (#"{"exp":1e300}"#, nil), (#"{"exp":-1e300}"#, nil),
      (#"{"exp":"inf"}"#, nil),
      (#"{"exp":"soon"}"#, nil), ("{}", nil), ("[]", nil),
    ] as [(String, Int64?)])
  func theEndOfATokenIsATimeOrNone(claims: String, milliseconds: Int64?) {
    let token = "eyJhbGciOiJub25lIn0.\(Base64URL.encode(Array(claims.utf8)))."
    #expect(JWT.end(of: token)?.millisecondsSince1970 == milliseconds)
  }

  /// RFC 9110 §15.2: an interim answer may come at any time.
  @Test func anInterimAnswerIsNone() throws {
    let interim = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    for (bytes, isAnswer) in [
      (interim, false), (interim + interim + "HTTP/1.1 2", false), (interim + "HTTP/1.1 200 OK\r\n\r\n", true),
      ("no HTTP\r\n\r\n", true),
    ] {
      let server = try BareServer { _ in .text(bytes) }
      let connection = try RawConnection(to: server.url, over: TransportConfiguration(), watch: AnswerWatch())
      connection.send(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      #expect(connection.isReadable(within: .seconds(5)))
      #expect(connection.isAnswered(within: .milliseconds(100)) == isAnswer, "\(bytes)")
    }
  }

  @Test func withoutAStoreTheVerdictSaysSo() throws {
    let dialect = #"{ version: 1, path: "/locations", app: { http: { params: { device_id: "${device.id}" } } } }"#
    let summary = try ScriptedBackend(nil).summary(of: Self.clauses, dialect: dialect)
    #expect(summary.outcome == .allKept && summary.badge == "2 of 2; storage not checked", "\(summary.badge)")
    #expect(
      ConformanceText(summary, width: 100, hasColours: false).text.contains(
        "! 2 of 2 clauses kept; storage not checked"))
    // Nothing of the store was asked for.
    #expect(try ScriptedBackend(nil).summary(of: ["answer-in-time"], dialect: dialect).badge == "1 of 1")
  }

  /// Lines to paste are as long as they are.
  @Test func aNarrowTerminalIsWideEnough() throws {
    let dialect = #"{ version: 1, path: "/locations", app: { http: { params: { device_id: "${device.id}" } } } }"#
    let unread = try ScriptedBackend(nil).summary(of: Self.clauses, dialect: dialect)
    let failing = try ScriptedBackend(.storesNothing).summary(of: ["stored-when-acknowledged"])
    for summary in [unread, failing] {
      let text = ConformanceText(summary, width: 40, hasColours: false).text
      let lines = text.split(separator: "\n").filter { line in
        !["again  ", "curl ", "https:"].contains { line.contains($0) }
      }
      // A word that is longer stands by itself.
      let long = lines.filter { $0.count > 40 && $0.drop { $0 == " " }.contains(" ") }
      #expect(long.isEmpty, "\(long)")
    }
  }

  @Test func anInterruptedRunIsNoSuccess() throws {
    let summary = try ScriptedBackend(nil).summary(of: Self.clauses, isInterrupted: true)
    #expect(summary.outcome == .interrupted && summary.badge.hasSuffix("interrupted"))
  }

  /// What had no turn in time is not called kept, and neither is the run.
  @Test func aRunOutOfTimeIsNoSuccess() throws {
    let summary = try ScriptedBackend(nil).summary(of: Self.clauses, within: .seconds(5))
    #expect(summary.outcome == .outOfTime && summary.kept.isEmpty && summary.badge == "0 of 0; out of time")
    let text = ConformanceText(summary, width: 200, hasColours: false).text
    #expect(text.contains("not judged: the time of the run was over (--time-limit"), "\(text)")
  }

  /// The command that restarts the backend has no more time than the run, and neither has what it has started.
  @Test func aRestartEndsWithTheRun() throws {
    let folder = try TemporaryFolder()
    let fifo = folder.file("fifo")
    try #require(unsafe mkfifo(fifo, 0o600) == 0)
    let reader = unsafe open(fifo, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    // Shell and child hold the other end of the pipe for as long as they live.
    let command = "exec 3>'\(fifo)'; sleep 60; true"
    let dialect = ScriptedBackend.dialect.dropLast(2) + "  restart: \"\(command)\" }"
    let clock = SystemClock()
    let begin = clock.monotonicNow
    let summary = try ScriptedBackend(nil).summary(
      of: ["ready-after-kill"], dialect: String(dialect), within: .seconds(14))
    #expect(clock.monotonicNow - begin < .seconds(14))
    guard case .notJudged(let reason)? = summary.results.first?.verdict else {
      Issue.record("\(summary.results)")
      return
    }
    #expect("\(reason)".contains("when the time of the run was over (--time-limit) and was killed with"), "\(reason)")
    #expect("\(reason)".hasSuffix(": \(command)"), "\(reason)")
    var set = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
    #expect(unsafe poll(&set, 1, 10_000) == 1 && Int32(set.revents) & Int32(POLLHUP) != 0)
  }

  /// Stored and answered 503: a failure to the SDK (docs/conform.md, good-record-acknowledged), and one cause.
  @Test func whatFailsNowAndThenIsToldOnce() throws {
    let clauses = Self.clauses.union(["keep-alive", "split-request", "backlog-5000"])
    let causes = try ScriptedBackend(.failsAtEachThird).summary(of: clauses).causes
    #expect(causes.map(\.clause.id) == ["good-record-acknowledged"])
    #expect(
      causes.first?.breach?.cause.contains("good records, sent one by one, were answered with status 503") ?? false)
  }

  /// A connection may end while a request is on its way, and when the time is over that the answer has stated.
  @Test(arguments: [
    (ScriptedBackend.Defect.closesIdle, false), (.closesIdleOnce, true), (.closesIdleAsStated, true),
  ])
  func anIdleConnectionMayEndOnce(defect: ScriptedBackend.Defect, isKept: Bool) throws {
    let summary = try ScriptedBackend(defect).summary(of: ["idle-then-upload"], idleTime: .milliseconds(2_600))
    #expect(summary.broken.isEmpty == isKept && summary.judgedCount == 1, "\(summary.results.map(\.verdict))")
    // On a connection of its own the upload is answered.
    #expect(summary.broken.allSatisfy { $0.breach?.reproduction == nil })
  }

  /// What came back over a connection of the clause's own is in the finding.
  @Test func anUnreadBodyIsShownWithItsAnswer() throws {
    let breach = try ScriptedBackend(.acknowledgesCodedUnread).summary(of: ["chunked-body"]).broken.first?.breach
    #expect(breach?.harm == .lose && breach?.answered == "status 200: {}", "\(String(describing: breach))")
  }

  @Test func whatTheSDKNeverSendsIsAWarning() throws {
    #expect(try ScriptedBackend(.forgetsTheSecond).summary(of: ["pipelined"]).outcome == .shouldBroken)
  }

  /// As `JSON.parse` reads them.
  @Test func numbersAsDoublesAreAWarning() throws {
    let summary = try ScriptedBackend(.makesDoublesOfIntegers).summary(of: ["integers-exact", "integers-64-bit"])
    #expect(summary.outcome == .shouldBroken && summary.kept.map(\.clause.id) == ["integers-exact"])
  }

  /// No parser is bound to read it, and what is refused blocks its queue whatever the status.
  @Test func aRefusedHalfOfAPairIsAWarning() throws {
    let summary = try ScriptedBackend(.failsAtHalfASurrogate).summary(of: ["text-half-surrogate"])
    #expect(summary.outcome == .shouldBroken, "\(summary.results.map(\.verdict))")
    #expect(summary.broken.first?.breach?.harm == .block)
  }

  @Test func whatComesLateIsToldOnce() throws {
    let summary = try ScriptedBackend(.commitsLate).summary(of: Self.clauses)
    #expect(summary.broken.map(\.clause.id) == ["readable-when-acknowledged"])
    let promised = ScriptedBackend.dialect.replacing(
      "/stored?device={device}\"", with: "/stored?device={device}\", readDelay: \"2s\"")
    #expect(try ScriptedBackend(.commitsLate).summary(of: Self.clauses, dialect: promised).outcome == .allKept)
  }

  /// A list of uuids shows no field, so that nothing is said of fields.
  @Test func aListOfIdentitiesIsNoBreach() throws {
    let clauses: Set<String> = Self.clauses.union([
      "time-is-utc", "coordinates-exact", "cut-request-stores-nothing-half",
    ])
    let summary = try ScriptedBackend(nil, listing: .identities).summary(of: clauses)
    #expect(summary.broken.isEmpty, "\(summary.broken)")
    #expect(summary.notJudged.map(\.clause.id).contains("coordinates-exact"))
  }

  /// A store that refuses to list all devices does not keep a loss from being told.
  @Test func aRefusedQuestionDoesNotHideALoss() throws {
    let summary = try ScriptedBackend(.storesNothing, listing: .needsADevice).summary(of: Self.clauses)
    #expect(
      summary.causes.map(\.clause.id) == ["stored-when-acknowledged"],
      "\(summary.results.map { ($0.clause.id, $0.verdict) })")
  }

  /// A mistake of the dialect looks like one of the backend.
  @Test func whatMayBeTheDialectsIsAsked() throws {
    let elsewhere = ScriptedBackend.dialect.replacing("path: \"/locations\"", with: "path: \"/location\"")
    let params = ScriptedBackend.dialect.replacing("device_id:", with: "device:")
    for (dialect, first) in [(elsewhere, "uploads go to http://127.0.0.1:"), (params, "the backend may ask for more")] {
      let summary = try ScriptedBackend(nil).summary(of: Self.clauses, dialect: dialect)
      #expect(summary.causes.map(\.clause.id) == ["good-record-acknowledged"])
      let remedy = summary.causes.first?.breach?.remedy ?? ""
      #expect(remedy.hasPrefix("no upload was acknowledged: " + first), "\(remedy)")
      #expect(remedy.contains("'path'") && remedy.contains("app.http.params") && remedy.contains("--learn"))
      let text = ConformanceText(summary, width: 120, hasColours: false).text
      #expect(text.contains("    remedy  no upload was acknowledged: "), "\(text)")
    }
    // What fails now and then has acknowledged something.
    let failing = try ScriptedBackend(.failsAtEachThird).summary(of: ["good-record-acknowledged"])
    #expect(failing.causes.first?.breach?.remedy == "")
  }

  @Test func aStoreThatHasShownNothingIsAskedFor() throws {
    let summary = try ScriptedBackend(nil).summary(
      of: Self.clauses,
      dialect: ScriptedBackend.dialect.replacing("/stored?device={device}", with: "/stored?device=x-{device}"))
    let breach = summary.causes.first?.breach
    #expect(summary.causes.map(\.clause.id) == ["stored-when-acknowledged"])
    #expect(
      breach?.cause
        == "the record was acknowledged and is not stored, or not where it is looked for: the store has shown no entry for any device"
    )
    #expect(breach?.remedy.hasPrefix("does the query work") ?? false, "\(breach?.remedy ?? "")")
    #expect(breach?.remedy.contains("app.http.headers") ?? false, "\(breach?.remedy ?? "")")
  }

  /// Only a restart shows what is on the disk.
  @Test func withoutARestartTheVerdictSaysSo() throws {
    let words = "without --restart it was not put to the test whether a record is stored for good before its answer"
    func text(_ clause: String, _ dialect: String = ScriptedBackend.dialect) throws -> String {
      let summary = try ScriptedBackend(nil).summary(of: [clause], dialect: dialect)
      return ConformanceText(summary, width: 120, hasColours: false).text
    }
    #expect(try text("ack-survives-kill").hasSuffix(words))
    #expect(try !text("batch-of-one").contains(words))
    #expect(
      try !text("back-after-restart", ScriptedBackend.dialect.dropLast(2) + #"  restart: "sleep 0.3" }"#).contains(
        words))
  }

  @Test func aServerOfOneConnectionIsNamed() throws {
    let right = try ScriptedBackend(nil).summary(of: ["second-connection-served"])
    #expect(right.outcome == .allKept)
    let summary = try ScriptedBackend(nil).summary(
      of: ["good-record-acknowledged", "right-device", "second-connection-served"], isSerial: true)
    #expect(summary.causes.map(\.clause.id) == ["second-connection-served"])
  }

  /// Names with blanks and letters outside ASCII may be part of the path.
  @Test func devicesInThePathAreEncoded() throws {
    let dialect =
      #"{ version: 1, path: "/of/${device.id}", verify: { url: "/stored?device={device}" }, promises: { tokens: "none" } }"#
    let summary = try ScriptedBackend(nil).summary(of: ["devices-look-alike"], dialect: dialect)
    #expect(summary.outcome == .allKept, "\(summary.results.map(\.verdict))")
  }

  /// Lists may refuse a device that they do not know, and fail now and then.
  @Test(arguments: [ScriptedBackend.Listing.knowsItsDevices, .failsNowAndThen])
  func aListMayRefuseWhatItDoesNotKnow(listing: ScriptedBackend.Listing) throws {
    let summary = try ScriptedBackend(nil, listing: listing).summary(of: Self.clauses)
    #expect(summary.outcome == .allKept, "\(summary.results.map { ($0.clause.id, $0.verdict) })")
  }

  /// There is no list of a device whose record is on its way.
  @Test func aLateListIsWaitedFor() throws {
    let dialect = ScriptedBackend.dialect.replacing(
      "/stored?device={device}\"", with: "/stored?device={device}\", readDelay: \"2s\"")
    let late = try ScriptedBackend(.commitsLate, listing: .isMissingWhileEmpty).summary(
      of: Self.clauses, dialect: dialect)
    #expect(late.outcome == .allKept, "\(late.results.map { ($0.clause.id, $0.verdict) })")
    let unsaid = try ScriptedBackend(.commitsLate, listing: .isMissingWhileEmpty).summary(of: Self.clauses)
    #expect(unsaid.broken.map(\.clause.id) == ["readable-when-acknowledged"])
  }

  /// What never comes was not seen to be there at once.
  @Test func aLossIsNotCalledReadable() throws {
    let summary = try ScriptedBackend(.storesNothing).summary(of: Self.clauses)
    #expect(!summary.kept.map(\.clause.id).contains("readable-when-acknowledged"))
  }

  @Test(arguments: [true, false]) func whatWasMissedIsAnErrorForTheBuildServer(isInterrupted: Bool) throws {
    let summary = try ScriptedBackend(nil, listing: isInterrupted ? .whole : .fails).summary(
      of: Self.clauses, isInterrupted: isInterrupted)
    let junit = try #require(ConformanceFiles(summary).all.first { $0.name == "junit.xml" }?.text)
    #expect(junit.contains("errors=\"\(isInterrupted ? 6 : 4)\"") && junit.contains("<error message="), "\(junit)")
  }

  @Test(arguments: [
    (ScriptedBackend.Defect.dropsSecondOfBatch, "1 of 10 records", "number 2"),
    (.firstOfBatch, "9 of 10", "all but the first"),
  ])
  func aLossSaysWhereTheLostStood(defect: ScriptedBackend.Defect, count: String, place: String) throws {
    let breach = try #require(try ScriptedBackend(defect).summary(of: ["batch-all-stored"]).broken.first?.breach)
    #expect(breach.cause.contains(count) && breach.cause.hasSuffix(place), "\(breach.cause)")
  }

  /// Reasons are the same where only the device is another one.
  @Test func reasonsThatDifferByTheDeviceAreOne() throws {
    let start = WallInstant(millisecondsSince1970: 36)
    let reasons = ["c10-batch-250-1'", "c10-again2-week-late-2'", "c10-minute-early-1': status 500", "d10-a'"]
    let results = zip(ConformanceClause.all, reasons).map { clause, reason in
      ClauseResult(clause: clause, verdict: .unread("no list of 'http://h/points?device=\(reason)"), seconds: 0)
    }
    let summary = ConformanceSummary(results, target: "", store: nil, seed: 1, start: start, seconds: 0)
    let text = ConformanceText(summary, width: 120, hasColours: false).text
    #expect(text.split(separator: "not judged: no list").count == 4, "\(text)")
    #expect(text.contains("device=c10-batch-250-1'\n    \(results[0].clause.id), \(results[1].clause.id)\n"), "\(text)")
  }

  /// They were one for each time that was shown.
  @Test func timesWithoutAZoneAreOneReason() throws {
    var rules = FormBackend.Rules()
    rules.showsZones = false
    let clauses: Set<String> = ["time-is-utc", "time-to-the-millisecond", "minute-early", "batch-of-one"]
    let summary = try FormBackend(rules).summary(of: clauses, dialect: FormBackend.dialect())
    let reasons = Set(summary.notJudged.map(\.remark))
    #expect(summary.notJudged.count == 3 && reasons.count == 1, "\(summary.results.map(\.verdict))")
    #expect(reasons.first?.contains("the store's time has no zone: ") ?? false, "\(reasons)")
  }

  @Test func whatABackendSaysDoesNotSteerTheTerminal() throws {
    let clause = try #require(ConformanceClause.all.first)
    let breach = Breach(cause: "it said \u{1B}[31mred\u{7}", harm: .wrong)
    let summary = ConformanceSummary(
      [ClauseResult(clause: clause, verdict: .broken(breach), seconds: 0)], target: "", store: nil, seed: 1,
      start: WallInstant(millisecondsSince1970: 0), seconds: 0)
    let text = ConformanceText(summary, width: 80, hasColours: false).text
    #expect(!text.contains("\u{1B}") && text.contains("\\u{1B}[31mred\\u{7}"))
  }

  @Test func aFindingIsSeenAgainWithTheWholeCommand() throws {
    var summary = try ScriptedBackend(.firstOfBatch).summary(of: ["batch-all-stored"])
    summary.command = "rollingroad conform --target http://127.0.0.1:1"
    let text = ConformanceText(summary, width: 120, hasColours: false).text
    #expect(text.contains("rollingroad conform --target http://127.0.0.1:1 --only batch-all-stored --seed 0x7"))
    #expect(text.contains("the request is long: --out DIR writes DIR/again/batch-all-stored.sh"))
    let written = ConformanceText(summary, width: 120, hasColours: false, folder: "/tmp/out").text
    #expect(written.contains("the request is long: sh /tmp/out/again/batch-all-stored.sh"), "\(written)")
    let single = try ScriptedBackend(.storesNothing).summary(of: ["stored-when-acknowledged"])
    #expect(ConformanceText(single, width: 120, hasColours: false).text.contains("curl -sS -i"))
    #expect(RawRequest("HEAD", "http://127.0.0.1:1/").curl(by: TransportConfiguration()).contains(" -I "))
  }

  /// The backend wants to know whose a record is, which a first attempt does not say.
  @Test func aDialectIsProposedFromWhatWasAcknowledged() throws {
    let text = try ScriptedBackend(nil).proposal()
    #expect(
      text.contains(#"app: { http: { params: { device_id: "${device.id}" } } }, // without it: status 400"#), "\(text)")
    #expect(text.contains(#"promises: { tokens: "none", epoch: true }"#), "\(text)")
    // It is a dialect, and the suite is green with it.
    let proposed = try DialectReader().read(text)
    #expect(proposed.app.document["http"]?["params"]?["device_id"] == .string("${device.id}"))
    let given = try ScriptedBackend(nil).proposal(dialect: ScriptedBackend.dialect)
    #expect(given.hasPrefix("// To be added to the dialect that was given") && !given.contains("// verify"))
  }
}
