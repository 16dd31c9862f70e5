import Base
import Testing

@testable import Contract

/// SDK §7.5.
struct RecordTemplateTests {
  private static func render(
    _ template: String, _ record: LocationRecord = RecordSamples.tracking, _ style: RecordStyle = .iOS
  ) -> (text: String, note: RenderNote?) {
    var renderer = RecordRenderer(style: style, locationTemplate: RecordTemplate(template, kind: .location))
    var bytes: [UInt8] = []
    let note = renderer.append(record, to: &bytes)
    return (String(decoding: bytes, as: UTF8.self), note)
  }

  private static func value(_ tag: String, _ record: LocationRecord = RecordSamples.tracking) -> String {
    let template = RecordTemplate("<%= \(tag) %>", kind: .geofence)
    var encoder = RecordEncoder(style: .iOS)
    var bytes: [UInt8] = []
    template?.append(record, &encoder, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: [
    ("latitude", "45.518019"), ("longitude", "-116.297214"), ("speed", "1.85"), ("heading", "31.06"), ("accuracy", "5"),
    ("altitude", "41.8"), ("altitude_accuracy", "3"), ("timestamp", "2026-07-28T18:34:22.563Z"),
    ("uuid", RecordSamples.upperUUID), ("event", ""), ("odometer", "507.54"), ("activity.type", "in_vehicle"),
    ("activity.confidence", "100"), ("battery.level", "0.92"), ("battery.is_charging", "false"), ("mock", "false"),
    ("is_moving", "true"), ("timestampMeta", "{}"), ("geofence.identifier", ""), ("geofence.action", ""), ("age", "30"),
    ("recorded_at", "2026-07-28T18:34:22.593Z"), ("speed_accuracy", "0.6"), ("heading_accuracy", "12"),
    ("ellipsoidal_altitude", "13.1"), ("odometer_error", "10"), ("extras", "{}"), ("geofence.extras", "{}"),
    ("nonsense", ""), ("", ""),
  ])
  func everyTagGivesItsPlainValue(tag: String, text: String) {
    #expect(Self.value(tag) == text)
  }

  @Test func tagsOfRareParts() throws {
    var record = RecordSamples.tracking
    record.event = .geofence
    record.isMock = true
    record.extras = try RenderedObject(#"{"trip":7}"#)
    record.geofence = GeofenceTrigger(
      identifier: "home", action: .enter, timestamp: record.timestamp, extras: try RenderedObject(#"{"route_id":1234}"#)
    )
    record.timestampMeta = TimestampMeta(
      time: record.timestamp, systemTime: record.timestamp, systemElapsedMilliseconds: 1, fixElapsedMilliseconds: 2)
    #expect(Self.value("event", record) == "geofence")
    #expect(Self.value("mock", record) == "true")
    #expect(Self.value("extras", record) == #"{"trip":7}"#)
    #expect(Self.value("geofence.identifier", record) == "home")
    #expect(Self.value("geofence.action", record) == "ENTER")
    #expect(Self.value("geofence.extras", record) == #"{"route_id":1234}"#)
    #expect(
      Self.value("timestampMeta", record)
        == #"{"time":1785263662563,"systemTime":1785263662563,"systemClockElapsedRealtime":1}"#)
  }

  @Test func missingValuesKeepTheTemplateJSON() throws {
    let record = LocationRecord(
      uuid: RecordSamples.uuid, timestamp: RecordSamples.time, isMoving: false, odometer: 0,
      coords: Coordinates(latitude: 1, longitude: 2), activity: Activity(.unknown, confidence: 0),
      battery: Battery(level: nil, isCharging: false))
    let texts = [
      "uuid", "timestamp", "recorded_at", "event", "activity.type", "geofence.identifier", "geofence.action",
    ]
    let members = TemplateTag.allCases.map { tag in
      let quote = texts.contains(tag.name) ? "\"" : ""
      return "\"\(tag.name)\":\(quote)<%= \(tag.name) %>\(quote)"
    }
    let template = try #require(RecordTemplate("{\(members.joined(separator: ","))}", kind: .geofence))
    #expect(template.unknownTags.isEmpty)
    var geofenceRecord = record
    geofenceRecord.event = .geofence
    var renderer = RecordRenderer(style: .android, geofenceTemplate: template)
    var bytes: [UInt8] = []
    #expect(renderer.append(geofenceRecord, to: &bytes) == nil)
    #expect(Self.value("speed", record) == "-1" && Self.value("altitude", record) == "0")
    #expect(Self.value("recorded_at", record) == "" && Self.value("battery.level", record) == "-1")
  }

  @Test(arguments: ["<%=latitude%>", "<%= latitude%>", "<%=latitude %>", "<%=\t latitude \n%>"])
  func innerSpacesAreOptional(tag: String) {
    #expect(Self.render("{\"a\":\(tag)}").text == #"{"a":45.518019}"#)
  }

  @Test func aTagThatIsNotClosedIsText() {
    #expect(Self.render(#"{"a":"<%= latitude"}"#).text == #"{"a":"<%= latitude"}"#)
    #expect(Self.render(#"{"a":"<%= %>","b":"%>"}"#).text == #"{"a":"","b":"%>"}"#)
  }

  @Test func unknownTagsAreEmptyAndReported() throws {
    let text = #"{"a":"<%= nonsense %>","b":"<%= geofence.action %>","c":<%= latitude %>}"#
    let template = try #require(RecordTemplate(text, kind: .location))
    #expect(template.unknownTags == ["nonsense", "geofence.action"])
    #expect(Self.render(text).text == #"{"a":"","b":"","c":45.518019}"#)
    #expect(RecordTemplate(text, kind: .geofence)?.unknownTags == ["nonsense"])
    #expect(RecordTemplate("", kind: .location) == nil)
  }

  @Test func noValueBreaksOutOfItsQuotes() {
    var record = RecordSamples.tracking
    record.activity.type = .other("a\",\"latitude\":0,\"b\":\"\\\n")
    #expect(
      Self.render(#"{"t":"<%= activity.type %>"}"#, record).text == #"{"t":"a\",\"latitude\":0,\"b\":\"\\\n"}"#)
  }

  @Test(arguments: [
    (#"{"uuid":<%= uuid %>}"#, 9), (#"{"event":<%= event %>}"#, 9), (#"{"a":<%= latitude %>"#, 14),
    (#"{"a":1} x"#, 8), (#"<%= latitude %>"#, 0), (#""<%= uuid %>""#, 0), ("   ", 3),
    (#"{"ü🚀":<%= event %>}"#, 6),
  ])
  func whatIsNoJSONFallsBackToTheDefaultSchema(template: String, position: Int) {
    let (text, note) = Self.render(template)
    #expect(text == RecordSamples.tracking.text())
    #expect(note == .invalidTemplate(.location, position: position))
    #expect(note?.message == "locationTemplate error: Invalid value around character \(position)")
  }

  @Test(arguments: [
    (#"{"lat":<%= latitude %>}"#, #"{"lat":45.518019,"trip":7,"k":{"lat":1}}"#),
    (#" {"trip":1, "lat":<%= latitude %> } "#, #"{"lat":45.518019,"trip":7,"k":{"lat":1}}"#),
    (#"{"tr\u0069p":1}"#, #"{"trip":7,"k":{"lat":1}}"#), ("{ }", #"{"trip":7,"k":{"lat":1}}"#),
    (#"{"extras":<%= extras %>}"#, #"{"extras":{"trip":7,"k":{"lat":1}},"trip":7,"k":{"lat":1}}"#),
  ])
  func extrasAreMergedFlatIntoAnObject(template: String, text: String) throws {
    var record = RecordSamples.tracking
    record.extras = try RenderedObject(#" {"trip":7,"k":{"lat":1}} "#)
    #expect(Self.render(template, record).text == text)
    #expect(Self.render(template, record).note == nil)
  }

  @Test func extrasAreAppendedToAnArray() throws {
    var record = RecordSamples.tracking
    #expect(Self.render("[<%=latitude%>]", record) == ("[45.518019]", nil))
    record.extras = try RenderedObject(#"{"trip":7}"#)
    #expect(Self.render(" [<%=latitude%> \n] ", record) == (#"[45.518019,{"trip":7}]"#, .extrasAppendedToArray))
    #expect(Self.render("[ ]", record).text == #"[{"trip":7}]"#)
    #expect(RenderNote.extrasAppendedToArray.message == "Appending #extras to last index of [Array]")
  }

  @Test func androidMarksAMockLocationInAnArray() throws {
    var record = RecordSamples.tracking
    record.isMock = true
    #expect(Self.render("[1]", record, .iOS).text == "[1]")
    #expect(Self.render("[1]", record, .android) == (#"[1,{"isMock":true}]"#, nil))
    record.extras = try RenderedObject(#"{"trip":7}"#)
    #expect(Self.render("[1]", record, .android).text == #"[1,{"trip":7,"isMock":true}]"#)
  }

  @Test func eachTemplateIsForItsKindOfRecord() throws {
    let location = try #require(RecordTemplate(#"{"l":1}"#, kind: .location))
    let geofence = try #require(RecordTemplate(#"{"g":"<%= geofence.identifier %>"}"#, kind: .geofence))
    var fence = RecordSamples.tracking
    fence.event = .geofence
    fence.geofence = GeofenceTrigger(identifier: "home", action: .exit, timestamp: fence.timestamp)
    func render(_ record: LocationRecord, _ location: RecordTemplate?, _ geofence: RecordTemplate?) -> String {
      var renderer = RecordRenderer(style: .iOS, locationTemplate: location, geofenceTemplate: geofence)
      var bytes: [UInt8] = []
      _ = renderer.append(record, to: &bytes)
      return String(decoding: bytes, as: UTF8.self)
    }
    #expect(render(fence, location, geofence) == #"{"g":"home"}"#)
    #expect(render(fence, location, nil) == fence.text())
    #expect(render(RecordSamples.tracking, location, geofence) == #"{"l":1}"#)
    #expect(render(RecordSamples.tracking, nil, geofence) == RecordSamples.tracking.text())
  }
}
