import Base
import JSON
import Scenario
import Shell
import Testing
import Threaded

@testable import Conformance

/// The scenario of a finding: it asks the store as the clause did, and shows no secret.
@Suite(.waits) struct ReproductionTests {
  private func files(
    _ verification: DialectVerification, requests: [UInt8]?, keeping kept: [KeptField]? = nil
  ) throws -> [(name: String, text: String)] {
    let clause = try #require(ConformanceClause.all.first { $0.id == "batch-250" })
    var breach = Breach(cause: "${NOTHING} was stored", harm: .lose)
    breach.requests = requests
    let result = ClauseResult(clause: clause, verdict: .broken(breach), seconds: 1)
    var summary = ConformanceSummary(
      [result], target: "http://127.0.0.1:1/points", store: nil, seed: 1, start: WallInstant(millisecondsSince1970: 0),
      seconds: 1)
    summary.dialect.verification = verification
    summary.dialect.promises.kept = kept
    return ConformanceFiles(summary).all
  }

  private func scenario(
    _ verification: DialectVerification, keeping kept: [KeptField]? = nil
  ) throws -> (text: String, target: Target) {
    let text = try #require(
      try files(verification, requests: Array(#"{"path":"/points"}"#.utf8), keeping: kept)
        .first { $0.name == "again/batch-250.json5" }
    )
    .text
    let reader = ScenarioReader(overrides: [], variable: { $0 == "VERIFY_AUTHORIZATION" ? "Bearer r" : nil })
    return (text, try reader.read(text).scenario.target)
  }

  @Test func aStoreOverHTTPIsAskedTheSame() throws {
    var verification = DialectVerification()
    verification.url = "/list?device={device}&q=${x}"
    verification.headers = [
      Named(name: "Authorization", value: "Bearer word"), Named(name: "X-Device", value: "${device.id} ${x}"),
    ]
    (verification.records, verification.next) = ("$.rows[*]", "$.next")
    verification.fields = [Named(name: "extras", value: "$.more")]
    verification.readDelay = .milliseconds(250)
    let (text, target) = try scenario(verification)
    #expect(!text.contains("word"))
    let read = target.verification
    #expect(read.url == verification.url && read.uuids == "$.rows[*]" && read.next == "$.next")
    #expect(read.headers["Authorization"] == "Bearer r" && read.headers["X-Device"] == "${device.id} ${x}")
    #expect(read.fields["extras"] == "$.more" && read.readDelay == .milliseconds(250))
  }

  @Test func aDatabaseShowsNoPassword() throws {
    var verification = DialectVerification()
    verification.place.database = "postgresql://reader:word@127.0.0.1:1/points?sslpassword=word"
    verification.place.query = "SELECT '${x}' WHERE :device = ''"
    let (text, target) = try scenario(verification)
    #expect(!text.contains("word"))
    #expect(target.verification.place.database == "postgresql://reader@127.0.0.1:1/points")
    #expect(target.verification.place.query == verification.place.query)
  }

  /// What the dialect says to be kept is missed where it is sent again, too.
  @Test func whatIsKeptIsKeptInTheScenario() throws {
    var verification = DialectVerification()
    verification.url = "/list?device={device}"
    let (text, target) = try scenario(verification, keeping: [.extras, .isMoving])
    #expect(target.verification.kept == [.extras, .isMoving], "\(text)")
    #expect(try scenario(verification).target.verification.kept == [])
  }

  /// Bytes that are no request, as a command of the shell makes them.
  @Test(arguments: [
    "GARBAGE\r\n\r\n", "\u{16}\u{03}\u{00}\u{01}", "POST /a%20b'\\$x HTTP/1.1\r\n\r\n",
    "X-Long: " + String(repeating: "a", count: 70_000) + "\r\nX: aaa\r\n",
  ])
  func aCommandSendsTheSameBytes(text: String) throws {
    let command = try #require(TargetAddress("http://[::1]:81/a")?.command(sending: Array(text.utf8)))
    #expect(command.hasSuffix(" | curl -sS --max-time 3 telnet://[::1]:81"))
    let printed = try #require(command.firstRange(of: " | curl ").map { command[..<$0.lowerBound] })
    var bytes: [UInt8] = []
    let end = ShellCommand.run("\(printed) | od -An -v -tu1", [:]) {
      bytes += $0
      return true
    }
    #expect(end == .code(0) && command.utf8.count < 300)
    let expected = text.utf8.map { "\($0)" }
    #expect(String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init) == expected)
  }

  /// curl keeps its connection open, and half a request is answered when the output ends.
  @Test func whatWasCutOffHasNoCommandLine() throws {
    let target = ConformanceTarget(
      "http://127.0.0.1:1", try DialectReader().read(ScriptedBackend.dialect), adminToken: nil)
    let clause = try #require(ConformanceClause.all.first { $0.id == "cut-request-stores-nothing-half" })
    let run = ClauseRun(
      clause, target, ConformanceRun.Settings(seed: 1, start: SystemClock().wallNow), facts: RunFacts(target),
      watch: AnswerWatch())
    let half = Array("POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n{".utf8)
    for isCut in [true, false] {
      run.hasNoCommandLine = isCut
      guard case .broken(let breach) = run.fail("acknowledged", sent: half) else {
        Issue.record("no breach")
        return
      }
      #expect((breach.curl == nil) == isCut)
      #expect(breach.sent == "39 bytes: POST / HTTP/1.1 ⏎ Content-Length: 9 ⏎  ⏎ {")
    }
  }

  /// A line that sends one of two requests at once shows nothing.
  @Test func whatOneRequestDoesNotShowHasNoCommandLine() throws {
    let summary = try ScriptedBackend(.forgetsTheSecond).summary(of: ["pipelined"])
    let breach = try #require(summary.broken.first?.breach)
    #expect(breach.curl == nil && breach.body == nil && breach.cause.contains("the second request has no answer"))
    #expect(ConformanceText(summary, width: 120, hasColours: false).text.contains(Breach.noCommandLine))
  }

  @Test(arguments: [
    (ScriptedBackend.Defect.acknowledgesCodedUnread, "gzip-body", ["| gzip -c | curl", "--data-binary '@-'"]),
    (.answersHEADWithABody, "no-body-with-204", [" -I "]),
  ])
  func theLineSendsWhatWasSent(defect: ScriptedBackend.Defect, clause: String, words: [String]) throws {
    let breach = try #require(try ScriptedBackend(defect).summary(of: [clause]).broken.first?.breach)
    let curl = try #require(breach.curl)
    #expect(words.allSatisfy(curl.contains), "\(curl)")
    #expect(breach.sent.contains(clause == "gzip-body" ? #"{"location":"# : "HEAD http"), "\(breach.sent)")
  }

  @Test func partsOfRequestsAreNoScenario() throws {
    let files = try files(DialectVerification(), requests: nil)
    #expect(!files.contains { $0.name.hasSuffix(".json5") })
    #expect(files.first { $0.name == "report.md" }?.text.contains("A scenario cannot express this clause") == true)
  }

  /// What is too long for a command line stands in a file of its own, from which the line reads it.
  @Test(arguments: [
    (ScriptedBackend.Defect.keepsAHundredOfABatch, "batch-250", true), (.keepsNewest, "backlog-5000", true),
    (.keepsNewest, "store-reads-all", false),
  ])
  func aLongRequestIsSentFromAFile(defect: ScriptedBackend.Defect, clause: String, isLong: Bool) throws {
    let summary = try ScriptedBackend(defect).summary(of: [clause])
    let breach = try #require(summary.broken.first?.breach)
    let curl = try #require(breach.curl)
    let files = ConformanceFiles(summary).all
    let script = try #require(files.first { $0.name == "again/\(clause).sh" }?.text)
    #expect((breach.body != nil) == isLong && script.contains(curl) == !isLong)
    #expect(files.first { $0.name == "again/\(clause).body" }?.text == breach.body)
    #expect(files.first { $0.name == "report.md" }?.text.contains(curl) == true)
    guard let body = breach.body else { return #expect(!curl.contains("@again")) }
    #expect(curl.hasSuffix(" --data-binary '@again/\(clause).body'"), "\(curl)")
    #expect(script.contains("--data-binary \"@$(dirname \"$0\")/\(clause).body\"\n"), "\(script)")
    guard case .array(let records)? = try JSONValue(parsing: Array(body.utf8).span)["location"] else {
      Issue.record("\(body.prefix(200))")
      return
    }
    #expect(records.count == 250)
    let text = ConformanceText(summary, width: 120, hasColours: false, folder: "/tmp/out").text
    #expect(text.contains("its request is long: it is in /tmp/out/again/\(clause).sh"), "\(text)")
  }

  @Test(arguments: [
    (ScriptedBackend.Defect.storesRepeats, "resend-after-cut-answer", false), (.firstOfBatch, "batch-all-stored", true),
    // What is null is not compared in a scenario.
    (.makesFalseOfNull, "null-fields", false),
  ])
  func aClauseThatSendsPartsIsNotWrittenDown(defect: ScriptedBackend.Defect, clause: String, isWritten: Bool) throws {
    let verdict = try ScriptedBackend(defect).verdict(on: clause)
    guard case .broken(let breach)? = verdict else {
      Issue.record("\(clause): \(String(describing: verdict))")
      return
    }
    #expect((breach.requests != nil) == isWritten)
  }
}
