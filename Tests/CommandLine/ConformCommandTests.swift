import Glibc
import IngestServer
import JSON
import Support
import Testing
import Threaded

@testable import CommandLine

/// `conform`: flags, exit codes and files.
@Suite(.waits) struct ConformCommandTests {
  @Test func ourOwnServerKeepsWhatIsJudged() throws {
    let server = try LocalServer.start(adminToken: "road")
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let words = [
      "conform", "--target", server.url, "--preset", "rollingroad", "--admin-token", "road", "--skip",
      "idle-then-upload", "--out", folder.path + "/out", "--seed", "1", "--time-limit", "10m",
    ]
    let call = CommandCall(words)
    #expect(call.code == .ok, "\(call.output)\(call.error)")
    let bytes = try folder.read("out/conformance.json")
    let report = try JSONValue(parsing: bytes.span)
    let verdicts = ConformCommandTests.verdicts(of: report)
    #expect(verdicts.filter { $0.verdict == "broken" }.map(\.id) == [])
    #expect(verdicts.count { $0.verdict == "kept" } >= 90, "\(call.output)")
    let badge = String(decoding: try folder.read("out/badge.txt"), as: UTF8.self)
    let junit = String(decoding: try folder.read("out/junit.xml"), as: UTF8.self)
    #expect(badge.contains(" of ") && junit.hasPrefix("<?xml"))
  }

  private static func verdicts(of report: JSONValue) -> [(id: String, verdict: String)] {
    guard case .array(let clauses)? = report["clauses"] else { return [] }
    return clauses.map { clause in
      guard case .string(let id)? = clause["id"], case .string(let verdict)? = clause["verdict"] else {
        return ("", "")
      }
      return (id, verdict)
    }
  }

  /// A list inside an object, without a file for it.
  @Test func theRecordsAreWhereAFlagSays() throws {
    let server = try LocalServer.start()
    defer { server.stop() }
    let words = [
      "conform", "--target", server.url, "--preset", "rollingroad", "--verify",
      server.url + "/admin/v1/devices/{device}/locations?limit=1000", "--only", "batch-all-stored",
    ]
    let found = CommandCall(words + ["--uuids", "$.locations[*]"])
    #expect(found.code == .ok, "\(found.output)\(found.error)")
    let blind = CommandCall(words)
    #expect(blind.code == .runInvalid, "\(blind.output)\(blind.error)")
  }

  /// A clause is broken whether there is room for the report or not.
  @Test func aReportThatCannotBeWrittenKeepsNoVerdictBack() throws {
    let folder = try TemporaryFolder()
    try #require(unsafe mkdir(folder.file("junit.xml"), 0o700) == 0)
    for (answer, code) in [("{}", ExitCode.runtimeFailure), ("", .invariantViolated)] {
      let server = try BareServer { _ in
        answer.isEmpty ? .text("HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n") : .ok(answer)
      }
      let call = CommandCall([
        "conform", "--target", server.url + "up", "--only", "good-record-acknowledged", "--out", folder.path,
      ])
      #expect(call.code == code, "\(call.output)\(call.error)")
      #expect(call.error.contains("cannot write \(folder.file("junit.xml")): Is a directory"), "\(call.error)")
    }
  }

  /// What a server says of the connection is no verdict on it as a backend.
  @Test(arguments: [
    ("400 The plain HTTP request was sent to HTTPS port", "name it with https://"),
    ("this port requires TLS: use https:// instead of http://", "name it with https://"),
    ("400 No required SSL certificate was sent", "--client-cert"),
  ])
  func aServerThatWantsAnotherConnectionIsNotJudged(words: String, remedy: String) throws {
    let server = try BareServer { _ in
      .text("HTTP/1.1 400 Bad Request\r\nContent-Length: \(words.utf8.count)\r\n\r\n\(words)")
    }
    let call = CommandCall(["conform", "--target", server.url + "up"])
    #expect(call.code == .runInvalid && call.output.contains(remedy), "\(call.output)")
  }

  /// Without a word of its store a backend is judged by its answers alone.
  @Test func whatWasNotLookedAtIsNoSuccessWhereThatIsAskedFor() throws {
    let server = try BareServer { _ in .ok("{}") }
    let words = ["conform", "--target", server.url + "up", "--only", "good-record-acknowledged,batch-all-stored"]
    let usual = CommandCall(words)
    #expect(usual.code == .ok && usual.output.contains("storage not checked"), "\(usual.output)")
    #expect(CommandCall(words + ["--strict"]).code == .runInvalid)
    let looked = CommandCall([
      "conform", "--target", server.url + "up", "--only", "good-record-acknowledged", "--strict",
    ])
    #expect(looked.code == .ok, "\(looked.output)")
  }

  @Test func aListIsPrinted() {
    let call = CommandCall(["conform", "--list", "--only", "repetition"])
    #expect(call.code == .ok && call.output.contains("resend-after-cut-answer") && !call.output.contains("week-late"))
  }

  @Test(arguments: [
    (["--only", ""], "--only: it is empty"),
    (["--only", "batch-al-stored"], "no clause 'batch-al-stored'; did you mean 'batch-all-stored'?"),
    (["--target", "127.0.0.1:8080"], "'127.0.0.1:8080' is not a URL"),
    (
      ["http://127.0.0.1:1/a"],
      "unexpected 'http://127.0.0.1:1/a': a server is named with --target http://127.0.0.1:1/a"
    ),
    (["--target", "http://a:b@127.0.0.1:8080"], "'http://127.0.0.1:8080' has a user name, which phones do not send"),
    (["--target", "https://a@127.0.0.1:8080/p"], "has a user name, which phones do not send"),
    (["--target", "http://192.0.2.1/points"], "add --yes-this-is-my-server"),
    (["--verify", "http://127.0.0.1/points"], "needs {device} in its URL"),
    (["--verify", "postgresql://a@127.0.0.1/b"], "a database needs --query"),
    (["--verify", "a.db", "--query", "SELECT 1"], "add WHERE device = :device"),
    (["--verify", "nats://h/road", "--query", "SELECT :device"], "--query is for databases, not for a stream"),
    (["--verify", "kafka://h"], "stream: a topic of Kafka has up to 249 letters"),
    (["--query", "SELECT 1"], "needs --verify"),
    (["--uuids", "$.rows[*]"], "--uuids needs --verify with a URL"),
    (["--verify", "http://127.0.0.1/{device}", "--uuids", "rows"], "a path as in $.items[*].uuid"),
    (["--verify", "/l/{device}", "--query", "SELECT :device"], "--query is for databases, not for a URL"),
    (["--dialect", "none.json5"], "--dialect: cannot read 'none.json5'"),
    (["--dialect", "wrong.json5"], "wrong.json5:1:15: pth: no key 'pth'; did you mean 'path'?"),
    (["--json"], "--json is a form of --list"), (["--reference"], "--reference is a form of --list"),
    (["--restart", ""], "--restart: the command is empty"), (["--learn", "--out", "o"], "--learn prints a dialect"),
    (
      ["--target", "http://127.0.0.1:1/other", "--dialect", "path.json5"],
      "it ends with '/other', and the 'path' of the dialect is '/points'"
    ),
    (["--seed", "x"], "'x' is not a whole number"), (["--jobs", "0"], "'0' is not a number from 1 to 32"),
  ])
  func aMistakeIsNamed(words: [String], message: String) {
    let files = ["wrong.json5": "{ version: 1, pth: '/a' }", "path.json5": "{ version: 1, path: '/points' }"]
    let call = CommandCall(["conform"] + words, files: files)
    #expect(call.code == .usage && call.error.contains(message), "\(call.error)")
  }

  @Test func aBackendThatIsNotThereIsNothingToJudge() {
    let call = CommandCall(["conform", "--target", "http://127.0.0.1:1", "--only", "batch-all-stored"])
    #expect(call.code == .runInvalid, "\(call.output)")
  }
}
