import Glibc
import IngestServer
import Support
import Testing
import Threaded

@testable import CommandLine

/// `rollingroad drive` without a terminal, against real servers.
@Suite(.waits, .timeLimit(.minutes(10))) struct DriveCommandTests {
  private func run(_ words: [String], input: Int32? = nil, files: [String: String] = [:]) -> CommandCall {
    CommandCall(
      ["drive"] + (words.contains("--seed") ? [] : ["--seed", "7"]) + words, files: files, input: input)
  }

  @Test func whatWasDrivenIsStoredByARealServer() throws {
    let server = try LocalServer.start()
    defer { server.stop() }
    let result = run(
      [
        "--target", server.url, "--preset", "rollingroad", "--seed", "7", "--device", "hand 1", "--factor", "100",
        "--strict", "--keys",
        "d 300s s drain e v",
      ])
    #expect(result.code == .ok && result.error == "")
    let account = try #require(result.output.split(separator: "\n").first { $0.contains(" records made, ") })
    let made = try #require(Int(account.prefix { $0 != " " }))
    #expect(made > 20 && account == "\(made) records made, \(made) uploaded, 0 still on the phone")
    #expect(
      result.output.contains("iOS phone 'drive'") == false && result.output.contains("iOS phone 'hand 1', uploads to"))
    #expect(result.output.contains("→ POST \(server.url)/locations  1 record, "))
    #expect(result.output.contains("← 200 OK  ") && !result.output.contains("✗"))
    #expect(
      result.output.contains("> X-Device-Id: hand 1\n") && result.output.contains("< Content-Type: application/json"))
    #expect(result.output.contains("· moving\n") && result.output.contains("= "))
    let client = try LoopbackClient(port: server.port)
    try client.send("GET /admin/v1/devices/hand%201 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    #expect(try client.receiveToEnd().text.contains("\"records\":\(made)"))
  }

  @Test func whatIsWrongWithAnAnswerIsSaidWithItsRemedy() throws {
    let server = try BareServer { _ in
      let body = #"{"background_geolocation":"stop"}"#
      return .text(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }
    let words = ["--target", server.url + "up", "--factor", "100", "--keys", "w 200s drain"]
    let result = run(words)
    #expect(result.code == .ok)
    #expect(result.output.contains(#"✗ 24. commands are a list: it is "stop""#))
    // Once as it happens, once at the end.
    #expect(result.output.components(of: "→ write {\"background_geolocation\":[[\"stop\"]]}") == 2)
    #expect(result.output.contains(" clauses kept in "))
    #expect(run(words + ["--strict"]).code == .runtimeFailure)
  }

  @Test func strictWithoutAnAnswerIsNoSuccess() throws {
    let server = try BareServer { _ in .ok("{}") }
    let words = ["--target", server.url, "--factor", "100", "--keys"]
    #expect(run(words + ["q", "--strict"]).code == .runtimeFailure && run(words + ["q"]).code == .ok)
    let kept = run(words + ["d 200s drain", "--strict"])
    #expect(kept.code == .runtimeFailure && kept.output.contains("; stored records were not checked"))
    #expect(kept.error.contains("give --verify PLACE"))
    #expect(run(words + ["d 200s drain"]).code == .ok)
  }

  @Test func theTokensOfARefreshAreNotShown() throws {
    let server = try BareServer { request in
      if request.lines[0].hasPrefix("POST /refresh") {
        return .ok(#"{"accessToken": "fresh-access,fresh-more}&\"fresh-end", "refreshToken":"fresh-refresh"}"#)
      }
      if request.lines.contains(where: { $0.hasSuffix("fresh-access") }) { return .ok("{}") }
      return .text("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\n\r\n")
    }
    let config = """
      {
        "http": { "url": "\(server.url)up" },
        "authorization": {
          "accessToken": "old-access", "refreshToken": "old-refresh", "refreshUrl": "\(server.url)refresh",
          "refreshPayload": { "refresh_token": "{refreshToken}" }
        }
      }
      """
    let result = run(
      ["--config", "app.json", "--factor", "100", "--keys", "d 200s drain"], files: ["app.json": config])
    #expect(result.output.contains(#"{"accessToken": "…", "refreshToken":"…"}"#), "\(result.output)")
    #expect(!result.output.contains("fresh-") && !result.output.contains("old-refresh"))
  }

  /// It is sent, as is a key in a header.
  @Test func thePasswordOfTheTargetIsNotShown() throws {
    let server = try BareServer { _ in .ok("{}") }
    let url = "http://me:s3same@" + server.url.dropFirst(7) + "up"
    let config = #"{"http":{"url":"\#(url)","headers":{"X-Api-Key":"key-of-mine"}}}"#
    let result = run(
      ["--config", "c.json", "--factor", "100", "--keys", "d 200s drain e"], files: ["c.json": config])
    #expect(result.output.contains("uploads to \(server.url)up\n"), "\(result.output)")
    #expect(result.output.contains("→ POST \(server.url)up  ") && result.output.contains("→ POST /up  "))
    #expect(result.output.contains("> POST \(server.url)up\n") && result.output.contains("> X-Api-Key: …\n"))
    #expect(!result.output.contains("s3same") && !result.output.contains("of-mine"))
    #expect(server.requests.last?.values(of: "Authorization") == ["Basic bWU6czNzYW1l"])
    #expect(server.requests.last?.values(of: "X-Api-Key") == ["key-of-mine"])
    let gone = run(["--target", "http://me:s3same@127.0.0.1:1/up", "--factor", "100", "--keys", "d 100s"])
    #expect(gone.output.contains("✗ 1. the server can be reached: http://127.0.0.1:1/up: "), "\(gone.output)")
    #expect(!gone.output.contains("s3same"))
  }

  @Test func aPageInPlaceOfAnAnswerHasCostTheRecords() throws {
    let server = try BareServer { _ in
      .text("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>")
    }
    let result = run(["--target", server.url, "--factor", "100", "--keys", "200s drain"])
    #expect(result.output.contains("✗ 18. a success comes from the server itself: status 200 with a page: <html>"))
    #expect(
      result.output.contains("the device has deleted the records") && result.output.contains("0 still on the phone"))
  }

  @Test func withoutAListenerThePhoneGoesOn() throws {
    let server = try LocalServer.start()
    let url = server.url
    server.stop()
    let result = run(["--target", url, "--factor", "100", "--keys", "d 200s"])
    #expect(result.code == .ok)
    #expect(result.output.contains("← no answer (refused)  ") && result.output.contains("no server is listening there"))
    #expect(result.output.contains("✗ 1. the server can be reached"))
    #expect(!result.output.contains(" 0 still on the phone"))
  }

  /// Also while the store is read at the end, which does not answer.
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT]) func aSignalEndsTheReadingOfTheStore(signal: Int32) throws {
    let (arrivals, arrived) = try ChildProcess.pipe()
    defer { for end in [arrivals, arrived] { close(end) } }
    let server = try BareServer { request in
      if request.lines[0].hasPrefix("POST") { return .ok("{}") }
      _ = unsafe write(arrived, "!", 1)
      return .silence
    }
    let child = try SpokenChild([
      BuiltProgram.path(of: "rollingroad"), "drive", "--seed", "7", "--target", server.url + "up", "--verify",
      server.url + "list?device={device}", "--factor", "100", "--keys", "d 200s s drain",
    ])
    var byte: UInt8 = 0
    #expect(unsafe read(arrivals, &byte, 1) == 1)
    child.process.signal(signal)
    #expect(child.finish() == 105)
    #expect(child.output.contains(" 0 still on the phone\n"), "\(child.output)")
    #expect(child.output.contains("stored records were not checked"), "\(child.output)")
  }

  /// As from cron: a file that is opened must not take its place.
  @Test func withoutAnInputThereIsNothingToDo() throws {
    let child = try SpokenChild([
      "/bin/sh", "-c", #"exec "$0" drive --target http://127.0.0.1:9 <&-"#, BuiltProgram.path(of: "rollingroad"),
    ])
    #expect(child.finish() == 2)
    #expect(child.output.contains("there is no terminal and no standard input; use --keys"), "\(child.output)")
  }

  @Test func withoutATerminalTheScriptIsReadFromTheInput() throws {
    let server = try LocalServer.start()
    defer { server.stop() }
    let result = try piped("walk # slowly\n60s\ndrain v", ["--target", server.url, "--factor", "100"])
    #expect(result.code == .ok && result.output.contains("· you walk\n") && result.output.contains(" clauses kept in "))
  }

  @Test func aWrongWordEndsAScriptThatIsRead() throws {
    let server = try LocalServer.start()
    defer { server.stop() }
    let result = try piped("walk\nwlak\nstop\n", ["--target", server.url])
    #expect(result.code == .usage && result.output.contains("· you walk\n") && !result.output.contains("you stop"))
    #expect(result.error.hasPrefix("rollingroad drive: 'wlak' is neither a key nor a time; did you mean 'walk'?\n"))
  }

  private func piped(_ text: String, _ words: [String]) throws -> CommandCall {
    var ends: [Int32] = [-1, -1]
    #expect(unsafe pipe(&ends) == 0)
    defer { close(ends[0]) }
    let bytes = Array(text.utf8)
    #expect(unsafe write(ends[1], bytes, bytes.count) == bytes.count)
    close(ends[1])
    return run(words, input: ends[0])
  }

  @Test(arguments: [
    (["--target", "here"], "--target: 'here' is not a URL"),
    (["--preset", "mine"], "is not one of rollingroad, traccar"),
    (["--platform", "symbian"], "ios or android"), (["--factor", "0"], "0.1 to 3600"),
    (["--at", "91,0"], "a latitude"),
    (["--log-level", "loud"], "verbose"), (["--verify", "http://h/l"], "needs {device} in its URL"),
    (["--verify", "http://h/{device}/{dev}"], "unknown placeholder {dev}"),
    (["--uuids", "uuid"], "a path as in $.items[*].uuid"),
    (["--quarantined", "http://h/{device}"], "needs --verify"), (["--keys", "d 5"], "'5' is neither a key nor a time"),
    (["--seed", "x"], "whole number"),
    (["--config", "none.json", "--keys", "q"], "cannot read 'none.json'"),
    (["--config", "cut.json", "--keys", "q"], "cut.json:2:10: the text ends too early"),
    (
      ["--config", "typo.json", "--keys", "q"],
      "--config: Unknown configuration key: http.batchSinc (did you mean http.batchSync?)"
    ),
    ([], "there is no terminal and no standard input; use --keys"),
  ])
  func mistakesAreToldBeforeAnythingHappens(words: [String], message: String) {
    let files = ["cut.json": "{\n\"http\": {", "typo.json": #"{"http":{"batchSinc":true}}"#]
    let result = run(words, files: files)
    #expect(result.code == .usage && result.output == "")
    #expect(result.error.contains(message), "\(result.error)")
  }

  @Test func anotherServerIsNotToldTheNameUnlessTheAppTellsIt() throws {
    let server = try BareServer { _ in .ok("{}") }
    let words = ["--target", server.url + "up", "--device", "mine", "--factor", "100", "--keys", "d 100s"]
    #expect(run(words).code == .ok)
    #expect(!server.requests.isEmpty && server.requests.allSatisfy { $0.values(of: "X-Device-Id") == [] })
    let told = run(words + ["--config", "c.json"], files: ["c.json": #"{"http":{"headers":{"X-Me":"${device.id}"}}}"#])
    #expect(told.code == .ok)
    #expect(server.requests.last?.values(of: "X-Me") == ["mine"])
  }

  /// Also when it leaves everything out: nothing is said of keys that it does not have.
  @Test func aFileStandsAloneAndWithoutOneTheAppSaysWhatItIs() throws {
    let server = try LocalServer.start()
    defer { server.stop() }
    let words = [
      "--target", server.url + "/locations", "--preset", "rollingroad", "--factor", "100", "--keys", "d 60s k",
    ]
    for file in ["{}", #"{"app":{"stopOnTerminate":true}}"#] {
      let own = run(words + ["--config", "c.json"], files: ["c.json": file])
      #expect(own.output.contains("the app is closed, and tracking with it: stopOnTerminate is true"))
      #expect(!own.output.contains("startOnBoot") && !own.output.contains("stopOnTerminate false"))
    }
    let ours = run(words)
    let second = ours.output.split(separator: "\n").dropFirst().first ?? ""
    #expect(second.contains("goes on when it is closed: stopOnTerminate false, startOnBoot true"), "\(ours.output)")
    #expect(ours.output.contains("iOS starts it again"))
  }

  @Test func aFileConfiguresThePhone() throws {
    let server = try LocalServer.start()
    defer { server.stop() }
    let file = #"{"http":{"url":"\#(server.url)/v2/locations","batchSync":true,"rootProperty":"points"}}"#
    let result = run(
      [
        "--config", "c.json", "--platform", "android", "--token", "secret", "--factor", "100", "--keys",
        "a d 200s a drain e",
      ],
      files: ["c.json": file])
    #expect(result.output.contains("Android phone 'drive', uploads to \(server.url)/v2/locations"))
    // `e` prints short bodies over several lines.
    let sent = result.output.split(separator: "\n").filter { $0.hasPrefix("> ") }.flatMap { $0.dropFirst(2) }
    #expect(String(sent.filter { $0 != " " }).contains(#"{"points":["#))
    #expect(result.output.contains("0 still on the phone"))
    #expect(result.output.contains("> Authorization: …") && !result.output.contains("secret"))
  }
}

extension String {
  fileprivate func components(of text: String) -> Int {
    var count = 0
    var rest = self[...]
    while let range = rest.firstRange(of: text) {
      count += 1
      rest = rest[range.upperBound...]
    }
    return count
  }
}
