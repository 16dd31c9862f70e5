/// The text between the values of a record, made once from the names: a fragment is what stands from the end of one
/// value to the beginning of the next, so that a record is written with one append per name.
final class RecordFragments: Sendable {
  static let shared = RecordFragments()

  let timestamp = first(RecordKey.timestamp)
  let timestampMeta = next(RecordKey.timestampMeta)
  let recordedAt = next(RecordKey.recordedAt)
  let age = next(RecordKey.age)
  let uuid = next(RecordKey.uuid)
  let event = next(RecordKey.event)
  let isMoving = next(RecordKey.isMoving)
  let odometer = next(RecordKey.odometer)
  let odometerError = next(RecordKey.odometerError)
  let mock = next(RecordKey.mock)
  let sample = next(RecordKey.sample)

  let latitude = next(RecordKey.coords) + first(CoordsKey.latitude)
  let longitude = next(CoordsKey.longitude)
  let accuracy = next(CoordsKey.accuracy)
  let speed = next(CoordsKey.speed)
  let speedAccuracy = next(CoordsKey.speedAccuracy)
  let heading = next(CoordsKey.heading)
  let headingAccuracy = next(CoordsKey.headingAccuracy)
  let altitude = next(CoordsKey.altitude)
  let altitudeAccuracy = next(CoordsKey.altitudeAccuracy)
  let ellipsoidalAltitude = next(CoordsKey.ellipsoidalAltitude)
  let floor = next(CoordsKey.floor)

  let activityType = closing(next(RecordKey.activity)) + first(ActivityKey.type)
  let confidence = next(ActivityKey.confidence)
  let activities = next(ActivityKey.activities) + Array("[".utf8)
  let listedType = first(ActivityKey.type)

  let batteryLevel = closing(next(RecordKey.battery)) + first(BatteryKey.level)
  let isCharging = next(BatteryKey.isCharging)
  let extras = closing(next(RecordKey.extras))

  let geofenceIdentifier = next(RecordKey.geofence) + first(GeofenceTriggerKey.identifier)
  let geofenceAction = next(GeofenceTriggerKey.action)
  let geofenceTimestamp = next(GeofenceTriggerKey.timestamp)
  let geofenceExtras = next(GeofenceTriggerKey.extras)

  let providerEnabled = next(RecordKey.provider) + first(ProviderKey.enabled)
  let providerStatus = next(ProviderKey.status)
  let providerGPS = next(ProviderKey.gps)
  let providerNetwork = next(ProviderKey.network)
  let providerAccuracy = next(ProviderKey.accuracyAuthorization)

  let metaTime = first(TimestampMetaKey.time)
  let metaSystemTime = next(TimestampMetaKey.systemTime)
  let metaSystemElapsedIOS = next(TimestampMetaKey.systemClockElapsedRealtime)
  let metaSystemElapsedAndroid = next(TimestampMetaKey.systemClockElaspsedRealtime)
  let metaElapsed = next(TimestampMetaKey.elapsedRealtime)

  /// A name that opens an object.
  private static func first(_ name: StaticString) -> [UInt8] { Array("{\"\(name)\":".utf8) }

  /// A name that follows a value.
  private static func next(_ name: StaticString) -> [UInt8] { Array(",\"\(name)\":".utf8) }

  /// The same behind an inner object, which ends here.
  private static func closing(_ fragment: [UInt8]) -> [UInt8] { Array("}".utf8) + fragment }
}
