import HTTP1
import JSON
import ServerSupport
import Support
import Synchronization
import Testing

@testable import IngestServer

/// A reset takes everything of its run along, and nothing of another.
@Suite struct ResetTests {
  private let rules = """
    {"faults":[{"id":"a","fault":{"kind":"status"},"match":{"operation":"uploadLocations"}},
    {"id":"b","fault":{"kind":"drop"},"match":{"operation":"uploadDeviceLog"}}]}
    """

  /// A run with a device, two fault rules, a map, a refresh that is to break, and a refresh token that has failed.
  private func fill(_ harness: SessionHarness, run: String) throws {
    let prefix = run.isEmpty ? "" : "/r/\(run)"
    _ = try harness.refresh("nonsense-\(run)", run.isEmpty ? [] : [("X-Run-Id", run)])
    try harness.upload(0..<2, of: "car", run: run)
    #expect(
      try harness.request("PUT", prefix + "/admin/v1/tokens/break-refresh", body: #"{"status":500}"#).status == 200)
    #expect(try harness.request("PUT", prefix + "/admin/v1/faults", body: rules).status == 200)
    #expect(try harness.request("PUT", prefix + "/admin/v1/map", body: MapTests.empty).status == 200)
  }

  private func expect(_ harness: SessionHarness, _ path: String, clears runs: Int) throws {
    let answer = try harness.request("POST", path, body: "")
    #expect(
      answer.text
        == #"{"devices":\#(runs),"faults":\#(runs * 2),"maps":\#(runs),"breakages":\#(runs),"throttled":\#(runs),"journal":false}"#
    )
  }

  @Test func aRunGoesWithAllThatWasSetInIt() throws {
    let harness = try SessionHarness()
    for run in ["one", ""] { try fill(harness, run: run) }
    try expect(harness, "/r/one/admin/v1/reset", clears: 1)
    #expect(harness.context.tokens.checks.throttle.withLock { $0.count } == 1)
    #expect(harness.context.faults.board.entries(of: "").count == 2)
    #expect(harness.context.faults.board.entries(of: "one").isEmpty)
    #expect(harness.context.maps.board.map(of: "") != nil && harness.context.maps.board.map(of: "one") == nil)
    #expect(try harness.upload(1, device: "car", run: "one").status == 200, "no fault is left")
    #expect(try harness.refresh(harness.register("car", run: "one").refresh).status == 200, "nor a broken refresh")
    #expect(try harness.refresh(harness.register("car").refresh).status == 500, "but the other run's")
  }

  /// Many clients send header fields in Latin-1: such a name is not none, which is every run.
  @Test(arguments: ["X-Run-Id", "X-Device-Id"]) func aNameThatIsNotUTF8IsRefused(field: String) throws {
    let harness = try SessionHarness()
    try fill(harness, run: "")
    let name = Array("Pr".utf8) + [0xFC] + Array("fung".utf8)
    for target in ["/admin/v1/reset", "/locations"] {
      let head = "POST \(target) HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\(field): "
      harness.send(Array(head.utf8) + name + Array("\r\n\r\n{}".utf8))
      let answer = try #require(try harness.answer())
      #expect(answer.status == 400 && answer.text.contains("\(field) is not UTF-8"), "\(answer.text)")
    }
    #expect(harness.context.faults.board.entries(of: "").count == 2)
  }

  @Test func aHeaderAndAPathOfTwoRunsAreRefused() throws {
    let harness = try SessionHarness()
    try fill(harness, run: "one")
    let answer = try harness.request("POST", "/r/one/admin/v1/reset", [("X-Run-Id", "two")], body: "")
    #expect(answer.status == 400, "\(answer.text)")
    #expect(harness.context.faults.board.entries(of: "one").count == 2)
    #expect(try harness.request("POST", "/r/one/admin/v1/reset", [("X-Run-Id", "one")], body: "").status == 200)
  }

  /// A body that names a run would otherwise forget all of them.
  @Test func aBodyThatIsNotReadIsRefused() throws {
    let harness = try SessionHarness()
    try fill(harness, run: "one")
    for (method, path) in [
      ("POST", "reset"), ("DELETE", "faults"), ("DELETE", "quarantine"), ("DELETE", "devices/car"), ("DELETE", "map"),
    ] {
      let answer = try harness.request(method, "/admin/v1/\(path)", body: #"{"run":"two"}"#)
      #expect(answer.status == 400 && answer.text.contains("this path reads no body"), "\(answer.text)")
    }
    #expect(harness.context.faults.board.entries(of: "one").count == 2)
    for body in ["", " {} \n"] {
      #expect(try harness.request("POST", "/r/two/admin/v1/reset", body: body).status == 200)
    }
    try expect(harness, "/r/one/admin/v1/reset", clears: 1)
  }

  @Test func everythingGoesWhenNoRunIsNamed() throws {
    let harness = try SessionHarness()
    for run in ["one", "two", ""] { try fill(harness, run: run) }
    try expect(harness, "/admin/v1/reset", clears: 3)
    #expect(harness.context.faults.board.isEmpty)
    #expect(try harness.upload(1, device: "car").status == 200)
  }

  @Test func theJournalForgetsTheRunToo() throws {
    let server = try IngestServer(.loopback())
    defer { server.stop() }
    func ask(_ method: String, _ target: String, _ body: String? = nil) throws -> TestAnswer? {
      let client = try LoopbackClient(port: server.port)
      try client.send(SessionHarness.bytes(method, target, [("Connection", "close")], body: body))
      var bytes = Array(try client.receiveToEnd().text.utf8)
      return try TestAnswer.take(from: &bytes, to: .post)
    }
    func requests() throws -> Int {
      guard case .array(let list)? = try ask("GET", "/admin/v1/requests")?.json()["requests"] else { return -1 }
      return list.count
    }
    #expect(try ask("POST", "/r/one/locations/a", Uploads.record(1))?.status == 200)
    #expect(try ask("POST", "/locations/a", Uploads.record(2))?.status == 200)
    #expect(try requests() == 2)
    #expect(try ask("POST", "/r/one/admin/v1/reset", "")?.json()["journal"] == .bool(true))
    #expect(try requests() == 1)
    #expect(try ask("POST", "/admin/v1/reset", "")?.status == 200)
    #expect(try requests() == 0)
  }
}
