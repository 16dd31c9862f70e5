import ServerSupport
import Store
import Support
import Testing

@testable import IngestServer

/// A device sends a record until it is acknowledged, and nothing behind it before: whatever one record is like, it must
/// not hold up the others.
@Suite struct UnusualRecordTests {
  /// A photo of a mebibyte and a half in the extras.
  private static let long =
    #"{"lat":1,"lng":2,"extras":{"photo":""# + String(repeating: "QUJD", count: 400_000) + #""}}"#
  private static let deep =
    #"{"lat":3,"lng":4,"extras":{"tree":"# + String(repeating: #"{"a":["#, count: 300)
    + String(repeating: "]}", count: 300) + "}}"
  /// Half of an emoji, as a program that cuts texts in the middle leaves it.
  private static let halved = #"{"lat":5,"lng":6,"extras":{"note":"\ud83d"}}"#
  private static let huge = #"{"lat":7,"lng":8,"extras":{"n":1e999}}"#

  private func stored(_ harness: SessionHarness) throws -> Set<String> {
    let rows = try harness.reader.history(of: DeviceIdentity(name: "a"), limit: 10).elements
    return Set(rows.map { String(decoding: $0.record, as: UTF8.self) })
  }

  @Test(arguments: [long, deep]) func aLongOrDeepRecordIsStoredAsItCame(record: String) throws {
    for body in [record, #"{"location":\#(record)}"#, "[\(record)]"] {
      let harness = try SessionHarness()
      let answer = try harness.upload(body, to: "/locations", [("X-Device-Id", "a")])
      #expect(answer.text == #"{"accepted":1,"duplicate":0,"quarantined":0}"#)
      #expect(try stored(harness) == [record])
    }
  }

  /// Also in front of the others.
  @Test(arguments: ["NaN", "hello", "1e999", "5", #""x""#, "true", halved, huge, "{}"])
  func aBadRecordInFrontOfAGoodOneIsQuarantinedAlone(record: String) throws {
    for body in [#"{"location":[\#(record),\#(Self.deep)],"device_id":"a"}"#, "[\(record),\(Self.deep)]"] {
      let harness = try SessionHarness()
      let answer = try harness.upload(body, to: "/locations", [("X-Device-Id", "a")])
      #expect(answer.text == #"{"accepted":1,"duplicate":0,"quarantined":1}"#)
      #expect(try stored(harness) == [Self.deep])
    }
  }

  @Test(arguments: [halved, huge]) func anUnreadableRecordIsQuarantinedAlone(record: String) throws {
    for (body, good) in [
      (record, 0), (#"{"location":\#(record),"device_id":"a"}"#, 0), ("[\(Self.deep),\(record)]", 1),
    ] {
      let harness = try SessionHarness()
      let answer = try harness.upload(body, to: "/locations", [("X-Device-Id", "a")])
      #expect(answer.text == #"{"accepted":\#(good),"duplicate":0,"quarantined":1}"#)
      let aside = try harness.reader.quarantine(QuarantineSelection(run: ""), limit: 10).elements
      #expect(aside.map { String(decoding: $0.record, as: UTF8.self) } == [record])
      #expect(aside.map(\.reason) == ["malformed"])
    }
  }

  @Test func aMixedBatchIsDividedAndItsDeviceStillFound() throws {
    let harness = try SessionHarness()
    let named = #"{"lat":9,"lng":9,"device_id":"a"}"#
    let body = "[\([Self.halved, named, Self.long, Self.huge, Self.deep].joined(separator: ","))]"
    #expect(try harness.upload(body).text == #"{"accepted":3,"duplicate":0,"quarantined":2}"#)
    #expect(try stored(harness) == [named, Self.long, Self.deep])
    #expect(try harness.upload(body).text == #"{"accepted":0,"duplicate":5,"quarantined":0}"#)
  }

  /// It is the body that is cut, so no record in it can be told from the next.
  @Test(arguments: [long, deep, halved]) func aBodyThatEndsTooEarlyIsStill400(record: String) throws {
    let harness = try SessionHarness()
    for cut in [1, 3, record.utf8.count / 2] {
      let body = #"{"location":[{"lat":1,"lng":2},"# + String(record.dropLast(cut))
      #expect(try harness.upload(body).errorCode == "malformed_json")
    }
    #expect(try harness.reader.countStored() == 0)
  }

  @Test func curlSendsThemToo() throws {
    let server = try IngestServer(.loopback())
    defer { server.stop() }
    let folder = try TemporaryFolder()
    try folder.write(Array("[\([Self.long, Self.halved, Self.deep].joined(separator: ","))]".utf8), to: "body")
    #expect(
      try Curl.run(["--data-binary", "@\(folder.file("body"))", "\(server.url)/locations/a"])
        == #"{"accepted":2,"duplicate":0,"quarantined":1} 200"#)
    #expect(try Curl.run(["\(server.url)/admin/v1/devices/a/locations"]).hasSuffix(" 200"))
  }
}
