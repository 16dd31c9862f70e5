import JSON
import Store
import Testing

@testable import IngestServer

@Suite struct RefusedUploadTests {
  private let mixed =
    #"{"location":[\#(BodyShapes.record(1)),{"uuid":"x","coords":{"latitude":"north"}},7,\#(BodyShapes.record(2))]}"#

  @Test func aBadRecordIsPutAsideAndItsBatchAcknowledged() throws {
    let harness = try SessionHarness()
    let answer = try harness.upload(mixed, to: "/locations", [("X-Device-Id", "a")])
    #expect(answer.status == 200 && answer.text == #"{"accepted":2,"duplicate":0,"quarantined":2}"#)
    let aside = try harness.reader.quarantine(QuarantineSelection(run: ""), limit: 10).elements
    #expect(
      aside.map { String(decoding: $0.record, as: UTF8.self) } == ["7", #"{"uuid":"x","coords":{"latitude":"north"}}"#])
    #expect(aside.map(\.reason) == ["notAnObject", "unreadableCoordinate"])
    #expect(aside.allSatisfy { $0.device.name == "a" })
  }

  @Test func strictRefusesTheWholeBatchAndSaysWhy() throws {
    let harness = try SessionHarness { $0.policy = .strict }
    let answer = try harness.upload(mixed)
    #expect(answer.status == 422)
    #expect(try answer.errorCode == "records_refused")
    guard case .array(let reasons)? = try answer.json()["error"]?["detail"] else {
      Issue.record("no detail")
      return
    }
    #expect(reasons.map { $0["reason"] } == [.string("unreadableCoordinate"), .string("notAnObject")])
    #expect(try harness.reader.countStored() == 0)
    #expect(try harness.reader.quarantine(QuarantineSelection(run: ""), limit: 10).elements.isEmpty)
    #expect(try harness.upload(BodyShapes.record(1)).status == 200)
  }

  @Test(arguments: [
    ("", "empty_body"), ("  ", "empty_body"), ("7", "not_records"), ("null", "not_records"), (#""a""#, "not_records"),
    ("{", "malformed_json"), (#"{"location":{}"#, "malformed_json"), ("[1,]", "malformed_json"),
    ("{}x", "malformed_json"), ("a=1&b=2", "malformed_json"),
  ])
  func aBodyWithoutRecordsGets400(body: String, code: String) throws {
    for policy in ServerConfiguration.Policy.allCases {
      let harness = try SessionHarness { $0.policy = policy }
      let answer = try harness.upload(body)
      #expect(answer.status == 400)
      #expect(try answer.errorCode == code)
      #expect(try harness.upload(BodyShapes.record(1)).status == 200, "the connection goes on")
    }
  }

  @Test func anUploadWithoutABodyIs411() throws {
    let answer = try SessionHarness().request("POST", "/locations")
    #expect(answer.status == 411)
  }

  @Test(arguments: [
    ("Content-Type", "application/octet-stream"), ("Content-Type", "Application/Octet-Stream; x=1"),
    ("Content-Encoding", "gzip"),
  ])
  func aMediaTypeOtherThanJSONGets415(name: String, value: String) throws {
    let answer = try SessionHarness().upload(BodyShapes.record(1), to: "/locations", [(name, value)])
    #expect(answer.status == 415)
  }

  @Test(arguments: [
    "application/json", "application/json; charset=utf-8", "text/plain", "application/x-www-form-urlencoded",
  ])
  func jsonIsTakenWhateverItIsCalled(type: String) throws {
    let harness = try SessionHarness()
    #expect(try harness.upload(BodyShapes.record(1), to: "/locations", [("Content-Type", type)]).status == 200)
    #expect(
      try harness.upload(BodyShapes.record(2), to: "/locations", [("Content-Encoding", "identity")]).status == 200)
  }

  @Test func tooManyRecordsAre413() throws {
    let harness = try SessionHarness()
    let answer = try harness.upload("[" + String(repeating: #"{"a":1},"#, count: 10_000) + #"{"a":1}]"#)
    #expect(answer.status == 413)
    #expect(try answer.errorCode == "too_many_records")
  }
}
