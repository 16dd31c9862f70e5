import IngestServer
import Support
import Synchronization
import Testing

@testable import CommandLine

/// A scenario with requests instead of fleets.
@Suite struct RequestPlaybackTests {
  private static let uuid = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"

  private static func scenario(status: Int, verify: String = "") -> String {
    """
    { version: 1, name: "again", target: { \(verify) }, requests: [
      { device: "a", path: "/locations", headers: { "Content-Type": "application/json" }, status: \(status),
        body: '{"location":{"uuid":"\(uuid)","timestamp":"2026-07-28T18:34:22.563Z","coords":{"latitude":48.1,"longitude":11.5,"accuracy":5}},"device_id":"a"}' },
      { at: "20ms", device: "a", path: "/locations", bodyBase64: "eyJsb2Nh", status: 400 },
    ] }
    """
  }

  @Test(arguments: [
    (200, ExitCode.ok, "2 requests sent: all statuses unchanged"),
    (503, .thresholdFailed, "1 answer with another status"),
  ])
  func answersAreComparedWithWhatWasWritten(status: Int, code: ExitCode, words: String) throws {
    let server = try LocalServer.start(adminToken: "road")
    defer { server.stop() }
    let call = CommandCall(
      ["simulate", "again.json5", "--target", server.url], files: ["again.json5": Self.scenario(status: status)])
    #expect(call.code == code && call.output.contains(words), "\(call.output)\(call.error)")
    #expect(call.error == "")
  }

  @Test(arguments: [
    ("uuid", ExitCode.ok, "all stored"), ("nothing", .invariantViolated, "1 not stored for device 'a'"),
  ])
  func theStoreIsAskedForWhatWasAcknowledged(column: String, code: ExitCode, words: String) throws {
    let server = try LocalServer.start(adminToken: "road")
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let line = column == "uuid" ? "{\"device\":\"a\",\"uuid\":\"\(Self.uuid)\"}\n" : ""
    try folder.write(Array(line.utf8), to: "stored")
    let text = Self.scenario(status: 200, verify: "verify: { file: '\(folder.file("stored"))' }")
    let call = CommandCall(["simulate", "again.json5", "--target", server.url], files: ["again.json5": text])
    #expect(call.code == code && call.output.contains(words), "\(call.output)\(call.error)")
  }

  /// An upload is stored, and the list of what is stored wants to know who asks.
  @Test(arguments: [
    ("headers: { Authorization: 'Bearer ${device.id}' }, verify: { url: '/list?device={device}' }", ExitCode.ok),
    ("verify: { url: '/list?device={device}', headers: { authorization: 'Bearer ${device.id}' } }", .ok),
    ("verify: { url: '/list?device={device}' }", .runInvalid),
    ("verify: { url: '/none?device={device}' }", .runInvalid),
    ("verify: { database: 'points.db' }", .badScenario), ("verify: { url: '/list?device={devce}' }", .badScenario),
  ])
  func theStoreIsAskedAsTheTargetSays(target: String, code: ExitCode) throws {
    let server = try BareServer { request in
      if request.lines[0].hasPrefix("POST") { return .ok("{}") }
      guard request.lines[0].contains("/list") else {
        return .text("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
      }
      guard request.values(of: "Authorization") == ["Bearer a"] else {
        return .text("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
      }
      return .ok("[{\"id\":\"\(Self.uuid)\"}]")
    }
    let text = Self.scenario(status: 200, verify: target).split(separator: "status: 400").joined(
      separator: "status: 200")
    let call = CommandCall(["simulate", "again.json5", "--target", server.url], files: ["again.json5": text])
    #expect(call.code == code, "\(call.output)\(call.error)")
    let uploads = server.requests.filter { $0.lines[0].hasPrefix("POST") }
    #expect(uploads.count == (code == .badScenario ? 0 : 2))
    let isShown = target.hasPrefix("headers")
    #expect(uploads.allSatisfy { $0.values(of: "Authorization") == (isShown ? ["Bearer a"] : []) })
  }

  /// As the devices of a fleet: by names that are known, and through a proxy.
  @Test func requestsGoTheWayThatTheTargetSays() throws {
    let server = try BareServer { _ in .ok("{}") }
    let files = [
      "again.json5": Self.scenario(status: 200).split(separator: "status: 400").joined(separator: "status: 200")
    ]
    let name = "backend.test:\(server.port)"
    let resolved = CommandCall(
      ["simulate", "again.json5", "--target", "http://\(name)", "--resolve", "\(name):127.0.0.1"], files: files)
    #expect(resolved.code == .ok && server.requests.count == 2, "\(resolved.output)\(resolved.error)")
    #expect(server.requests.allSatisfy { $0.values(of: "Host") == [name] } && server.opened == 1)
    let proxied = CommandCall(
      ["simulate", "again.json5", "--target", "http://other.test", "--proxy", server.url], files: files)
    #expect(proxied.code == .ok, "\(proxied.output)\(proxied.error)")
    #expect(server.requests.suffix(2).allSatisfy { $0.lines[0].hasPrefix("POST http://other.test/locations ") })
  }

  /// What a backend does with the second request of a connection, and how many requests it is sent by then.
  @Test(arguments: [
    (BareServer.Answer.close([]), 3, ExitCode.ok), (.text("no HTTP\r\n\r\n"), 2, .thresholdFailed),
    (.close(Array("HTTP/1.1 200 OK\r\nContent-Le".utf8)), 2, .thresholdFailed),
  ])
  func onlyWhatMetAnEndOfTheConnectionIsSentTwice(second: BareServer.Answer, count: Int, code: ExitCode) throws {
    let answered = Mutex(0)
    let server = try BareServer { _ in
      answered.withLock { $0 += 1 }
      return answered.withLock { $0 } == 2 ? second : .ok("{}")
    }
    let text = Self.scenario(status: 200).split(separator: "status: 400").joined(separator: "status: 200")
    let call = CommandCall(["simulate", "again.json5", "--target", server.url], files: ["again.json5": text])
    #expect(call.code == code && server.requests.count == count, "\(call.output)\(call.error)")
  }

  /// RFC 9110 sections 5.6.2 and 9.1: methods and names of header fields are tokens.
  @Test(arguments: [
    ("method: 'PO ST'", "requests[0].method: 'PO ST' cannot be a method; write one such as POST"),
    ("headers: { 'a b': 'c' }", "requests[0].headers.a b: 'a b' cannot be a header of a request"),
    ("headers: { a: 'b\\nc' }", "requests[0].headers.a: 'a' cannot be a header of a request"),
  ])
  func aRequestThatCannotBeIsRefused(keys: String, words: String) {
    let text = "{ version: 1, name: 'again', target: { url: 'http://127.0.0.1:9' }, requests: [{ \(keys) }] }"
    for words in [[], ["--dry-run"]] {
      let call = CommandCall(["simulate", "again.json5"] + words, files: ["again.json5": text])
      #expect(call.code == .badScenario && call.output == "", "\(call.output)")
    }
    let call = CommandCall(["simulate", "again.json5"], files: ["again.json5": text])
    #expect(call.error.contains(words), "\(call.error)")
  }

  @Test func withoutAServerNothingIsSent() {
    let call = CommandCall(["simulate", "again.json5"], files: ["again.json5": Self.scenario(status: 200)])
    #expect(call.code == .usage && call.error.contains("the requests of the scenario need a server"), "\(call.error)")
  }
}
