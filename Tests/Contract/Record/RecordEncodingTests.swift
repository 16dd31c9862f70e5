import Base
import Testing

@testable import Contract

/// SDK §5.1 to §5.3.
struct RecordEncodingTests {
  @Test func aTrackingRecordOnIOSHasUpperCaseAndNoEmptyExtras() {
    #expect(
      RecordSamples.tracking.text(.iOS) == """
        {"timestamp":"2026-07-28T18:34:22.563Z","recorded_at":"2026-07-28T18:34:22.593Z","age":30,\
        "uuid":"\(RecordSamples.upperUUID)","is_moving":true,"odometer":507.54,"odometer_error":10,\
        "coords":{"latitude":45.518019,"longitude":-116.297214,"accuracy":5,"speed":1.85,"speed_accuracy":0.6,\
        "heading":31.06,"heading_accuracy":12,"altitude":41.8,"altitude_accuracy":3,"ellipsoidal_altitude":13.1},\
        "activity":{"type":"in_vehicle","confidence":100},"battery":{"level":0.92,"is_charging":false}}
        """)
  }

  @Test func onAndroidTheUUIDIsLowerCaseTheAltitudeEllipsoidalAndExtrasAreAlwaysThere() {
    #expect(
      RecordSamples.tracking.text(.android) == """
        {"timestamp":"2026-07-28T18:34:22.563Z","recorded_at":"2026-07-28T18:34:22.593Z","age":30,\
        "uuid":"\(RecordSamples.lowerUUID)","is_moving":true,"odometer":507.54,"odometer_error":10,\
        "coords":{"latitude":45.518019,"longitude":-116.297214,"accuracy":5,"speed":1.85,"speed_accuracy":0.6,\
        "heading":31.06,"heading_accuracy":12,"altitude":13.1,"altitude_accuracy":3,"ellipsoidal_altitude":13.1},\
        "activity":{"type":"in_vehicle","confidence":100},"battery":{"level":0.92,"is_charging":false},"extras":{}}
        """)
  }

  @Test func whatTheDeviceCouldNotTellIsMinusOne() {
    var record = LocationRecord(
      uuid: RecordSamples.uuid, timestamp: RecordSamples.time, isMoving: false, odometer: 0,
      coords: Coordinates(latitude: 0, longitude: -0.5), activity: Activity(.unknown, confidence: 0),
      battery: Battery(level: nil, isCharging: false))
    let missing = #""accuracy":-1,"speed":-1,"speed_accuracy":-1,"heading":-1,"heading_accuracy":-1,"#
    let ios = record.text(.iOS)
    #expect(ios.contains(#"{"latitude":0,"longitude":-0.5,\#(missing)"altitude":0,"altitude_accuracy":-1},"#))
    #expect(ios.contains(#""battery":{"level":-1,"is_charging":false}"#))
    let android = record.text(.android)
    #expect(android.contains(#"{"latitude":0,"longitude":-0.5,\#(missing)"altitude_accuracy":-1},"#))
    for absent in ["recorded_at", "age", "event", "odometer_error", "mock", "sample", "provider", "geofence", "floor"] {
      #expect(!android.contains("\"\(absent)\""), "\(absent)")
    }

    record.coords.speed = .nan
    record.coords.altitude = .infinity
    record.coords.ellipsoidalAltitude = -.infinity
    #expect(record.text(.iOS) == ios)
    #expect(record.text(.android) == android)
  }

  @Test(arguments: [
    (1.005, "1"), (1.994, "1.99"), (1.995000001, "2"), (0.1, "0.1"), (0.05, "0.05"), (0.004, "0"), (-0.004, "0"),
    (-0.006, "-0.01"), (-116.297214, "-116.3"), (100, "100"), (1234.5, "1234.5"), (1e20, "100000000000000000000"),
  ])
  func quantitiesAreRoundedToTwoDecimals(number: Double, text: String) throws {
    var record = RecordSamples.tracking
    record.odometer = number
    let encoded = record.text()
    let decoded = try RecordDecoder().decode(encoded)
    if number < 1e15 { #expect(encoded.contains("\"odometer\":\(text),")) }
    #expect(decoded.odometer == Double(text))
  }

  @Test func coordinatesKeepAllTheirDigits() throws {
    var record = RecordSamples.tracking
    record.coords = Coordinates(latitude: 45.51801912345678, longitude: -1e-7)
    let decoded = try RecordDecoder().decode(record.text())
    #expect(decoded.latitude == 45.51801912345678)
    #expect(decoded.longitude == -1e-7)
  }

  @Test func epochMeansIntegerMillisecondsForBothTimes() {
    var style = RecordStyle.iOS
    style.timestampFormat = .epoch
    #expect(RecordSamples.tracking.text(style).hasPrefix(#"{"timestamp":1785263662563,"recorded_at":1785263662593,"#))
  }

  @Test func eventsComeWithTheirObjects() throws {
    var record = RecordSamples.tracking
    record.event = .geofence
    record.geofence = GeofenceTrigger(
      identifier: "Te\"st", action: .exit, timestamp: record.timestamp, extras: try RenderedObject(#"{ "k": "v" }"#))
    #expect(
      record.text().contains(
        #""event":"geofence","geofence":{"identifier":"Te\"st","action":"EXIT","#
          + #""timestamp":"2026-07-28T18:34:22.563Z","extras":{"k": "v"}},"is_moving":true"#))
    record.geofence = nil
    record.event = .providerchange
    record.provider = ProviderState(
      isEnabled: true, authorizationStatus: 3, hasGPS: true, hasNetwork: true, accuracyAuthorization: 0)
    #expect(
      record.text().contains(
        #""event":"providerchange","provider":{"enabled":true,"status":3,"gps":true,"network":true,"#
          + #""accuracyAuthorization":0},"is_moving""#))
  }

  @Test func rarePartsStandWhereTheyBelong() throws {
    var record = RecordSamples.tracking
    record.isMock = true
    record.isSample = true
    record.coords.floor = -2
    record.activities = [Activity(.still, confidence: 7), Activity(.other("sk\\i"), confidence: 3)]
    record.extras = try RenderedObject(#"{"trip":7}"#)
    record.timestampMeta = TimestampMeta(
      time: record.timestamp, systemTime: record.timestamp.advanced(byMilliseconds: 30),
      systemElapsedMilliseconds: 5_030, fixElapsedMilliseconds: 5_000)
    let ios = record.text(.iOS)
    #expect(ios.contains(#""odometer_error":10,"mock":true,"sample":true,"coords""#))
    #expect(ios.contains(#""ellipsoidal_altitude":13.1,"floor":-2},"#))
    #expect(
      ios.contains(
        #","confidence":100,"activities":[{"type":"still","confidence":7},{"type":"sk\\i","confidence":3}]},"battery""#)
    )
    #expect(ios.hasSuffix(#""is_charging":false},"extras":{"trip":7}}"#))
    let times = #""timestampMeta":{"time":1785263662563,"systemTime":1785263662593,"#
    #expect(ios.contains(times + #""systemClockElapsedRealtime":5030},"#))
    #expect(record.text(.android).contains(times + #""systemClockElaspsedRealtime":5030,"elapsedRealtime":5000},"#))
  }

  @Test func settingRarePartsBackLeavesAnEqualRecord() {
    var record = RecordSamples.tracking
    record.activities = [Activity(.still, confidence: 7)]
    #expect(record != RecordSamples.tracking)
    record.activities = []
    #expect(record == RecordSamples.tracking)
  }
}
