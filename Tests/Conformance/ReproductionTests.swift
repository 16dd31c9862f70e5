import BackendStore
import Base
import Contract
import CurlTransport
import HTTP1
import JSON
import Scenario
import Shell
import Support
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
      #expect((breach.reproduction == nil) == isCut)
      #expect(breach.sent == "39 bytes: POST / HTTP/1.1 ⏎ Content-Length: 9 ⏎  ⏎ {")
    }
  }

  /// A line that sends one of two requests at once shows nothing.
  @Test func whatOneRequestDoesNotShowHasNoCommandLine() throws {
    let summary = try ScriptedBackend(.forgetsTheSecond).summary(of: ["pipelined"])
    let breach = try #require(summary.broken.first?.breach)
    #expect(breach.reproduction == nil && breach.cause.contains("the second request has no answer"))
    #expect(ConformanceText(summary, width: 120, hasColours: false).text.contains(Breach.noCommandLine))
  }

  @Test(arguments: [
    (ScriptedBackend.Defect.acknowledgesCodedUnread, "gzip-body", ["| gzip -c | curl", "--data-binary @-"]),
    (.answersHEADWithABody, "no-body-with-204", [" -I "]),
  ])
  func theLineSendsWhatWasSent(defect: ScriptedBackend.Defect, clause: String, words: [String]) throws {
    let breach = try #require(try ScriptedBackend(defect).summary(of: [clause]).broken.first?.breach)
    let curl = try #require(breach.reproduction?.commandLine)
    #expect(words.allSatisfy(curl.contains), "\(curl)")
    #expect(breach.sent.contains(clause == "gzip-body" ? #"{"location":"# : "HEAD http"), "\(breach.sent)")
    if clause == "gzip-body" { #expect(breach.answered.hasPrefix("status 20"), "\(breach.answered)") }
  }

  /// What the backend knows from another request is sent before.
  @Test func theRequestWithKnownRecordsIsBehindTheirFirst() throws {
    let breach = try #require(
      try ScriptedBackend(.skipsWhatEndsWithAKnown).summary(of: ["resend-grown-batch"]).broken.first?.breach)
    let reproduction = try #require(breach.reproduction)
    for commands in [reproduction.commandLine, reproduction.script] {
      let counts = try bodies(of: commands).map {
        $0.split(separator: #""uuid":"#, omittingEmptySubsequences: false).count - 1
      }
      #expect(counts.count == 2 && counts[0] > 0 && counts[0] < counts[1], "\(counts)")
    }
  }

  /// What a restart loses is lost by the commands as well.
  @Test func aRestartIsBehindTheRequest() throws {
    let breach = try #require(
      try ScriptedBackend(.forgetsAtRestart).summary(of: ["ack-survives-kill"], dialect: ScriptedBackend.restartable)
        .broken.first?
        .breach)
    let reproduction = try #require(breach.reproduction)
    for commands in [reproduction.commandLine, reproduction.script] {
      let restart = try #require(commands.firstRange(of: "SIGNAL=KILL sh -c 'sleep 0.3'"), "\(commands)").lowerBound
      #expect(commands[..<restart].contains("curl -sS -i"), "\(commands)")
      #expect(commands[restart...].contains("/stored?device="), "\(commands)")
    }
  }

  @Test func partsOfRequestsAreNoScenario() throws {
    let files = try files(DialectVerification(), requests: nil)
    #expect(!files.contains { $0.name.hasSuffix(".json5") })
    #expect(files.first { $0.name == "report.md" }?.text.contains("A scenario cannot express this clause") == true)
  }

  /// What is too long for a terminal is in the script alone.
  @Test(arguments: [
    (ScriptedBackend.Defect.keepsAHundredOfABatch, "batch-250", 1), (.keepsNewest, "backlog-5000", 20),
  ])
  func aLongRequestIsInTheScript(defect: ScriptedBackend.Defect, clause: String, requests: Int) throws {
    let summary = try ScriptedBackend(defect).summary(of: [clause])
    let script = try #require(ConformanceFiles(summary).all.first { $0.name == "again/\(clause).sh" }?.text)
    let lists = try bodies(of: script).compactMap { body in
      if case .array(let records)? = try JSONValue(parsing: Array(body.utf8).span)["location"] {
        records.count
      } else {
        nil
      }
    }
    #expect(lists.count { $0 == 250 } == requests)
    let report = try #require(ConformanceFiles(summary).all.first { $0.name == "report.md" }?.text)
    #expect(report.contains("sh again/\(clause).sh\n") && report.utf8.count < 100_000)
    let text = ConformanceText(summary, width: 120, hasColours: false, folder: "/tmp/out").text
    #expect(text.contains("the request is long: sh /tmp/out/again/\(clause).sh"), "\(text)")
  }

  /// A store that knows the records of the run would take the same ones for repetitions.
  @Test func whatIsSentAgainHasNewUUIDs() throws {
    let breach = try #require(
      try ScriptedBackend(.storesRepeats).summary(of: ["resend-acknowledged-again"]).broken.first?.breach)
    let reproduction = try #require(breach.reproduction)
    #expect(
      reproduction.commandLine.hasPrefix("u=$(date +%s | cut -c3-10); for _ in 1 2; do curl"),
      "\(reproduction.commandLine)")
    let bodies = try bodies(of: reproduction.commandLine)
    #expect(bodies.count == 2 && Set(bodies).count == 1)
    let place = try #require(bodies[0].firstRange(of: #""uuid":""#)).upperBound
    let uuid = bodies[0][place...].prefix(36)
    let (head, tail) = (uuid.prefix(8), uuid.dropFirst(8))
    #expect(head.allSatisfy(\.isNumber) && breach.sent.contains(tail) && !breach.sent.contains(head), "\(uuid)")
  }

  /// A clause about all answers sends nothing by itself.
  @Test func whatAnotherClauseHasSentIsShown() throws {
    let summary = try ScriptedBackend(.acknowledgesWith202).summary(of: ["status-documented"])
    let breach = try #require(summary.causes.first { $0.clause.id == "status-documented" }?.breach)
    #expect(breach.requests != nil && breach.seenIn == ["no-redirect"], "\(breach.seenIn)")
    let script = try #require(breach.reproduction?.script)
    let place = try #require(breach.sent.firstRange(of: #""uuid":""#)).upperBound
    let tail = breach.sent[place...].prefix(36).dropFirst(8)
    #expect(try bodies(of: script).contains { $0.contains(tail) }, "\(script)")
  }

  /// The words of a request and of the list, and the bytes of a body, as a shell makes them.
  @Test func aCommandHasTheWordsOfItsRequest() throws {
    let token = "0f0f0f0f-1111-2222-3333-555555555555"
    var request = RawRequest(
      "PUT", "http://127.0.0.1:1/{a}?b=c&d=e",
      headers: [NameValuePair("X-Empty", ""), NameValuePair("X-It's", "a $b")],
      body: Array(
        #"{"it's":"\u0041 $u `x` 0F0F0F0F-1111-2222-3333-444444444444 0f0f0f0f-1111-2222-3333-444444444444 \#(token)"}"#
          .utf8))
    request.version = .http10
    var transport = TransportConfiguration()
    transport.checksServer = false
    let record = UUID128(high: 0x0F0F_0F0F_1111_2222, low: 0x3333_4444_4444_4444)
    let words = try words(
      of: "\(UUIDRenewal.command); \(request.curl(by: transport, renewing: UUIDRenewal(of: [record])))")
    #expect(
      words.dropLast() == [
        "-sS", "-i", "--max-time", "20", "-k", "--http1.0", "-X", "PUT", "-g", "http://127.0.0.1:1/{a}?b=c&d=e", "-H",
        "X-Empty;", "-H", "X-It's: a $b", "-H", "Content-Type:", "--data-binary",
      ])
    let digits = try #require(words.last?.firstRange(of: "-1111-")).lowerBound
    let u = try #require(words.last)[..<digits].suffix(8)
    #expect(
      words.last
        == #"{"it's":"\u0041 $u `x` \#(u)-1111-2222-3333-444444444444 \#(u)-1111-2222-3333-444444444444 \#(token)"}"#)
    #expect(u.allSatisfy(\.isNumber) && u != "0F0F0F0F")
    for body in ["@file", "\u{0}\u{FF}", String(repeating: "a", count: 9_000)] {
      let bodies = try self.bodies(
        of: RawRequest("POST", "http://127.0.0.1:1/", body: Array(body.utf8)).curl(by: TransportConfiguration()))
      #expect(bodies == [body])
    }
  }

  /// Files of a run are kept where others read them.
  @Test func aKeyOfTheAppIsTakenFromAVariable() throws {
    let dialect = ScriptedBackend.dialect.replacing(
      "app: { http: {", with: "app: { http: { headers: { \"X-Key\": \"k3y\" },")
    let summary = try ScriptedBackend(.dropsOldRecords).summary(of: ["time-in-every-season"], dialect: dialect)
    let breach = try #require(summary.broken.first?.breach)
    let script = try #require(breach.reproduction?.script)
    let scenario = String(decoding: try #require(breach.requests), as: UTF8.self)
    #expect(script.contains("\"X-Key: ${UPLOAD_X_KEY:?}\"") && !script.contains("k3y"), "\(script)")
    #expect(scenario.contains("\"X-Key\":\"${UPLOAD_X_KEY}\"") && !scenario.contains("k3y"), "\(scenario)")
  }

  /// What the store shows belongs to the finding: its list is read behind the request, with secrets from variables.
  @Test(arguments: [
    (
      "{ verify: { url: \"/l?d={device}\", headers: { Authorization: \"Bearer word\" } } }",
      ["-sS", "--max-time", "20", "http://127.0.0.1:1/l?d=it%27s", "-H", "Authorization: of the variable"], "curl"
    ),
    (
      "{ verify: { database: \"/p/a b.db\", query: \"SELECT * FROM r WHERE d = :device\" } }",
      ["-readonly", "/p/a b.db", "SELECT * FROM r WHERE d = 'it''s'"], "sqlite3"
    ),
    (
      "{ verify: { database: \"postgresql://a:word@h/p\", query: \"SELECT * FROM r WHERE d = :device\" } }",
      ["postgresql://a@h/p", "-c", "SELECT * FROM r WHERE d = 'it''s'"], "psql"
    ),
    ("{ verify: { command: \"list \\\"$DEVICE\\\" 1\" } }", ["it's", "1"], "list"),
    ("{ verify: { file: \"/p/a b\" } }", ["-F", "-w", "it's"], "grep"),
  ])
  func theListIsRead(dialect: String, expected: [String], program: String) throws {
    let dialect = try DialectReader().read(dialect)
    let store = try #require(ConformanceTarget("http://127.0.0.1:1", dialect, adminToken: nil).store)
    let command = try #require(store.listCommand(for: "it's"))
    let words = try words(
      of: program == "list" ? command.replacing("list ", with: "printf \"%s\\0\" ") : command, program)
    #expect(words == expected && !command.contains("word"), "\(command)")
  }

  /// Returns the words that a command gives to its program.
  private func words(of command: String, _ program: String = "curl") throws -> [String] {
    let output = try output(of: "\(program)() { printf '%s\\0' \"$@\"; }; cat() { :; }; \(command)")
    return output.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// Returns the bodies that commands send.
  private func bodies(of script: String) throws -> [String] {
    let curl = """
      curl() {
        while [ $# -gt 0 ]; do
          if [ "$1" = --data-binary ]; then if [ "$2" = @- ]; then cat; else printf %s "$2"; fi; printf '\\001'; fi
          shift
        done
      }
      echo() { :; }
      """
    return try output(of: curl + "\n" + script).split(separator: 1).map { String(decoding: $0, as: UTF8.self) }
  }

  private func output(of script: String) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    // A word of a command is limited; a script is not.
    try folder.write(Array(script.utf8), to: "script")
    var bytes: [UInt8] = []
    let end = ShellCommand.run(
      "sh \(folder.file("script"))", ["VERIFY_AUTHORIZATION": "of the variable"]
    ) {
      bytes += $0
      return true
    }
    #expect(end == .code(0))
    return bytes
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
