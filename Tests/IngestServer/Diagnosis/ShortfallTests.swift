import Base
import HTTP1
import JSON
import Store
import Testing

@testable import IngestServer

/// A wait or a check that fails says why, where the server knows.
@Suite struct ShortfallTests {
  /// The reasons of a wait for a record of phone-1 that times out, each as `reason: message`.
  private func reasons(
    _ server: VirtualServer, _ body: String = #"{"device":"phone-1","timeout":"1s"}"#, run: String = ""
  ) throws -> [String] {
    let client = server.connect()
    client.post("\(run.isEmpty ? "" : "/r/\(run)")/admin/v1/await", body)
    server.advance(milliseconds: 1_000)
    let answer = try #require(try client.answer())
    #expect(answer.status == 408)
    return try texts(answer)
  }

  private func texts(_ answer: TestAnswer) throws -> [String] {
    guard case .array(let reasons)? = try answer.json()["error"]?["detail"]?["reasons"] else { return [] }
    return try reasons.map { reason in
      guard case .string(let kind)? = reason["reason"], case .string(let message)? = reason["message"] else {
        throw NoAnswer(request: answer.text)
      }
      return "\(kind): \(message)"
    }
  }

  private func post(_ server: VirtualServer, _ target: String, _ body: String = Uploads.record(1), times: Int = 1) {
    for _ in 0..<times { server.connect().post(target, body) }
  }

  private let unknown = "unknownDevice: no device phone-1 has stored anything without a run"

  /// A check that counts names its run as a wait does.
  @Test func aCountIsOfItsRun() throws {
    let server = try VirtualServer()
    post(server, "/r/nightly/locations/phone-1", Uploads.record(1))
    func verify(_ target: String, _ body: String) throws -> Int {
      let client = server.connect()
      client.post(target, body)
      return try #require(try client.answer()).status
    }
    #expect(try verify("/admin/v1/verify", #"{"run":"nightly","exactly":1}"#) == 200)
    #expect(try verify("/admin/v1/verify", #"{"exactly":0}"#) == 200)
    #expect(try verify("/r/nightly/admin/v1/verify", #"{"exactly":1}"#) == 200)
    #expect(try verify("/r/nightly/admin/v1/verify", #"{"run":"other","exactly":0}"#) == 400)
  }

  @Test func whereNothingIsKnownNothingIsClaimed() throws {
    #expect(try reasons(VirtualServer()) == [unknown + ", and none of another device"])
    #expect(try reasons(VirtualServer(), #"{"timeout":"1s"}"#) == [])
  }

  @Test func aMistypedDeviceHasANearestName() throws {
    let server = try VirtualServer()
    post(server, "/locations/phone-l")
    #expect(try reasons(server) == [unknown + "; did you mean phone-l?"])
    #expect(try reasons(server, #"{"device":"x","timeout":"1s"}"#)[0].hasSuffix("; known devices: phone-l"))
  }

  @Test func recordsThatAreKnownByTheirUuidsAreFoundElsewhere() throws {
    let server = try VirtualServer()
    post(server, "/locations/phone-1", Uploads.record(0))
    post(server, "/locations/phone-2", Uploads.batch(1..<3))
    post(server, "/r/r2/locations/phone-1", Uploads.record(3))
    let uuids = "[\((0..<5).map { "\"\(Uploads.uuid($0))\"" }.joined(separator: ","))]"
    let told = try reasons(server, #"{"device":"phone-1","uuids":\#(uuids),"timeout":"1s"}"#)
    #expect(told == ["otherDevice: 2 records under device phone-2", "otherRun: 1 record of phone-1 in run r2"])
    let client = server.connect()
    client.post("/admin/v1/await", #"{"device":"phone-1","uuids":\#(uuids),"timeout":"1s"}"#)
    server.advance(milliseconds: 1_000)
    #expect(try client.answer()?.text.contains("\"4 of 5 records missing after 1.0 s; 2 records under") == true)
  }

  @Test func recordsOfAnotherRunAreFound() throws {
    let server = try VirtualServer()
    post(server, "/r/one/locations/phone-1", Uploads.batch(0..<3))
    let told = "otherRun: 3 records of phone-1 stored in the run one, not without a run"
    #expect(try reasons(server) == [told, unknown + ", and none of another device"])
    let other = "otherRun: 3 records of phone-1 stored in the run one, not in the run two"
    #expect(try reasons(server, run: "two").first == other)
    let whole = try reasons(server, #"{"timeout":"1s"}"#)
    #expect(whole == ["otherRun: 3 records stored in the run one, not without a run"])
    post(server, "/locations/phone-1")
    let ordinary = "otherRun: 1 record of phone-1 stored without a run, not in the run two"
    #expect(try reasons(server, run: "two").contains(ordinary))
  }

  @Test(arguments: ["status", "refuse", "pretend"]) func aFaultRuleIsNamed(kind: String) throws {
    let server = try VirtualServer()
    let parameter = kind == "pretend" ? "" : #","status":503"#
    let rule = #"{"faults":[{"id":"flaky","fault":{"kind":"\#(kind)"\#(parameter)},"match":{"device":"phone-1"}}]}"#
    #expect(try server.connect().request("PUT", "/admin/v1/faults", body: rule).status == 200)
    post(server, "/locations/phone-1", times: 3)
    let status = kind == "pretend" ? 200 : 503
    let first = try #require(try reasons(server).first)
    #expect(first == "fault: 3 uploads of phone-1 matched the fault rule flaky (\(kind)) and got \(status)")
  }

  @Test func aMissingTokenIsToldWithTheDeviceOfTheBody() throws {
    let server = try VirtualServer { $0.authentication = .required }
    let body = #"{"device_id":"phone-1","location":\#(Uploads.record(1))}"#
    post(server, "/locations", body, times: 2)
    #expect(try reasons(server).first == "unauthorized: 2 uploads of phone-1 got 401 (token_required)")
    #expect(try reasons(server, #"{"device":"phone-2","timeout":"1s"}"#).count == 1, "that is another device")
  }

  @Test func aWrongPathIsTold() throws {
    let server = try VirtualServer()
    post(server, "/location")
    let told = "notFound: 1 request to /location got 404: no route has this path; uploads go to /locations"
    #expect(try reasons(server).first == told)
    #expect(try reasons(server, run: "one").first == told)
  }

  /// Another's mistake does not stand before what is known of the device.
  @Test func requestsThatSayNoDeviceComeLast() throws {
    let server = try VirtualServer()
    post(server, "/location")
    post(server, "/locations/phone-1", times: 3)
    let told = try reasons(server, #"{"device":"phone-1","atLeast":3,"timeout":"1s"}"#)
    #expect(told.count == 2 && told[0].hasPrefix("duplicate") && told[1].hasPrefix("notFound"), "\(told)")
  }

  @Test func anEventThatTheSDKHasNotIsTold() throws {
    let server = try VirtualServer()
    post(server, "/locations/phone-1")
    let told = try reasons(server, #"{"device":"phone-1","event":"motionchagne","since":"now","timeout":"1s"}"#)
    #expect(
      told.first
        == "unknownEvent: unknown event motionchagne; known: motionchange, geofence, providerchange, heartbeat; did you mean motionchange?",
      "\(told)")
  }

  @Test func aBodyThatCannotBeReadIsTold() throws {
    let server = try VirtualServer()
    post(server, "/locations", "{\"location\":")
    #expect(
      try reasons(server).first
        == "malformed: 1 upload of an unnamed device got 400 (malformed_json): the body could not be read")
    post(server, "/locations/phone-1", "")
    #expect(try reasons(server).first?.hasPrefix("malformed: 1 upload of phone-1 got 400") == true)
  }

  @Test func quarantinedRecordsAreReportedWithTheirReason() throws {
    let server = try VirtualServer()
    post(server, "/locations/phone-1", "[\(Uploads.record(1)),7]")
    let told = try reasons(server, #"{"device":"phone-1","atLeast":2,"timeout":"1s"}"#)
    #expect(told == ["quarantined: 1 record quarantined: notAnObject; see GET quarantine"])
  }

  @Test func recordsThatCameAgainAreTold() throws {
    let server = try VirtualServer()
    post(server, "/locations/phone-1", times: 3)
    let told = try reasons(server, #"{"device":"phone-1","atLeast":3,"timeout":"1s"}"#)
    #expect(told == ["duplicate: 2 records were duplicates and count once"])
  }

  /// The requests of others, and those from before the wait, come after what is about the device that is waited for.
  @Test func theReasonsOfTheDeviceStandFirst() throws {
    let server = try VirtualServer()
    post(server, "/location")
    server.advance(milliseconds: 1)
    post(server, "/locations", "{\"location\":")
    post(server, "/locations/phone-1", "[\(Uploads.record(1)),7]")
    let body = #"{"device":"phone-1","atLeast":2,"timeout":"1s"}"#
    #expect(try reasons(server, body).map { $0.prefix { $0 != ":" } } == ["quarantined", "malformed", "notFound"])
    let client = server.connect()
    client.post("/admin/v1/await", body)
    server.advance(milliseconds: 500)
    post(server, "/locations/phone-1", "")
    server.advance(milliseconds: 500)
    let answer = try #require(try client.answer())
    #expect(try texts(answer).map { $0.prefix { $0 != ":" } } == ["malformed", "quarantined", "malformed", "notFound"])
  }

  @Test func anEventThatNeverCameIsNamed() throws {
    let server = try VirtualServer()
    post(server, "/location")
    func reason(_ event: String) throws -> String? {
      try reasons(server, #"{"device":"phone-1","event":"\#(event)","since":"now","timeout":"1s"}"#).first
    }
    let none = "unknownEvent: no record with the event "
    #expect(try reason("geofence") == none + "geofence was received")
    let client = server.connect()
    client.post("/admin/v1/await", #"{"event":"geofence","since":"now","timeout":"1s"}"#)
    post(server, "/locations/phone-1", Uploads.record(1, event: "arrival"))
    server.advance(milliseconds: 1_000)
    let answer = try #require(try client.answer())
    #expect(try texts(answer).contains(none + "geofence was received; received events: arrival"))
    let check = try server.connect().request("POST", "/admin/v1/verify", body: #"{"event":"arival","atLeast":1}"#)
    #expect(check.text.contains("unknown event arival; known: "), "\(check.text)")
  }

  @Test func aResetForgetsWhatWasRefused() throws {
    let server = try VirtualServer()
    post(server, "/location")
    #expect(try server.connect().request("POST", "/admin/v1/reset").status == 200)
    #expect(try reasons(server).count == 1)
  }

  @Test func theMessageHasTheFirstReasons() throws {
    let server = try VirtualServer()
    for path in ["/a", "/b", "/c", "/d"] { post(server, path) }
    let client = server.connect()
    client.post("/admin/v1/await", #"{"device":"phone-1","timeout":"1s"}"#)
    server.advance(milliseconds: 1_000)
    let text = try #require(try client.answer()).text
    #expect(text.contains("0 records, expected at least 1, after 1.0 s; 1 request to /"))
    #expect(text.contains("; …"))
  }

  @Test func aCheckSaysItToo() throws {
    let server = try VirtualServer()
    post(server, "/locations/phone-l")
    let answer = try server.connect().request("POST", "/admin/v1/verify", body: #"{"device":"phone-1","atLeast":1}"#)
    #expect(answer.status == 409)
    #expect(try texts(answer) == [unknown + "; did you mean phone-l?"])
    let tooMany = try server.connect().request("POST", "/admin/v1/verify", body: #"{"atMost":0}"#)
    #expect(tooMany.status == 409 && tooMany.text.contains("1 record, expected at most 0"))
    #expect(try texts(tooMany) == [])
  }

  @Test func theKindsOfRefusalsAreBounded() {
    let book = RefusalLog()
    for number in 0..<2_000 {
      book.note(
        Refusal(device: DeviceIdentity(name: "phone-\(number)"), status: 401, code: "token_required"),
        at: .init(millisecondsSince1970: Int64(number)))
    }
    let kept = book.entries(run: "", device: nil)
    #expect(kept.count <= RefusalLog.kindsMax && kept[0].refusal.device.name == "phone-1999")
  }
}
