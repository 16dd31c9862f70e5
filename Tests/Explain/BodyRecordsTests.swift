import Base
import Testing

@testable import Explain

/// Records are found in bodies of any shape, and in what is left of a body that was cut.
@Suite struct BodyRecordsTests {
  static let first = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
  static let second = "3F2504E0-4F89-41D3-9A0C-0305E82C3302"

  private func records(_ body: String) -> [String] {
    let bytes = Array(body.utf8)
    return BodyRecords.find(in: bytes).map { String(decoding: bytes[$0.range], as: UTF8.self) }
  }

  @Test func aRecordIsTheInnermostObjectWithAUUID() {
    let record = #"{"coords":{"latitude":1},"uuid":"\#(Self.first)","extras":{"a":"}{\"uuid\":"}}"#
    #expect(records(#"{"location":\#(record),"device_id":"phone-1"}"#) == [record])
    let other = #"{"uuid" : "\#(Self.second)"}"#
    #expect(records("[\(record),\(other)]") == [record, other])
  }

  /// Neither the params beside a record nor what it holds, whatever they are called.
  @Test(arguments: ["location", "data"]) func whatIsNoRecordHasNoPlace(root: String) {
    let (other, third) = (#""id":"\#(Self.second)""#, #"{"uuid":"\#(Self.second)","lat":1,"model":"x"}"#)
    let record =
      #"{"extras":{"order":{\#(other)},"stop":\#(third)},"uuid":"\#(Self.first)","coords":{"latitude":1,"longitude":2}}"#
    for body in [
      #"{"\#(root)":\#(record),"device":\#(third),\#(other)}"#,
      #"{\#(other),"device":{\#(other)},"\#(root)":[\#(record)]}"#,
      "[\(record)]", record,
    ] {
      #expect(records(body) == [record], "\(body)")
    }
    let bare = String(record.dropLast()) + #","device":\#(third)}"#
    #expect(records(bare) == [bare])
    // Cut behind the first record, and in the second one.
    let cut = #"{"device":{\#(other)},"\#(root)":[\#(record),"#
    #expect(records(cut) == [record])
    #expect(records(cut + #"{"uuid":"\#(Self.first)","lat":1,"extras":{"order":{\#(other)}},"#) == [record])
    #expect(records(#"{"\#(root)":{"uuid":"\#(Self.first)","lat":1,"extras":{"order":{\#(other)}},"#) == [])
  }

  /// As templates of apps make them.
  @Test(arguments: [
    #"{"rec":{"id":"U","p":[1,2]}}"#, #"{"id":"U","location":{"lat":1,"lng":2}}"#,
    #"{"m":{"uuid":"U"},"lat":1,"lng":2}"#,
    #"{"properties":{"uuid":"U"},"geometry":{"type":"Point","coordinates":[2,1]}}"#,
    #"{"location":{"id":"U","where":[1,2]}}"#, #"{"tags":["a","b"],"point":{"id":"U","x":1,"y":2}}"#,
  ])
  func aRecordOfATemplateIsFound(body: String) {
    #expect(records(body.replacing("U", with: Self.first)).count == 1)
  }

  @Test func otherWordsForTheUUIDAreKnown() {
    #expect(records(#"{"id":"\#(Self.first)","t":1}"#).count == 1)
    #expect(records(#"{"name":"\#(Self.first)"}"#) == [])
    #expect(records(#"{"uuid":"none"}"#) == [])
  }

  @Test func aBodyMayEndAnywhere() {
    let one = #"{"uuid":"\#(Self.first)","coords":{"latitude":1}}"#
    let body = Array((#"{"location":["# + one + "," + one.replacing(Self.first, with: Self.second) + "]}").utf8)
    for length in 0...body.count {
      let found = BodyRecords.find(in: Array(body[..<length]))
      #expect(found.count == (length < 13 + one.utf8.count ? 0 : length < 14 + 2 * one.utf8.count ? 1 : 2), "\(length)")
    }
  }
}
