import JSON
import Store
import Testing

@testable import IngestServer

/// The bodies of SDK §8.2 and §8.7, each as the SDK writes it.
enum BodyShapes {
  static func record(_ number: Int) -> String {
    #"{"uuid":"5A4B0000-0000-4000-8000-00000000000\#(number)","timestamp":"2026-07-28T18:34:2\#(number).563Z","#
      + #""is_moving":true,"odometer":507.54,"coords":{"latitude":45.518019,"longitude":-116.297214,"accuracy":4.2},"#
      + #""activity":{"type":"in_vehicle","confidence":100},"battery":{"level":0.5,"is_charging":false},"extras":{},"x":\#(number)}"#
  }

  static let template =
    #"{"lat":45.518019,"lng":-116.297214,"t":"2026-07-28T18:34:22.563Z","id":"5A4B0000-0000-4000-8000-000000000009","trip":7,"user_id":1234}"#

  /// What is sent, and how many records it holds.
  static let all: [(name: String, body: String, count: Int)] = [
    ("single", #"{"location":\#(record(1)),"user_id":1234}"#, 1),
    ("single under another root", #"{"fix":\#(record(1)),"user_id":1234}"#, 1),
    ("single without root", record(1), 1),
    ("single without root, params merged", String(record(1).dropLast()) + #","user_id":1234}"#, 1),
    ("batch", #"{"location":[\#(record(1)),\#(record(2))],"user_id":1234}"#, 2),
    ("batch of one", #"{"locations":[\#(record(5))],"user_id":1234}"#, 1),
    ("batch under another root", #"{"data":[\#(record(1)),\#(record(2)),\#(record(3))]}"#, 3),
    ("batch without root", "[\(record(1)),\(record(2))]", 2),
    ("array of wrapped records", #"[{"location":\#(record(1))},{"location":\#(record(2))}]"#, 2),
    ("object template", template, 1),
    ("batch of templates", #"{"points":[\#(template)],"user_id":1}"#, 1),
    ("empty batch", "[]", 0),
    ("empty batch under a root", #"{"location":[]}"#, 0),
  ]
}

@Suite struct BodyShapesTests {
  @Test(arguments: BodyShapes.all.indices)
  func everyShapeIsStoredWholeAndOnce(index: Int) throws {
    let (name, body, count) = BodyShapes.all[index]
    let harness = try SessionHarness()
    let first = try harness.upload(body)
    #expect(first.status == 200 && first.text == #"{"accepted":\#(count),"duplicate":0,"quarantined":0}"#, "\(name)")
    let again = try harness.upload(body)
    #expect(again.text == #"{"accepted":0,"duplicate":\#(count),"quarantined":0}"#, "\(name)")
    #expect(try harness.reader.countStored() == count, "\(name)")
  }

  @Test(arguments: ["POST", "PUT", "PATCH"])
  func everyMethodUploads(method: String) throws {
    let harness = try SessionHarness()
    #expect(try harness.request(method, "/locations", body: BodyShapes.record(1)).status == 200)
  }

  @Test func aChunkedBodyIsTheSameBody() throws {
    let harness = try SessionHarness()
    harness.send("POST /locations HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
    for byte in BodyShapes.record(1).utf8 { harness.send("1\r\n\(Character(Unicode.Scalar(byte)))\r\n") }
    harness.send("0\r\n\r\n")
    #expect(try harness.answer()?.json()["accepted"] == .integer(1))
  }

  @Test func aConfiguredRootWinsOverWhatLooksLikeRecords() throws {
    let harness = try SessionHarness { $0.rootProperty = "fixes" }
    let body = #"{"location":\#(BodyShapes.record(1)),"fixes":[\#(BodyShapes.record(2)),\#(BodyShapes.record(3))]}"#
    #expect(try harness.upload(body).json()["accepted"] == .integer(2))
  }

  @Test func aRecordIsStoredByteForByteWithUnknownKeys() throws {
    let harness = try SessionHarness()
    let odd =
      #"{ "uuid" : "5A4B0000-0000-4000-8000-000000000001", "coords":{"latitude":1,"longitude":2}, "zeta":[1, {"ü":"\u00fc"}] }"#
    #expect(
      try harness.upload(
        #"{"location":[\#(odd)], "trip \"7\"" : {"a": 1}, "n":null}"#, to: "/locations", [("X-Device-Id", "a")]
      ).status == 200)
    let point = try #require(try harness.reader.history(of: DeviceIdentity(name: "a"), limit: 10).elements.first)
    #expect(String(decoding: point.record, as: UTF8.self) == odd)
    #expect(String(decoding: point.parameters, as: UTF8.self) == #"{"trip \"7\"":{"a": 1},"n":null}"#)
  }

  @Test func templatesWithoutIdentityAreKnownByTheirBytes() throws {
    let harness = try SessionHarness()
    let one = #"{"lat":1.5,"lng":2.5}"#
    #expect(
      try harness.upload("[\(one),\(one),{\"lat\":1.5,\"lng\":2.6}]").text
        == #"{"accepted":2,"duplicate":1,"quarantined":0}"#)
    #expect(try harness.upload(one).text == #"{"accepted":0,"duplicate":1,"quarantined":0}"#)
  }

  @Test func anIdentityThatIsNoUUIDIsOneAllTheSame() throws {
    let harness = try SessionHarness()
    let bodies = [#"{"uuid":"fix-1","lat":1,"lng":2}"#, #"{"uuid":"fix-1", "lat":1, "lng":2, "user":7}"#]
    #expect(try harness.upload(bodies[0]).json()["accepted"] == .integer(1))
    #expect(try harness.upload(bodies[1]).json()["duplicate"] == .integer(1))
  }

  @Test func theSameRecordOfTwoDevicesIsTwoRecords() throws {
    let harness = try SessionHarness()
    for device in ["a", "b"] {
      let answer = try harness.upload(BodyShapes.record(1), to: "/locations", [("X-Device-Id", device)])
      #expect(try answer.json()["accepted"] == .integer(1))
    }
  }
}
