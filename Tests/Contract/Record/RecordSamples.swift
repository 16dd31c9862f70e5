import Base
import Support

@testable import Contract

/// Records for tests: the ones of the reference, and random ones.
enum RecordSamples {
  static let uuid = UUID128(high: 0x0A6E_91B3_5C77_4D2E, low: 0x8F10_AB34_CD56_EF78)
  static let upperUUID = "0A6E91B3-5C77-4D2E-8F10-AB34CD56EF78"
  static let lowerUUID = "0a6e91b3-5c77-4d2e-8f10-ab34cd56ef78"
  /// 2026-07-28T18:34:22.563Z.
  static let time = WallInstant(millisecondsSince1970: 1_785_263_662_563)

  /// The tracking record of SDK §5.3.
  static var tracking: LocationRecord {
    var coords = Coordinates(latitude: 45.518019, longitude: -116.297214)
    coords.accuracy = 5
    coords.speed = 1.85
    coords.speedAccuracy = 0.6
    coords.heading = 31.06
    coords.headingAccuracy = 12
    coords.altitude = 41.8
    coords.altitudeAccuracy = 3
    coords.ellipsoidalAltitude = 13.1
    var record = LocationRecord(
      uuid: uuid, timestamp: time, isMoving: true, odometer: 507.54, coords: coords,
      activity: Activity(.inVehicle, confidence: 100), battery: Battery(level: 0.92, isCharging: false))
    record.recordedAt = time.advanced(byMilliseconds: 30)
    record.ageMilliseconds = 30
    record.odometerError = 10
    return record
  }

  static func random(_ generator: inout SeededGenerator) throws -> LocationRecord {
    let latitude = Double.random(in: -90...90, using: &generator)
    var coords = Coordinates(latitude: latitude, longitude: Double.random(in: -180...180, using: &generator))
    coords.accuracy = quantity(0...500, &generator)
    coords.speed = quantity(0...60, &generator)
    coords.speedAccuracy = quantity(0...10, &generator)
    coords.heading = quantity(0...360, &generator)
    coords.headingAccuracy = quantity(0...90, &generator)
    coords.altitude = quantity(-400...9_000, &generator)
    coords.altitudeAccuracy = quantity(0...100, &generator)
    coords.ellipsoidalAltitude = quantity(-400...9_000, &generator)
    coords.floor = generator.chance(0.1) ? Int.random(in: -3...40, using: &generator) : nil
    let timestamp = WallInstant(
      millisecondsSince1970: Int64.random(in: 100_000_000_000...4_000_000_000_000, using: &generator))
    var record = LocationRecord(
      uuid: UUID128(randomHigh: generator.next(), randomLow: generator.next()), timestamp: timestamp,
      isMoving: generator.chance(0.5), odometer: Double.random(in: 0...1e6, using: &generator), coords: coords,
      activity: Activity(
        activityTypes[generator.index(below: activityTypes.count)], confidence: generator.index(below: 101)),
      battery: Battery(level: quantity(0...1, &generator), isCharging: generator.chance(0.5)))
    try addOptionalParts(to: &record, &generator)
    return record
  }

  private static let activityTypes: [ActivityType] = [
    .still, .walking, .onFoot, .running, .onBicycle, .inVehicle, .unknown, .other("in \"space\"\n\u{1F680}"),
  ]

  private static func quantity(_ range: ClosedRange<Double>, _ generator: inout SeededGenerator) -> Double? {
    generator.chance(0.8) ? Double.random(in: range, using: &generator) : nil
  }

  private static func addOptionalParts(to record: inout LocationRecord, _ generator: inout SeededGenerator) throws {
    let later = record.timestamp.advanced(byMilliseconds: Int64(generator.index(below: 5_000)))
    if generator.chance(0.7) { record.recordedAt = later }
    if generator.chance(0.7) { record.ageMilliseconds = Int64.random(in: -5_000...60_000, using: &generator) }
    record.isMock = generator.chance(0.1)
    if generator.chance(0.5) {
      record.extras = try RenderedObject(#"{"trip":7,"latitude":"not mine","o":{"uuid":1}}"#)
    }
    switch generator.index(below: 6) {
    case 0: record.event = .motionchange
    case 1:
      record.event = .geofence
      record.geofence = GeofenceTrigger(identifier: "d\"pot, north gate", action: .dwell, timestamp: later)
    case 2:
      record.event = .providerchange
      record.provider = ProviderState(
        isEnabled: true, authorizationStatus: 3, hasGPS: true, hasNetwork: false, accuracyAuthorization: 0)
    case 3: record.event = .other("an event of a later version")
    default: break
    }
    if generator.chance(0.2) {
      record.timestampMeta = TimestampMeta(
        time: record.timestamp, systemTime: later, systemElapsedMilliseconds: 5_000, fixElapsedMilliseconds: 4_970)
    }
    if generator.chance(0.3) { record.activities = [Activity(.still, confidence: 40), record.activity] }
  }
}
