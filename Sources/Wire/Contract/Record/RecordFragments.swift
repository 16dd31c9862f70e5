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

  let latitude = first(CoordsKey.latitude, in: RecordKey.coords)
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

  let activityType = closing(RecordKey.activity, first: ActivityKey.type)
  let confidence = next(ActivityKey.confidence)
  let activities = next(ActivityKey.activities)
  let listedType = first(ActivityKey.type)

  let batteryLevel = closing(RecordKey.battery, first: BatteryKey.level)
  let isCharging = next(BatteryKey.isCharging)
  let extras = closing(RecordKey.extras)

  let geofenceIdentifier = first(GeofenceTriggerKey.identifier, in: RecordKey.geofence)
  let geofenceAction = next(GeofenceTriggerKey.action)
  let geofenceTimestamp = next(GeofenceTriggerKey.timestamp)
  let geofenceExtras = next(GeofenceTriggerKey.extras)

  let providerEnabled = first(ProviderKey.enabled, in: RecordKey.provider)
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
  private static func first(_ name: StaticString) -> Fragment { Fragment("{\"\(name)\":") }

  /// A name that opens the object which is the value of another name.
  private static func first(_ name: StaticString, in object: StaticString) -> Fragment {
    Fragment(",\"\(object)\":{\"\(name)\":")
  }

  /// A name that follows a value.
  private static func next(_ name: StaticString) -> Fragment { Fragment(",\"\(name)\":") }

  /// The same behind an inner object, which ends here.
  private static func closing(_ name: StaticString) -> Fragment { Fragment("},\"\(name)\":") }

  private static func closing(_ object: StaticString, first name: StaticString) -> Fragment {
    Fragment("},\"\(object)\":{\"\(name)\":")
  }
}
