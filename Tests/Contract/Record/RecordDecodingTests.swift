import Base
import Testing

@testable import Contract

/// SDK §5.1, last paragraph, and §22: a server parses leniently.
struct RecordDecodingTests {
  private let decoder = RecordDecoder()

  @Test func onlyTheCoordinatesMustBeThere() throws {
    let record = try decoder.decode(#"{"coords":{"latitude":45.5,"longitude":-116.3}}"#)
    var expected = DecodedRecord()
    expected.latitude = 45.5
    expected.longitude = -116.3
    #expect(record == expected)
  }

  @Test(arguments: [
    (#"{"latitude":1.5,"longitude":2}"#, 1.5, 2.0),
    (#"{"lat":1.5,"lng":2}"#, 1.5, 2), (#"{"lat":1.5,"lon":2}"#, 1.5, 2), (#"{"lat":1.5,"long":2}"#, 1.5, 2),
    (#"{"coords":{"lat":1.5,"lng":2}}"#, 1.5, 2),
    (#"{"location":{"lat":1.5,"lng":2},"time":5}"#, 1.5, 2),
    (#"{"lat":"1.5","lng":"2"}"#, 1.5, 2), (#"{"lat":" 1.5 ","lng":"2e0"}"#, 1.5, 2),
    (#"{"l\u0061t":1.5,"ln\u0067":"\u0032"}"#, 1.5, 2),
    // The schema's name before a short form, nested before flat, else the last.
    (#"{"latitude":1.5,"lat":9,"longitude":2}"#, 1.5, 2), (#"{"lat":9,"latitude":1.5,"longitude":2}"#, 1.5, 2),
    (#"{"coords":{"latitude":1.5,"longitude":2},"latitude":9,"longitude":9}"#, 1.5, 2),
    (#"{"latitude":9,"longitude":9,"coords":{"latitude":1.5,"longitude":2}}"#, 1.5, 2),
    (#"{"lat":9,"lat":1.5,"lng":2}"#, 1.5, 2),
    (#"{"coords":{"latitude":9,"longitude":9},"coords":{"latitude":1.5,"longitude":2}}"#, 1.5, 2),
    (#"{"lat":"far","lat":1.5,"lng":2}"#, 1.5, 2), (#"{"lat":1.5,"lat":null,"lng":2}"#, 1.5, 2),
    // Nothing within extras or unknown objects counts.
    (#"{"extras":{"latitude":9,"coords":{"latitude":9}},"lat":1.5,"lng":2,"p":{"lat":9}}"#, 1.5, 2),
    (#"{"lat":90,"lng":-180}"#, 90, -180), (#"{"lat":-90,"lng":180}"#, -90, 180), (#"{"lat":0,"lng":-0.0}"#, 0, 0),
  ])
  func coordinatesAreFoundUnderAllTheirNames(text: String, latitude: Double, longitude: Double) throws {
    let record = try decoder.decode(text)
    #expect(record.latitude == latitude)
    #expect(record.longitude == longitude)
    #expect(record.unreadable.isEmpty)
  }

  @Test(
    arguments: [
      ("{}", .missingCoordinate, "latitude"),
      (#"{"coords":{"latitude":1}}"#, .missingCoordinate, "longitude"),
      (#"{"coords":{"longitude":1}}"#, .missingCoordinate, "latitude"),
      (#"{"coords":null}"#, .missingCoordinate, "latitude"), (#"{"coords":[1,2]}"#, .missingCoordinate, "latitude"),
      (#"{"lat":null,"lng":1}"#, .missingCoordinate, "latitude"),
      (#"{"lat":"","lng":1}"#, .missingCoordinate, "latitude"),
      (#"{"lat":"north","lng":1}"#, .unreadableCoordinate, "latitude"),
      (#"{"lat":1,"lng":"1,5"}"#, .unreadableCoordinate, "longitude"),
      (#"{"lat":1,"lng":true}"#, .unreadableCoordinate, "longitude"),
      (#"{"lat":[1],"lng":1}"#, .unreadableCoordinate, "latitude"),
      (#"{"lat":90.0000001,"lng":1}"#, .coordinateOutOfRange, "latitude"),
      (#"{"lat":-91,"lng":1}"#, .coordinateOutOfRange, "latitude"),
      (#"{"lat":1,"lng":180.5}"#, .coordinateOutOfRange, "longitude"),
      (#"{"lat":1,"lng":-1e300}"#, .coordinateOutOfRange, "longitude"),
      ("null", .notAnObject, nil), ("17", .notAnObject, nil), (#""text""#, .notAnObject, nil),
      ("true", .notAnObject, nil),
      ("[45.5,-116.3]", .arrayWithoutSchema, nil), ("[]", .arrayWithoutSchema, nil),
      (#"{"lat":1,"lng":2"#, .malformed, nil), ("", .malformed, nil),
    ] as [(String, RecordProblem.Code, String?)])
  func aRecordThatIsNoUseSaysWhy(text: String, code: RecordProblem.Code, key: String?) {
    let problem = #expect(throws: RecordProblem.self) { try decoder.decode(text) }
    #expect(problem?.code == code)
    #expect(problem?.key == key)
  }

  /// Seconds below 10^11, milliseconds below 10^14, microseconds below 10^17.
  @Test(
    arguments: [
      (#""2026-07-28T18:34:22.563Z""#, 1_785_263_662_563), (#""2026-07-28T20:34:22.563+02:00""#, 1_785_263_662_563),
      ("1785263662563", 1_785_263_662_563), (#""1785263662563""#, 1_785_263_662_563),
      ("1785263662.563", 1_785_263_662_563), ("1785263662", 1_785_263_662_000),
      ("1785263662563999", 1_785_263_662_563), ("99999999999", 99_999_999_999_000), ("100000000000", 100_000_000_000),
      ("99999999999999", 99_999_999_999_999), ("100000000000000", 100_000_000_000), ("0", 0), ("-1", -1_000),
    ] as [(String, Int64)])
  func timesAreTextsOrCountsOfTheirUnit(text: String, milliseconds: Int64) throws {
    for key in ["timestamp", "time", "ts", "t"] {
      let record = try decoder.decode(#"{"lat":1,"lng":2,"\#(key)":\#(text),"recorded_at":\#(text)}"#)
      #expect(record.timestamp?.millisecondsSince1970 == milliseconds)
      #expect(record.recordedAt?.millisecondsSince1970 == milliseconds)
    }
  }

  @Test(arguments: [#""yesterday""#, #""2026-07-28T18:34:22""#, "100000000000000000", "true", "{}", "1e300"])
  func aTimeThatCanNotBeReadLeavesTheRecordGood(text: String) throws {
    let record = try decoder.decode(#"{"timestamp":\#(text),"lat":1,"lng":2}"#)
    #expect(record.timestamp == nil)
    #expect(record.unreadable.fields == [.timestamp])
  }

  @Test func aFlatRecordSaysAsMuchAsANestedOne() throws {
    let record = try decoder.decode(
      """
      {"lat":"1","lng":"2","acc":"5.5","speed":"-1","bearing":"90","alt":"12","id":"\(RecordSamples.lowerUUID)",
       "t":1785263662,"is_moving":"true","odometer":"507.54","event":"motionchange","activity.type":"on_foot",
       "battery.level":"0.5","battery.is_charging":"0","geofence.identifier":"home","geofence.action":"ENTER","mock":1}
      """)
    #expect(record.accuracy == 5.5 && record.speed == nil && record.heading == 90 && record.altitude == 12)
    #expect(record.uuid == RecordSamples.uuid && record.timestamp?.millisecondsSince1970 == 1_785_263_662_000)
    #expect(record.isMoving == true && record.odometer == 507.54 && record.event == .motionchange && record.isMock)
    #expect(record.activityType == .onFoot && record.batteryLevel == 0.5 && record.isCharging == false)
    #expect(record.geofenceIdentifier == "home" && record.geofenceAction == "ENTER")
    #expect(record.unreadable.isEmpty)
  }

  @Test func aScalarInPlaceOfAnObjectIsItsMainFact() throws {
    let record = try decoder.decode(#"{"lat":1,"lng":2,"activity":"still","battery":0.25,"geofence":"home"}"#)
    #expect(record.activityType == .still && record.batteryLevel == 0.25 && record.geofenceIdentifier == "home")
  }

  @Test func minusOneIsUnknownWhereTheSDKSaysSo() throws {
    let record = try decoder.decode(
      #"{"coords":{"latitude":-1,"longitude":-1,"accuracy":-1,"speed":-1,"heading":-1,"altitude":-1},"#
        + #""battery":{"level":-1},"odometer":-1}"#)
    #expect(record.accuracy == nil && record.speed == nil && record.heading == nil && record.batteryLevel == nil)
    #expect(record.altitude == -1 && record.odometer == -1 && record.latitude == -1)
    #expect(record.unreadable.isEmpty)
  }

  @Test(arguments: [
    (#""uuid":"5A4B""#, "5A4B"), (#""uuid":17"#, "17"),
    (#""uuid":"\#(RecordSamples.upperUUID)x""#, RecordSamples.upperUUID + "x"),
  ])
  func anIdentityOfAnotherFormIsPointedAt(member: String, text: String) throws {
    let body = #"{"lat":1,"lng":2,\#(member)}"#
    let record = try decoder.decode(body)
    let range = try #require(record.foreignIdentity)
    #expect(record.uuid == nil)
    #expect(String(decoding: Array(body.utf8)[range], as: UTF8.self) == text)
  }

  @Test func idIsTheIdentityOnlyWithTheFormOfAUUID() throws {
    #expect(try decoder.decode(#"{"lat":1,"lng":2,"id":17}"#).foreignIdentity == nil)
    #expect(try decoder.decode(#"{"lat":1,"lng":2,"id":"driver 7"}"#).foreignIdentity == nil)
    let both = try decoder.decode(
      #"{"uuid":"\#(RecordSamples.lowerUUID)","lat":1,"lng":2,"id":"00000000-0000-0000-0000-000000000000"}"#)
    #expect(both.uuid == RecordSamples.uuid)
  }

  @Test func anyEventIsAccepted() throws {
    #expect(try decoder.decode(#"{"lat":1,"lng":2,"event":"heartbeat"}"#).event == .heartbeat)
    #expect(
      try decoder.decode(#"{"lat":1,"lng":2,"event":"ev\u0065nt of tomorrow"}"#).event == .other("event of tomorrow"))
    #expect(try decoder.decode(#"{"lat":1,"lng":2,"event":""}"#).event == nil)
  }

  @Test func anArrayIsReadWithASchema() throws {
    let text = #"[<%= latitude %>,<%= longitude %>,"<%= event %>",<%= is_moving %>,[7],"<%= timestamp %>"]"#
    let decoder = RecordDecoder(templates: [try TemplateSchema(text, kind: .location)])
    let record = try decoder.decode(
      #"[45.5,-116.3,"",true,[1],"2026-07-28T18:34:22.563Z",{"trip":7}]"#)
    #expect(record.latitude == 45.5 && record.longitude == -116.3 && record.event == nil && record.isMoving == true)
    #expect(record.timestamp == RecordSamples.time)
    #expect(throws: RecordProblem.self) { try decoder.decode("[45.5]") }
  }
}
