import JSON
import Testing

@testable import Contract

/// The decision table of `EnvelopeReader` with bodies as they come in the wild (SDK §8.2, §21, §22).
struct EnvelopeReaderTests {
  private static let flat = #"{"lat":1,"lng":2}"#
  private static let nested = #"{"uuid":"u","coords":{"latitude":1,"longitude":2}}"#
  private static let broken = #"{"uuid":"b"}"#

  @Test(arguments: [
    // Arrays of records, and what old clients wrap them into (§21).
    ("[]", FoundRecords(.bareBatch, [])),
    ("[\(flat), \(nested)]", FoundRecords(.bareBatch, [flat, nested])),
    (#"[{"location":\#(nested)},{"location":\#(flat),"x":1}]"#, FoundRecords(.bareBatch, [nested, flat])),
    (#"[{"x":1,"locati\u006fn":\#(flat)},\#(nested)]"#, FoundRecords(.bareBatch, [flat, nested])),
    (#"[{"coords":{},"location":\#(flat)}]"#, FoundRecords(.bareBatch, [#"{"coords":{},"location":\#(flat)}"#])),
    (#"[{"location":\#(flat),"time":5}]"#, FoundRecords(.bareBatch, [#"{"location":\#(flat),"time":5}"#])),
    (#"[{"location":"Berlin"}]"#, FoundRecords(.bareBatch, [#"{"location":"Berlin"}"#])),
    // A bad element is a record like the others (§22 row 2).
    ("[\(flat),null,17,\(broken),[],\(nested)]", FoundRecords(.bareBatch, [flat, "null", "17", broken, "[]", nested])),
    ("[null,\(flat)]", FoundRecords(.bareBatch, ["null", flat])), ("[null]", FoundRecords(.bareBatch, ["null"])),
    // Array templates (§7.5).
    (#"[1,2,{"trip":7}]"#, FoundRecords(.bare, [#"[1,2,{"trip":7}]"#])),
    (#"[null,"",7]"#, FoundRecords(.bare, [#"[null,"",7]"#])),
    // Where no template makes arrays, a bad element is one in front of the good ones, too.
    (#"[null,"",\#(flat)]"#, FoundRecords(.bareBatch, ["null", #""""#, flat])),
    ("[[1,2],[3,4]]", FoundRecords(.bareBatch, ["[1,2]", "[3,4]"])),
    // Bare records.
    (flat, FoundRecords(.bare, [flat])), (nested, FoundRecords(.bare, [nested])),
    (#"{"location":"Berlin","coords":{}}"#, FoundRecords(.bare, [#"{"location":"Berlin","coords":{}}"#])),
    (#"{"location":\#(flat),"time":5}"#, FoundRecords(.bare, [#"{"location":\#(flat),"time":5}"#])),
    (#"{"lat":1,"lng":2,"points":[\#(flat)]}"#, FoundRecords(.bare, [#"{"lat":1,"lng":2,"points":[\#(flat)]}"#])),
  ])
  func bareBodies(body: String, expected: FoundRecords) throws {
    #expect(try FoundRecords(in: body) == expected)
    #expect(try FoundRecords(in: " \n\(body)\t ") == expected)
  }

  @Test(arguments: [
    (#"{"location":\#(flat)}"#, FoundRecords(.wrapped, root: "location", [flat])),
    (#"{"location":[]}"#, FoundRecords(.wrappedBatch, root: "location", [])),
    (
      #"{"location":\#(broken),"a":\#(flat)}"#,
      FoundRecords(.wrapped, root: "location", [broken], params: ["a=\(flat)"])
    ),
    // A param with a time does not make a record of the body when the record has its own time or identity.
    (
      #"{"location":{"lat":1,"lng":2,"t":3},"time":5}"#,
      FoundRecords(.wrapped, root: "location", [#"{"lat":1,"lng":2,"t":3}"#], params: ["time=5"])
    ),
    (
      #"{"location":{"lat":1,"lng":2,"id":3},"time":5}"#,
      FoundRecords(.wrapped, root: "location", [#"{"lat":1,"lng":2,"id":3}"#], params: ["time=5"])
    ),
    (
      #"{"location":\#(flat),"location":\#(nested)}"#,
      FoundRecords(.wrapped, root: "location", [nested], params: ["location=\(flat)"])
    ),
    (
      #"{"location":null,"data":\#(flat)}"#,
      FoundRecords(.wrapped, root: "data", [flat], params: ["location=null"])
    ),
    // Roots that are not configured, with params that are objects and arrays themselves.
    (
      #"{"device":{"uuid":"d"},"tags":["a","b"],"l":[],"locations":[\#(broken),\#(nested)],"user_id":1}"#,
      FoundRecords(
        .wrappedBatch, root: "locations", [broken, nested],
        params: [#"device={"uuid":"d"}"#, #"tags=["a","b"]"#, "l=[]", "user_id=1"])
    ),
    (#"{"a":[[1,2]],"data":\#(flat)}"#, FoundRecords(.wrapped, root: "data", [flat], params: ["a=[[1,2]]"])),
    (
      #"{"a":["x","y"],"data":[[1,2]]}"#,
      FoundRecords(.wrappedBatch, root: "data", ["[1,2]"], params: [#"a=["x","y"]"#])
    ),
    (#"{"a":[\#(broken)],"data":[1,2]}"#, FoundRecords(.wrapped, root: "data", ["[1,2]"], params: ["a=[\(broken)]"])),
    (#"{"a":[],"data":[\#(broken)]}"#, FoundRecords(.wrappedBatch, root: "data", [broken], params: ["a=[]"])),
    // A record without coordinates is a bad record, and not the envelope of one.
    (
      #"{"data":{"uuid":"u","timestamp":5},"x":[1,2]}"#,
      FoundRecords(.wrapped, root: "data", [#"{"uuid":"u","timestamp":5}"#], params: ["x=[1,2]"])
    ),
    (
      #"{"uuid":"v","timestamp":6,"data":{"uuid":"u","timestamp":5}}"#,
      FoundRecords(.bare, [#"{"uuid":"v","timestamp":6,"data":{"uuid":"u","timestamp":5}}"#])
    ),
    // An upload with an identity and a time of its own is not the record that it holds.
    (
      #"{"id":"e","time":5,"location":{"coords":\#(flat)}}"#,
      FoundRecords(.wrapped, root: "location", [#"{"coords":\#(flat)}"#], params: [#"id="e""#, "time=5"])
    ),
    (
      #"{"id":"e","data":{"uuid":"u","timestamp":5}}"#,
      FoundRecords(.wrapped, root: "data", [#"{"uuid":"u","timestamp":5}"#], params: [#"id="e""#])
    ),
    (#"{"a":[],"data":[]}"#, FoundRecords(.wrappedBatch, root: "a", [], params: ["data=[]"])),
    (#"{"data":{"location":\#(nested)},"x":1}"#, FoundRecords(.wrapped, root: "data", [nested], params: ["x=1"])),
    (
      #"{"locations":[{"location":\#(flat)},{"location":\#(nested)}]}"#,
      FoundRecords(.wrappedBatch, root: "locations", [flat, nested])
    ),
    // Nothing that could be read: the body is the record, to be put aside.
    ("{}", FoundRecords(.bare, ["{}"])), (broken, FoundRecords(.bare, [broken])),
    (#"{"tags":["a"],"o":{}}"#, FoundRecords(.bare, [#"{"tags":["a"],"o":{}}"#])),
  ])
  func wrappedBodies(body: String, expected: FoundRecords) throws {
    #expect(try FoundRecords(in: body) == expected)
  }

  @Test func theConfiguredRootComesBeforeEverythingElse() throws {
    let body = #"{"location":\#(Self.nested),"lat":1,"lng":2,"r":\#(Self.broken)}"#
    let reader = EnvelopeReader(rootProperty: "r")
    let expected = FoundRecords(
      .wrapped, root: "r", [Self.broken], params: ["location=\(Self.nested)", "lat=1", "lng=2"])
    #expect(try FoundRecords(in: body, reader) == expected)
    #expect(try FoundRecords(in: #"{"r":5,"location":\#(Self.flat)}"#, reader).root == "location")
    #expect(try FoundRecords(in: #"{"\u0072":[1,2]}"#, reader).records == ["[1,2]"])
    #expect(try FoundRecords(in: Self.nested, reader) == FoundRecords(.bare, [Self.nested]))
  }

  @Test(arguments: [
    ("", EnvelopeError.empty), (" \r\n", .empty), ("null", .neitherObjectNorArray), ("12", .neitherObjectNorArray),
    (#""{}""#, .neitherObjectNorArray), ("<html>", .malformed(JSONError(.expectedValue, at: 0))),
    (#"{"location":{}}}"#, .malformed(JSONError(.unexpectedByteAfterText, at: 15))),
    (#"{"a":1,}"#, .malformed(JSONError(.expectedKey, at: 7))),
    // §22 row 25: a template without its quotes, whose value has a colon.
    (#"{"time":07:00,"lat":1}"#, .malformed(JSONError(.expectedCommaOrClosing, at: 10))),
    ("[\"\u{1}]", .malformed(JSONError(.unexpectedEnd, at: 4))),
  ])
  func aBodyThatIsNoJSONIsRefusedAsAWhole(body: String, error: EnvelopeError) {
    #expect(throws: error) { try FoundRecords(in: body) }
  }

  @Test func theLimitsAreMetAndExceededByOne() throws {
    let reader = EnvelopeReader(maxRecords: 3)
    for root in ["[", #"{"location":["#, #"{"other":["#] {
      let end = root == "[" ? "]" : "]}"
      let records = [Self.flat, Self.flat, Self.flat].joined(separator: ",")
      #expect(try FoundRecords(in: "\(root)\(records)\(end)", reader).records.count == 3)
      #expect(throws: EnvelopeError.tooManyRecords(limit: 3)) {
        try FoundRecords(in: "\(root)\(records),\(Self.flat)\(end)", reader)
      }
    }
    // Params are no records.
    #expect(try FoundRecords(in: #"{"location":\#(Self.flat),"n":[1,2,3,4,5]}"#, reader).records.count == 1)
  }

  @Test func aRecordMayBeAsDeepAndAsLongAsItsBody() throws {
    let deep =
      #"{"lat":1,"lng":2,"x":"# + String(repeating: "[", count: 5_000) + String(repeating: "]", count: 5_000) + "}"
    let long = #"{"lat":1,"lng":2,"photo":""# + String(repeating: "QUJD", count: 500_000) + #""}"#
    for record in [deep, long] {
      for body in [
        record, "[\(record)]", #"{"location":\#(record),"a":1}"#, #"{"location":[\#(record),\#(Self.flat)]}"#,
      ] {
        #expect(try FoundRecords(in: body).records.first == record)
      }
    }
  }

  /// The record is found; that it is wrong is for the decoder to say.
  @Test(arguments: [
    #""\ud800""#, #""\x""#, #""\u12""#, "\"\u{1}\"", "1e999", #""\ud83d\u0041""#, "NaN", "nan", "-Infinity", "True",
    "nulll", "5A4B", "01", "+1", ".5", "1.", "1e", "-", "0x10", "<%=speed%>",
  ])
  func whatARecordSaysDoesNotHarmTheOthers(value: String) throws {
    let bad = #"{"lat":1,"lng":2,"x":\#(value)}"#
    let badKey = #"{"lat":1,"lng":2,\#(value.first == "\"" ? value : #""\ud800""#):1}"#
    #expect(try FoundRecords(in: "[\(bad),\(Self.flat),\(badKey)]").records == [bad, Self.flat, badKey])
    #expect(throws: RecordProblem(.malformed)) { try RecordDecoder().decode(bad.utf8.span) }
    for (front, back) in [(#"{"location":{},"p":{"x":"#, "}}"), (#"{"p":[1,"#, #"],"location":{}}"#)] {
      // But what is in the params is in every record.
      #expect { try FoundRecords(in: front + value + back) } throws: {
        guard case .malformed(let error)? = $0 as? EnvelopeError else { return false }
        return error.offset >= front.utf8.count && error.offset <= front.utf8.count + value.utf8.count
      }
    }
  }

  @Test func anEnvelopeIsUsedAgain() throws {
    var envelope = Envelope()
    let reader = EnvelopeReader()
    try reader.read(#"{"a":1,"location":[{},{}]}"#.utf8.span, into: &envelope)
    #expect(throws: EnvelopeError.empty) { try reader.read("".utf8.span, into: &envelope) }
    try reader.read(Self.flat.utf8.span, into: &envelope)
    #expect(envelope.shape == .bare && envelope.root == nil && envelope.records == [0..<17] && envelope.params.isEmpty)
  }
}
