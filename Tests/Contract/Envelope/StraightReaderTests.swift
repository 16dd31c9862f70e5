import Support
import Testing

@testable import Contract

/// The one pass over a body finds what the two readers find, or leaves it to them.
struct StraightReaderTests {
  /// What was found of one record.
  private struct Found: Equatable {
    let record: DecodedRecord
    let range: Range<Int>
  }

  private static let whole = #"""
    {"timestamp":"2026-01-02T03:04:05.678Z","uuid":"0A1B2C3D-0000-4000-8000-00000000000F","is_moving":true,"odometer":12.5,\#
    "coords":{"latitude":48.1,"longitude":11.5,"accuracy":5,"speed":-1},"activity":{"type":"still","confidence":100},\#
    "battery":{"level":0.5,"is_charging":false},"extras":{"trip":"\u00fc","deep":[{"coords":1}]}}
    """#
  private static let flat = #"{"lat":1,"lng":2,"id":"not a uuid","event":"motionchange"}"#

  private func readStraight(_ body: [UInt8], root: String? = nil, maxRecords: Int = 10_000) -> (Envelope, [Found])? {
    var envelope = Envelope()
    var found: [Found] = []
    let reader = StraightReader(EnvelopeReader(rootProperty: root, maxRecords: maxRecords), RecordDecoder())
    let isRead = reader.read(body.span, into: &envelope) { found.append(Found(record: $0, range: $1)) }
    return isRead ? (envelope, found) : nil
  }

  /// Whether it was read in one pass; then the two readers must say the same.
  private func compare(_ text: String, root: String? = nil, maxRecords: Int = 10_000) throws -> Bool {
    let body = Array(text.utf8)
    guard let (envelope, found) = readStraight(body, root: root, maxRecords: maxRecords) else { return false }
    var expected = Envelope()
    try EnvelopeReader(rootProperty: root, maxRecords: maxRecords).read(body.span, into: &expected)
    #expect(envelope.shape == expected.shape, "\(text)")
    #expect(envelope.root == expected.root, "\(text)")
    #expect(envelope.records == expected.records, "\(text)")
    #expect(envelope.params.map(\.key) == expected.params.map(\.key), "\(text)")
    #expect(envelope.params.map(\.value) == expected.params.map(\.value), "\(text)")
    let records = try expected.records.map {
      Found(record: try RecordDecoder().decode(body.span.extracting($0)), range: $0)
    }
    #expect(found == records, "\(text)")
    return true
  }

  @Test(arguments: [
    #"{"location":\#(whole)}"#, #" { "location" : \#(whole) , "device_id" : "d" , "a" : { "b" : [ 1 ] } } "#,
    #"{"auth":null,"location":[\#(whole),\#(flat)],"device":{"location":{"lat":1}},"deep":[[{}]]}"#,
    "[\(flat),\(whole)]", "\n[ \(whole) ]\n",
  ])
  func whatTheSDKSendsIsReadInOnePass(body: String) throws {
    #expect(try compare(body))
    // Nothing of a body that ends too early counts.
    let bytes = Array(body.utf8)
    for count in bytes.indices.dropLast() where !body.utf8.dropFirst(count).allSatisfy({ $0 <= 32 }) {
      #expect(readStraight(Array(bytes.prefix(count))) == nil, "\(count)")
    }
  }

  @Test func theConfiguredRootIsTheOnlyOne() throws {
    #expect(try compare(#"{"data":[\#(Self.whole)],"x":1}"#, root: "data"))
    #expect(try !compare(#"{"location":\#(Self.whole)}"#, root: "data"))
    #expect(try !compare(#"{"data":\#(Self.whole)}"#))
    #expect(try !compare(#"{"data":\#(Self.whole),"data":\#(Self.flat)}"#, root: "data"))
  }

  @Test func tooManyRecordsAreLeft() throws {
    #expect(try compare("[\(Self.flat),\(Self.flat)]", maxRecords: 2))
    #expect(try !compare("[\(Self.flat),\(Self.flat)]", maxRecords: 1))
  }

  @Test func recordsOfTemplatesAreLeft() throws {
    let template = try TemplateSchema(#"{"lat":<%= latitude %>,"lng":<%= longitude %>}"#, kind: .location)
    let reader = StraightReader(EnvelopeReader(), RecordDecoder(templates: [template]))
    var envelope = Envelope()
    #expect(!reader.read("[\(Self.flat)]".utf8.span, into: &envelope) { _, _ in })
  }

  @Test(arguments: [
    // A record that is wrapped, that calls its coordinates `location`, or has none.
    #"[{"location":\#(whole)}]"#, #"{"location":{"location":\#(flat)}}"#,
    #"{"location":{"location":{"lat":1,"lng":2}}}"#,
    #"{"location":{"coords":{"latitude":1,"longitude":2},"location":{}}}"#, #"{"location":{"uuid":"u"}}"#,
    #"{"location":{"lat":100,"lng":2}}"#, #"{"location":[\#(flat),{"lat":"x","lng":2}]}"#,
    // A body that may be a record.
    #"{"location":\#(flat),"timestamp":5}"#, #"{"location":\#(flat),"lat":5,"lng":6}"#,
    #"{"location":\#(flat),"coords":{}}"#, #"{"location":\#(flat),"uuid":"u"}"#, flat, whole,
    // What is none, or an array template.
    #"{"location":[]}"#, "[]", "[\(flat),null]", "[null,\(flat)]", "[1,2]", "[[1,2]]", "{}", "", "1", "null",
    #"{"location":[\#(flat),7]}"#, #"{"location":"Berlin"}"#,
    // Roots that are written in another way, or twice.
    #"{"locati\u006fn":\#(flat)}"#, #"{"location":\#(flat),"location":\#(flat)}"#,
    #"{"location":\#(flat),"a\u0062":1}"#,
    // What the two readers refuse, or put aside.
    #"{"location":\#(flat),"a":"\ud800"}"#, #"{"location":\#(flat),"a":1e999}"#, #"{"location":\#(flat)}}"#,
    #"{"location":\#(flat)} x"#, #"[{"lat":1,"lng":2,"x":"\ud800"}]"#, "[\(flat) \(flat)]", "[\(flat),]",
  ])
  func theRestIsLeft(body: String) throws { #expect(try !compare(body)) }

  @Test(arguments: 1...8) func randomBodiesAreReadAsByTheTwo(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var straight = 0
    for _ in 0..<3_000 {
      let body = Self.body(&random)
      if try compare(body) { straight += 1 }
      if try compare(body, root: "data", maxRecords: 3) { straight += 1 }
    }
    // Otherwise it would have compared nothing.
    #expect(straight > 300, "seed \(seed)")
  }

  /// Of the words and forms among which a reader has to choose.
  private static func body(_ random: inout SeededGenerator) -> String {
    let value =
      random.chance(0.2) ? array(2, &random) : object(3, names: ["location", "location", "data", "device_id"], &random)
    guard random.chance(0.1) else { return value }
    var bytes = Array(value.utf8)
    bytes[random.index(below: bytes.count)] = Array(#"{}[]",:\ x0"#.utf8)[random.index(below: 11)]
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let names = [
    "location", "coords", "lat", "lng", "latitude", "timestamp", "uuid", "id", "data", "activity", "battery", "event",
    "device_id", "extras", "locati\\u006fn", "x",
  ]

  private static func object(_ depth: Int, names: [String]? = nil, _ random: inout SeededGenerator) -> String {
    let names = names ?? Self.names
    let members = (0..<random.index(below: 4)).map { _ in
      "\"\(names[random.index(below: names.count)])\":\(value(depth - 1, &random))"
    }
    return "{\(members.joined(separator: random.chance(0.9) ? "," : " , "))}"
  }

  private static func array(_ depth: Int, _ random: inout SeededGenerator) -> String {
    "[\((0..<random.index(below: 5)).map { _ in value(depth - 1, &random) }.joined(separator: ","))]"
  }

  private static func value(_ depth: Int, _ random: inout SeededGenerator) -> String {
    switch random.index(below: depth > 0 ? 20 : 8) {
    case 0: return "null"
    case 1: return "true"
    case 2: return "\(random.index(below: 200))"
    case 3: return "\"\(random.index(below: 200))\""
    case 4: return #""2026-01-02T03:04:05Z""#
    case 5: return #""\ud800""#
    case 6, 8, 9, 10, 11, 12: return flat
    case 7, 13, 14: return whole
    case 15, 16: return array(depth, &random)
    default: return object(depth, &random)
    }
  }
}
