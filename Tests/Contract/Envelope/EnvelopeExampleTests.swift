import Testing

@testable import Contract

/// The examples of SDK §8.7 from the record to what the server finds.
struct EnvelopeExampleTests {
  private let params: RenderedObject

  init() throws { params = try RenderedObject(#"{"user_id":1234}"#) }

  private func single(_ record: String, root: String) -> String {
    var bytes: [UInt8] = []
    _ = EnvelopeWriter(rootProperty: root, params: params).appendSingle(record.utf8.span, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func batch(_ records: [String], root: String) -> String {
    let writer = EnvelopeWriter(rootProperty: root, params: params)
    var bytes: [UInt8] = []
    _ = writer.beginBatch(to: &bytes)
    for record in records { writer.appendToBatch(record.utf8.span, to: &bytes) }
    writer.endBatch(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func render(_ record: LocationRecord, _ template: String) -> String {
    var renderer = RecordRenderer(style: .iOS, locationTemplate: RecordTemplate(template, kind: .location))
    var bytes: [UInt8] = []
    _ = renderer.append(record, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func aSingleRecordInTheDefaultSchemaWithParams() throws {
    let record = RecordSamples.tracking.text(.android)
    let body = single(record, root: "location")
    #expect(body == "{\"location\":\(record),\"user_id\":1234}")
    #expect(
      try FoundRecords(in: body) == FoundRecords(.wrapped, root: "location", [record], params: ["user_id=1234"]))
  }

  @Test func batchesUnderTheRootLocations() throws {
    let records = [RecordSamples.tracking.text(.iOS), RecordSamples.tracking.text(.android)]
    let body = batch(records, root: "locations")
    #expect(body == "{\"locations\":[\(records[0]),\(records[1])],\"user_id\":1234}")
    #expect(
      try FoundRecords(in: body) == FoundRecords(.wrappedBatch, root: "locations", records, params: ["user_id=1234"]))
    let last = batch([records[1]], root: "locations")
    #expect(last == "{\"locations\":[\(records[1])],\"user_id\":1234}")
  }

  @Test func anObjectTemplateWithoutRoot() throws {
    var record = RecordSamples.tracking
    record.extras = try RenderedObject(#"{"trip":7}"#)
    let template = #"{"lat":<%= latitude %>,"lng":<%= longitude %>,"t":"<%= timestamp %>","id":"<%= uuid %>"}"#
    let body = single(render(record, template), root: ".")
    #expect(
      body == #"{"lat":45.518019,"lng":-116.297214,"t":"2026-07-28T18:34:22.563Z","id":"\#(RecordSamples.upperUUID)","#
        + #""trip":7,"user_id":1234}"#)
    #expect(try FoundRecords(in: body) == FoundRecords(.bare, [body]))
    let decoded = try RecordDecoder().decode(body)
    #expect(decoded.uuid == RecordSamples.uuid && decoded.timestamp == RecordSamples.time)
  }

  @Test func anArrayTemplateInABatchUnderData() throws {
    var first = RecordSamples.tracking
    first.coords = Coordinates(latitude: 45.5, longitude: -116.3)
    first.extras = try RenderedObject(#"{"trip":7}"#)
    var second = first
    second.coords = Coordinates(latitude: 45.6, longitude: -116.3)
    second.event = .motionchange
    second.isMoving = false
    let template = #"[<%=latitude%>,<%=longitude%>,"<%=event%>",<%=is_moving%>]"#
    let records = [first, second].map { render($0, template) }
    let body = batch(records, root: "data")
    #expect(
      body
        == #"{"data":[[45.5,-116.3,"",true,{"trip":7}],[45.6,-116.3,"motionchange",false,{"trip":7}]],"user_id":1234}"#)
    #expect(
      try FoundRecords(in: body) == FoundRecords(.wrappedBatch, root: "data", records, params: ["user_id=1234"]))
  }

  @Test func withoutRootTheRecordKeepsWhatItHasUnderTheNameOfAParam() throws {
    let params = try RenderedObject(#"{"tr\u0069p":8,"user_id":1234}"#)
    func single(_ record: String) -> String {
      var bytes: [UInt8] = []
      _ = EnvelopeWriter(rootProperty: ".", params: params).appendSingle(record.utf8.span, to: &bytes)
      return String(decoding: bytes, as: UTF8.self)
    }
    #expect(single(#"{"lat":1,"trip":7,"lng":2}"#) == #"{"lat":1,"trip":7,"lng":2,"user_id":1234}"#)
    #expect(single(#"{"\u0074rip":{"trip":7}}"#) == #"{"\u0074rip":{"trip":7},"user_id":1234}"#)
    #expect(single("{}") == #"{"tr\u0069p":8,"user_id":1234}"#)
    // Of a queue whose file is damaged: the app goes on.
    #expect(single(#"{"lat":1,"#) == #"{"lat":1,"# && single("") == "")
  }

  @Test func aRootMayBeAnyText() throws {
    let body = single(#"{"lat":1,"lng":2}"#, root: "a\"b\\ü")
    #expect(body == #"{"a\"b\\ü":{"lat":1,"lng":2},"user_id":1234}"#)
    let found = try FoundRecords(in: body, EnvelopeReader(rootProperty: "a\"b\\ü"))
    #expect(found.records == [#"{"lat":1,"lng":2}"#])
  }
}
