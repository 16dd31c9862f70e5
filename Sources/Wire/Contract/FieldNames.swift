// Every key of a record and of its envelope, once. The names on the wire are fixed by the SDK (snake_case); the Swift names are
// those of its Swift API.

/// The keys of a location record.
package enum RecordKey {
  package static let uuid: StaticString = "uuid"
  package static let timestamp: StaticString = "timestamp"
  package static let recordedAt: StaticString = "recorded_at"
  package static let age: StaticString = "age"
  package static let isMoving: StaticString = "is_moving"
  package static let odometer: StaticString = "odometer"
  package static let odometerError: StaticString = "odometer_error"
  package static let event: StaticString = "event"
  package static let coords: StaticString = "coords"
  package static let activity: StaticString = "activity"
  package static let battery: StaticString = "battery"
  package static let extras: StaticString = "extras"
  package static let geofence: StaticString = "geofence"
  package static let provider: StaticString = "provider"
  package static let mock: StaticString = "mock"
  package static let sample: StaticString = "sample"
  package static let timestampMeta: StaticString = "timestampMeta"
}

/// The keys inside `coords`.
package enum CoordsKey {
  package static let latitude: StaticString = "latitude"
  package static let longitude: StaticString = "longitude"
  package static let accuracy: StaticString = "accuracy"
  package static let speed: StaticString = "speed"
  package static let speedAccuracy: StaticString = "speed_accuracy"
  package static let heading: StaticString = "heading"
  package static let headingAccuracy: StaticString = "heading_accuracy"
  package static let altitude: StaticString = "altitude"
  package static let altitudeAccuracy: StaticString = "altitude_accuracy"
  package static let ellipsoidalAltitude: StaticString = "ellipsoidal_altitude"
  package static let floor: StaticString = "floor"
}

/// The keys inside `activity`.
package enum ActivityKey {
  package static let type: StaticString = "type"
  package static let confidence: StaticString = "confidence"
  package static let activities: StaticString = "activities"
}

/// The keys inside `battery`.
package enum BatteryKey {
  package static let level: StaticString = "level"
  package static let isCharging: StaticString = "is_charging"
}

/// The keys inside the `geofence` of a record.
package enum GeofenceTriggerKey {
  package static let identifier: StaticString = "identifier"
  package static let action: StaticString = "action"
  package static let timestamp: StaticString = "timestamp"
  package static let extras: StaticString = "extras"
}

/// The keys inside the `provider` of a record.
package enum ProviderKey {
  package static let enabled: StaticString = "enabled"
  package static let status: StaticString = "status"
  package static let gps: StaticString = "gps"
  package static let network: StaticString = "network"
  package static let accuracyAuthorization: StaticString = "accuracyAuthorization"
}

/// The keys inside `timestampMeta`.
package enum TimestampMetaKey {
  package static let time: StaticString = "time"
  package static let systemTime: StaticString = "systemTime"
  /// The spelling of iOS.
  package static let systemClockElapsedRealtime: StaticString = "systemClockElapsedRealtime"
  /// The spelling of Android; the misspelling is on the wire.
  package static let systemClockElaspsedRealtime: StaticString = "systemClockElaspsedRealtime"
  package static let elapsedRealtime: StaticString = "elapsedRealtime"
}

/// The names around the records of a body.
package enum EnvelopeKey {
  /// The default root, and the key in which old clients may wrap an element of a batch.
  package static let location: StaticString = "location"
  /// The root property that means "no root".
  package static let noRoot: StaticString = "."
  /// The member that Android adds to the last element of an array template.
  package static let isMock: StaticString = "isMock"
}

/// The keys with which a body may name its device; a default record does not.
package enum IdentityKey {
  package static let deviceID: StaticString = "device_id"
  package static let deviceIDCamelCase: StaticString = "deviceId"
  package static let device: StaticString = "device"
  package static let uuid: StaticString = "uuid"
}

/// Names of fields in flat records, in addition to those of the default schema. A template may use any name; these need no
/// configuration on the server.
enum AliasKey {
  static let latitude: [StaticString] = ["lat"]
  static let longitude: [StaticString] = ["lng", "lon", "long"]
  static let accuracy: [StaticString] = ["acc"]
  static let heading: [StaticString] = ["bearing", "course"]
  static let altitude: [StaticString] = ["alt"]
  static let uuid: [StaticString] = ["id"]
  static let timestamp: [StaticString] = ["time", "ts", "t"]
  static let recordedAt: [StaticString] = ["recordedAt"]
  static let isMoving: [StaticString] = ["isMoving", "moving"]
  static let activityType: [StaticString] = ["activity.type", "activity_type", "activityType"]
  static let batteryLevel: [StaticString] = ["battery.level", "battery_level", "batteryLevel"]
  static let isCharging: [StaticString] = ["battery.is_charging", "is_charging", "isCharging"]
  static let geofenceIdentifier: [StaticString] = ["geofence.identifier", "geofence_identifier"]
  static let geofenceAction: [StaticString] = ["geofence.action", "geofence_action"]
  static let mock: [StaticString] = ["isMock", "is_mock"]
}
