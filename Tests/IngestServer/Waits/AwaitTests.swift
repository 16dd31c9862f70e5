import Base
import JSON
import Network
import Testing

@testable import IngestServer

/// Waiting for records: woken by the commit, in virtual time.
@Suite struct AwaitTests {
  private func wait(_ server: VirtualServer, _ body: String, run: String = "") -> VirtualClient {
    let client = server.connect()
    client.post("/admin/v1/await", body, run.isEmpty ? [] : [("X-Run-Id", run)])
    return client
  }

  private func upload(
    _ server: VirtualServer, _ numbers: Range<Int>, to target: String = "/locations/a", event: String? = nil
  ) {
    server.connect().post(target, Uploads.batch(numbers, event: event))
  }

  @Test func aWaitEndsWithTheCommitAndNotBefore() throws {
    let server = try VirtualServer()
    let waiting = wait(server, #"{"device":"a","count":3}"#)
    upload(server, 0..<2)
    #expect(waiting.received == [])
    server.commits = false
    upload(server, 2..<3)
    #expect(waiting.received == [])
    server.commits = true
    server.settle()
    let answer = try waiting.answer()
    #expect(answer?.status == 200)
    #expect(try answer?.json()["stored"] == .integer(3))
  }

  @Test func storedRecordsCountAtOnce() throws {
    let server = try VirtualServer()
    upload(server, 0..<3)
    #expect(try wait(server, #"{"device":"a","count":3}"#).answer()?.status == 200)
    #expect(try wait(server, #"{"count":3}"#).answer()?.status == 200)
    #expect(try wait(server, #"{"count":4}"#).answer() == nil)
    #expect(try wait(server, #"{"count":1,"since":"now"}"#).answer() == nil)
  }

  /// What is deleted is not stored any more, whether the run was forgotten or one of its devices.
  @Test(arguments: [true, false], [#"{"count":3}"#, #"{"atLeast":3,"where":[{"path":"$.uuid","exists":true}]}"#])
  func recordsThatWereDeletedDoNotCount(isReset: Bool, body: String) throws {
    let server = try VirtualServer()
    let waiting = wait(server, body)
    upload(server, 0..<2)
    if isReset {
      server.connect().post("/admin/v1/reset?run=", "")
    } else {
      server.connect().send(SessionHarness.bytes("DELETE", "/admin/v1/devices/a"))
    }
    server.settle()
    #expect(try server.stored() == 0)
    upload(server, 2..<4, to: "/locations/b")
    #expect(try waiting.answer() == nil)
    upload(server, 4..<5)
    #expect(try waiting.answer()?.status == 200)
  }

  @Test func aCommitInTheSameGroupAsTheQuestionCountsOnce() throws {
    let server = try VirtualServer()
    server.commits = false
    upload(server, 0..<2)
    let three = wait(server, #"{"count":3}"#)
    let five = wait(server, #"{"count":5}"#)
    upload(server, 2..<4)
    server.commits = true
    server.settle()
    #expect(try three.answer()?.status == 200)
    #expect(five.received == [])
    upload(server, 4..<5)
    #expect(try five.answer()?.json()["stored"] == .integer(5))
  }

  @Test func aDuplicateDoesNotCount() throws {
    let server = try VirtualServer()
    upload(server, 0..<1)
    let waiting = wait(server, #"{"count":2}"#)
    upload(server, 0..<1)
    #expect(waiting.received == [])
    upload(server, 1..<2)
    #expect(try waiting.answer()?.status == 200)
  }

  @Test func aTimeOutSaysHowFarItGot() throws {
    let server = try VirtualServer()
    upload(server, 0..<2)
    let uuids = #"["\#(Uploads.uuid(1))","\#(Uploads.uuid(7))"]"#
    let waiting = wait(server, #"{"count":5,"uuids":\#(uuids),"timeout":"2s"}"#)
    server.advance(milliseconds: 1_999)
    #expect(waiting.received == [])
    server.advance(milliseconds: 1)
    let answer = try waiting.answer()
    let detail = try answer?.json()["error"]?["detail"]
    #expect(answer?.status == 408)
    #expect(detail?["stored"] == .integer(2))
    #expect(detail?["missing"] == .array([.string(Uploads.uuid(7))]))
  }

  /// The time is over before the store had its turn: the answer is that of a look, not of none.
  @Test(arguments: [
    (#"{"count":2,"timeout":"1ms"}"#, 200), (#"{"count":3,"timeout":"1ms"}"#, 408),
    (#"{"exactly":1,"timeout":"1ms"}"#, 409), (#"{"uuids":["\#(Uploads.uuid(1))"],"timeout":"1ms"}"#, 200),
    (#"{"uuids":["\#(Uploads.uuid(2))"],"timeout":"1ms"}"#, 408),
  ])
  func aWaitLooksOnceHoweverShortItIs(body: String, status: Int) throws {
    let server = try VirtualServer()
    upload(server, 0..<2)
    server.commits = false
    let waiting = wait(server, body)
    #expect(waiting.received == [], "the look has its turn with the next group")
    server.advance(milliseconds: 1)
    let answer = try waiting.answer()
    #expect(answer?.status == status)
    let told = try answer?.json()
    #expect((told?["stored"] ?? told?["error"]?["detail"]?["stored"]) == .integer(2))
  }

  @Test func uuidsAreFoundStoredOrComing() throws {
    let server = try VirtualServer()
    upload(server, 0..<1)
    let waiting = wait(server, #"{"uuids":["\#(Uploads.uuid(0))","\#(Uploads.uuid(5))"]}"#)
    #expect(waiting.received == [])
    upload(server, 5..<6)
    #expect(try waiting.answer()?.status == 200)
  }

  @Test func onlyRecordsWithTheEventCount() throws {
    let server = try VirtualServer()
    let waiting = wait(server, #"{"event":"geofence","since":"now"}"#)
    upload(server, 0..<1)
    #expect(waiting.received == [])
    upload(server, 1..<2, event: "geofence")
    #expect(try waiting.answer()?.status == 200)
    let stored = try wait(server, #"{"event":"geofence","exactly":1}"#).answer()
    #expect(stored?.status == 200, "what came before counts, unless now is said: \(stored?.text ?? "no answer")")
    #expect(try wait(server, #"{"event":"geofence","since":"now"}"#).answer() == nil)
    #expect(try wait(server, #"{"event":"heartbeat"}"#).answer() == nil)
  }

  @Test func anEventThatCameAgainIsNotNew() throws {
    let server = try VirtualServer()
    upload(server, 0..<1, event: "motionchange")
    server.advance(milliseconds: 1)
    let waiting = wait(server, #"{"event":"motionchange","since":"now"}"#)
    server.connect().post(
      "/locations/a", "[\(Uploads.record(0, event: "motionchange")),\(Uploads.record(1))]")
    #expect(waiting.text == "", "a record that is new and an event that is not")
    upload(server, 2..<3, event: "motionchange")
    #expect(try waiting.answer()?.status == 200)
  }

  @Test func countIsAnotherNameOfAtLeastWithAnEventToo() throws {
    let server = try VirtualServer()
    let waiting = wait(server, #"{"event":"geofence","count":2}"#)
    upload(server, 0..<1, event: "geofence")
    #expect(waiting.text == "")
    upload(server, 1..<2, event: "geofence")
    #expect(try waiting.answer()?.status == 200)
    #expect(try wait(server, #"{"event":"geofence","count":2,"exactly":2}"#).answer()?.status == 400)
  }

  /// What came from now on counts, but for what a deleted device had brought.
  @Test func aDeletedDeviceTakesOnlyItsOwnAlong() throws {
    let server = try VirtualServer()
    upload(server, 0..<1, to: "/locations/x")
    func delete(_ device: String) {
      server.connect().send(SessionHarness.bytes("DELETE", "/admin/v1/devices/\(device)"))
    }
    let three = wait(server, #"{"count":3,"since":"now"}"#)
    let named = wait(server, #"{"uuids":["\#(Uploads.uuid(1))","\#(Uploads.uuid(9))"],"since":"now"}"#)
    let other = wait(server, #"{"device":"b","count":3,"since":"now"}"#)
    upload(server, 1..<3)
    delete("x")
    #expect(three.text == "")
    upload(server, 3..<4)
    #expect(try three.answer()?.status == 200)
    upload(server, 4..<6, to: "/locations/b")
    delete("b")
    upload(server, 6..<8, to: "/locations/b")
    #expect(other.text == "", "of four that came two are there")
    upload(server, 8..<9, to: "/locations/b")
    #expect(try other.answer()?.status == 200)
    delete("a")
    upload(server, 9..<10, to: "/locations/b")
    #expect(named.text == "", "one of the two is gone")
    upload(server, 1..<2)
    #expect(try named.answer()?.status == 200)
  }

  @Test func runsAndDevicesAreKeptApart() throws {
    let server = try VirtualServer()
    let inRun = wait(server, #"{"count":1}"#, run: "x")
    let ofDevice = wait(server, #"{"device":"b"}"#)
    upload(server, 0..<1)
    #expect(inRun.received == [] && ofDevice.received == [])
    upload(server, 0..<1, to: "/r/x/locations/a")
    #expect(try inRun.answer()?.status == 200)
    upload(server, 0..<1, to: "/locations/b")
    #expect(try ofDevice.answer()?.status == 200)
  }

  @Test func theBoundIsNamedAsItWasAsked() throws {
    let server = try VirtualServer()
    upload(server, 0..<1)
    let most = try wait(server, #"{"atMost":0}"#).answer()
    #expect(most?.status == 409 && most?.text.contains("1 record, expected at most 0") == true)
    let exact = try wait(server, #"{"exactly":0}"#).answer()
    #expect(exact?.text.contains("1 record, expected exactly 0") == true)
  }

  @Test func aRunThatContradictsThePathIsRefused() throws {
    let server = try VirtualServer()
    upload(server, 0..<1, to: "/r/rb/locations/a")
    for (target, body) in [
      ("/r/ra/admin/v1/await", #"{"run":"rb"}"#), ("/r/ra/admin/v1/await?run=rb", "{}"),
      ("/r/ra/admin/v1/verify?run=rb", #"{"atLeast":1}"#), ("/r/ra/admin/v1/reset?run=rb", ""),
      ("/r/ra/admin/v1/tokens/expire", #"{"run":"rb"}"#),
    ] {
      let answer = try server.connect().request("POST", target, body: body)
      #expect(answer.status == 400 && answer.text.contains("ra"), "\(answer.text)")
    }
    #expect(try server.connect().request("GET", "/r/ra/admin/v1/devices?run=rb").status == 400)
    #expect(try wait(server, #"{"run":"rb"}"#).answer()?.status == 200)
    let within = try server.connect().request("POST", "/r/rb/admin/v1/await?run=rb", body: #"{"run":"rb"}"#)
    #expect(within.status == 200)
  }

  @Test func waitersAreBoundedAndGivenBack() throws {
    let server = try VirtualServer()
    for _ in 0..<EventHub.waitersMax { _ = wait(server, #"{"count":9}"#) }
    #expect(try wait(server, #"{"count":9}"#).answer()?.status == 503)
    server.clients[0].vanish()
    #expect(try wait(server, #"{"count":9}"#).answer() == nil)
  }

  @Test func aDrainEndsWaiting() throws {
    let server = try VirtualServer()
    let waiting = wait(server, #"{"count":9}"#)
    waiting.drain()
    #expect(try waiting.answer()?.status == 503)
    #expect(waiting.ending == .afterOutput)
  }
}
