import Base
import Testing

@testable import Contract

/// Templates read backwards: what a device makes with one, a server that knows it understands.
struct TemplateSchemaTests {
  private func decoder(_ texts: String..., geofence: String? = nil) throws -> RecordDecoder {
    var schemas = try texts.map { try TemplateSchema($0, kind: .location) }
    if let geofence { schemas.append(try TemplateSchema(geofence, kind: .geofence)) }
    return RecordDecoder(templates: schemas)
  }

  /// Of every shape, with the values where no alias would look for them.
  static let templates = [
    #"[<%= latitude %>,<%= longitude %>,"<%= timestamp %>","<%= uuid %>"]"#,
    #"["<%= uuid %>", {"where": [<%= longitude %>, <%= latitude %>]}, "<%= timestamp %>"]"#,
    #"{"y":<%= latitude %>,"x":<%= longitude %>,"when":"<%= timestamp %>","key":"<%= uuid %>"}"#,
    #"{"y":"<%= latitude %>","x":"<%=longitude%>","w":"<%= timestamp %>","k":"<%= uuid %>","v":1,"lat":0,"t":"<%= activity.type %>"}"#,
    """
    {"type":"Feature","geometry":{"type":"Point","coordinates":[<%= longitude %>,<%= latitude %>,<%= altitude %>]},
     "properties":{"id":"<%= uuid %>","at":"<%= timestamp %>","speed":<%= speed %>}}
    """,
  ]

  @Test(arguments: templates) func whatADeviceRendersIsUnderstood(text: String) throws {
    let template = try #require(RecordTemplate(text, kind: .location))
    var renderer = RecordRenderer(style: .iOS, locationTemplate: template)
    let decoder = try decoder(text)
    for extras in ["{}", #"{"lat":9,"y":8,"trip":7}"#] where !(extras != "{}" && text.contains("\"y\"")) {
      var record = RecordSamples.tracking
      record.extras = try RenderedObject(extras)
      var bytes: [UInt8] = []
      _ = renderer.append(record, to: &bytes)
      let found = try decoder.decode(bytes.span)
      #expect(found.latitude == record.coords.latitude && found.longitude == record.coords.longitude)
      #expect(found.uuid == record.uuid)
      #expect(found.timestamp == record.timestamp)
    }
  }

  @Test func aKeyMeansWhatTheTemplateSays() throws {
    let decoder = try decoder(
      #"{"lng":<%= latitude %>,"lat":<%= longitude %>,"id":"<%= event %>","time":"<%= age %>"}"#)
    let record = try decoder.decode(#"{"lng":1,"lat":2,"id":"motionchange","time":"7","uuid":"x","speed":3}"#)
    #expect(record.latitude == 1 && record.longitude == 2 && record.event?.name == "motionchange")
    #expect(record.timestamp == nil && record.uuid == nil && record.foreignIdentity == nil && record.speed == nil)
  }

  @Test func anEscapedKeyIsTheKey() throws {
    let decoder = try decoder(#"{"\u0079":<%= latitude %>,"x\"":<%= longitude %>}"#)
    #expect(try decoder.decode(#"{"y":1,"x\u0022":2}"#).latitude == 1)
  }

  @Test func aRecordThatTheTemplateDidNotMakeHasTheDefaultSchema() throws {
    let decoder = try decoder(Self.templates[2])
    let record = try decoder.decode(#"{"coords":{"latitude":1,"longitude":2},"y":50,"x":60}"#)
    #expect(record.latitude == 1 && record.longitude == 2)
    #expect(throws: RecordProblem.self) { try decoder.decode(#"{"y":50,"x":60}"#) }
  }

  @Test(arguments: [
    ("[1,2,true]", true), (#"[1,2,true,{"trip":7}]"#, true), ("[1,2]", false), ("[1,2,true,7]", false),
    (#"[1,2,true,{},{}]"#, false), ("[]", false), (#"{"lat":1,"lng":2}"#, true),
  ])
  func anArrayHasTheLengthOfItsTemplateOrTheExtrasMore(text: String, isUnderstood: Bool) throws {
    let decoder = try decoder("[<%= latitude %>,<%= longitude %>,<%= is_moving %>]")
    if isUnderstood {
      #expect(try decoder.decode(text).latitude == 1)
    } else {
      #expect(throws: RecordProblem(.arrayWithoutSchema)) { try decoder.decode(text) }
    }
  }

  @Test func geofenceRecordsHaveATemplateOfTheirOwn() throws {
    let arrays = try decoder(
      #"[<%= latitude %>,<%= longitude %>]"#,
      geofence: #"["<%= geofence.identifier %>",<%= latitude %>,<%= longitude %>]"#)
    #expect(try arrays.decode("[1,2]").geofenceIdentifier == nil)
    let crossing = try arrays.decode(#"["home",1,2]"#)
    #expect(crossing.geofenceIdentifier == "home" && crossing.latitude == 1)
    let objects = try decoder(
      #"{"y":<%= latitude %>,"x":<%= longitude %>}"#,
      geofence: #"{"y":<%= latitude %>,"x":<%= longitude %>,"f":"<%= geofence.identifier %>"}"#)
    #expect(try objects.decode(#"{"y":1,"x":2}"#).geofenceIdentifier == nil)
    #expect(try objects.decode(#"{"y":1,"x":2,"f":"home"}"#).geofenceIdentifier == "home")
  }

  @Test(arguments: [
    ("", "missing"), ("[<%= latitud %>,<%= longitude %>]", "did you mean latitude?"),
    ("[<%= latitude %>,<%= longitude %>", "JSON"), ("[<%= latitude %>]", "latitude and longitude"),
    (#"["<%= latitude %>;<%= longitude %>"]"#, "latitude and longitude"), ("<%= latitude %>", "latitude and longitude"),
    ("[<%= latitude %>,<%= longitude %>]]", "JSON"),
    (#"[<%= latitude %>,<%= longitude %>,"<%= geofence.action %>"]"#, "known tags"),
  ])
  func aTemplateThatGivesNoPlaceIsRefused(text: String, reason: String) {
    do throws(FieldError) {
      _ = try TemplateSchema(text, kind: .location)
      Issue.record("\(text) was taken")
    } catch {
      #expect(error.description.contains(reason), "\(error)")
    }
  }

  @Test func aBodyThatATemplateMakesIsTheRecordWhateverItLooksLike() throws {
    let schema = try TemplateSchema(#"{"p":[<%= longitude %>,<%= latitude %>],"k":"<%= uuid %>"}"#, kind: .location)
    let body = Array(#"{"p":[2,1],"k":"fix","user":7}"#.utf8)
    var envelope = Envelope()
    try EnvelopeReader(templates: [schema]).read(body.span, into: &envelope)
    #expect(envelope.records == [0..<body.count])
    // Without the template the array looks like the record.
    try EnvelopeReader().read(body.span, into: &envelope)
    #expect(envelope.records == [5..<10])
  }
}
