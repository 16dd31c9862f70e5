import Base
import JSON
import Support
import Testing

@testable import Contract

struct RecordRoundTripTests {
  @Test(arguments: [RecordStyle.iOS, .android], [TimestampFormat.iso, .epoch])
  func whatIsEncodedIsDecodedAsEqual(style: RecordStyle, format: TimestampFormat) throws {
    var style = style
    style.timestampFormat = format
    for seed in 1...500 as ClosedRange<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let record = try RecordSamples.random(&generator)
      let text = record.text(style)
      var reader = JSONReader(text.utf8.span)
      _ = try reader.skipValue()
      try reader.finish()
      let decoded = try RecordDecoder().decode(text)
      #expect(decoded == Self.facts(of: record, style), "seed \(seed): \(text)")
    }
  }

  /// What a server should know of the record, computed from the record itself.
  private static func facts(of record: LocationRecord, _ style: RecordStyle) -> DecodedRecord {
    var facts = DecodedRecord()
    facts.uuid = record.uuid
    facts.timestamp = record.timestamp
    facts.recordedAt = record.recordedAt
    facts.latitude = record.coords.latitude
    facts.longitude = record.coords.longitude
    facts.accuracy = rounded(record.coords.accuracy)
    facts.speed = rounded(record.coords.speed)
    facts.heading = rounded(record.coords.heading)
    facts.altitude = rounded(record.coords.altitude)
    if style.altitudeReference == .ellipsoid, let altitude = record.coords.ellipsoidalAltitude {
      facts.altitude = rounded(altitude)
    }
    if style.missingAltitude == .zero && facts.altitude == nil { facts.altitude = 0 }
    facts.odometer = rounded(record.odometer)
    facts.isMoving = record.isMoving
    facts.event = record.event
    facts.isMock = record.isMock
    facts.activityType = record.activity.type
    facts.batteryLevel = record.battery.level
    facts.isCharging = record.battery.isCharging
    facts.geofenceIdentifier = record.geofence?.identifier
    facts.geofenceAction = record.geofence?.action.rawValue
    return facts
  }

  private static func rounded(_ quantity: Double?) -> Double? { quantity.map { ($0 * 100).rounded() / 100 } }
}
