import JSON
import Store
import Testing

@testable import IngestServer

/// `verify` and `await` with numbers.
@Suite struct CountExpectationTests {
  private func harness() throws -> SessionHarness {
    let harness = try SessionHarness()
    try harness.upload(0..<10, of: "car")
    let crossing = #"{"device_id":"car","location":\#(SessionHarness.record(10, event: "geofence"))}"#
    #expect(try harness.upload(crossing).status == 200)
    harness.advance(seconds: 60)
    try harness.upload(20..<23, of: "bus")
    try harness.upload(0..<2, of: "car", run: "one")
    return harness
  }

  @Test(arguments: [
    (#"{"exactly":14}"#, 200), (#"{"exactly":13}"#, 409), (#"{"atLeast":14}"#, 200), (#"{"atLeast":15}"#, 409),
    (#"{"atMost":14}"#, 200), (#"{"atMost":13}"#, 409), (#"{"atLeast":2,"atMost":14}"#, 200),
    (#"{"device":"car","exactly":11}"#, 200), (#"{"device":"plane","exactly":0}"#, 200),
    (#"{"event":"geofence","exactly":1}"#, 200), (#"{"event":"geofence","device":"bus","atMost":0}"#, 200),
    (#"{"from":"2026-07-28T00:02:00Z","to":"2026-07-28T00:05:00Z","exactly":3}"#, 200),
    (#"{"since":"2026-07-28T18:35:23.000Z","exactly":3}"#, 200),
    (#"{"since":"2026-07-28T18:35:23.001Z","exactly":0}"#, 200),
  ])
  func recordsAreCounted(body: String, status: Int) throws {
    let answer = try harness().request("POST", "/admin/v1/verify?run=", body: body)
    #expect(answer.status == status, "\(answer.text)")
  }

  @Test(arguments: [
    (
      "verify", #"{"exactly":0,"from":"2026-07-28T00:05:00Z","to":"2026-07-28T00:02:00Z"}"#,
      "to must be later than from"
    ),
    ("await", #"{"exactly":0,"holds":"1s","grace":"2m"}"#, "grace must be at most 60s"),
  ])
  func whatCanNotBeIsRefused(path: String, body: String, words: String) throws {
    let answer = try SessionHarness().request("POST", "/admin/v1/\(path)", body: body)
    #expect(answer.status == 400 && answer.text.contains(words), "\(answer.text)")
  }

  @Test func anExpectationThatDoesNotHoldSaysWhatThereIs() throws {
    let answer = try harness().request("POST", "/admin/v1/verify?run=one", body: #"{"exactly":3}"#)
    #expect(answer.status == 409)
    #expect(try answer.json()["error"]?["detail"]?["records"] == .integer(2))
    #expect(answer.text.contains("2 records, expected exactly 3"))
  }

  @Test(arguments: [
    (#"{"exactly":1,"devise":"a"}"#, "did you mean device?"), (#"{"exactly":1,"atMost":2}"#, "omitted when"),
    (#"{"atLeast":3,"atMost":2}"#, "at least atLeast"), (#"{"atLeast":-1}"#, "whole number"),
  ])
  func invalidRequestsAreRefused(body: String, hint: String) throws {
    for path in ["/admin/v1/verify", "/admin/v1/await"] {
      let answer = try harness().request("POST", path, body: body)
      #expect(answer.status == 400 && answer.text.contains(hint), "\(answer.text)")
    }
  }

  @Test func aWaitForExactlySoManyEndsWithThemOrWithOneMore() throws {
    let server = try VirtualServer()
    func wait(_ body: String) -> VirtualClient {
      let client = server.connect()
      client.post("/admin/v1/await", body)
      return client
    }
    let three = wait(#"{"exactly":3}"#)
    let two = wait(#"{"exactly":2}"#)
    let some = wait(#"{"atLeast":2,"atMost":3}"#)
    server.connect().post("/locations", Uploads.batch(0..<1))
    #expect(three.received == [] && two.received == [] && some.received == [])
    #expect(try wait(#"{"atMost":1}"#).answer()?.status == 200)
    server.connect().post("/locations", Uploads.batch(1..<3))
    #expect(try three.answer()?.status == 200)
    #expect(try some.answer()?.status == 200)
    let answer = try two.answer()
    #expect(answer?.status == 409)
    #expect(try answer?.errorCode == "await_exceeded")
    #expect(try answer?.json()["error"]?["detail"]?["stored"] == .integer(3))
    #expect(try wait(#"{"exactly":2}"#).answer()?.status == 409)
  }

  /// `await` and `verify` agree about what has come, also when retention has deleted it.
  @Test(arguments: [#""device":"a","#, ""])
  func whatRetentionHasDeletedCameAllTheSame(owner: String) throws {
    let server = try VirtualServer(retainDays: 2)
    func ask(_ path: String, _ body: String) throws -> Int {
      try server.connect().request("POST", "/admin/v1/\(path)", body: body).status
    }
    server.connect().post("/locations/a", Uploads.batch(0..<3))
    server.advance(milliseconds: 5 * 86_400_000)
    while server.sqlite.maintain(now: server.inner.now) {}
    #expect(try server.connect().request("GET", "/admin/v1/uuids").text == "")
    #expect(try ask("await", "{\(owner)\"exactly\":3,\"timeout\":0}") == 200)
    #expect(try ask("verify", "{\(owner)\"exactly\":3}") == 200)
    #expect(try ask("verify", "{\(owner)\"exactly\":0}") == 409)
    // What asks for more than whose they are looks at the records.
    #expect(try ask("verify", "{\(owner)\"from\":\"2026-07-28T00:00:00Z\",\"exactly\":0}") == 200)
  }
}
