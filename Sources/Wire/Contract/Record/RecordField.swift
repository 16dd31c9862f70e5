/// What a server wants to know of a record.
package enum RecordField: UInt8, CaseIterable, Sendable {
  case latitude, longitude, accuracy, speed, heading, altitude
  case uuid, timestamp, recordedAt, isMoving, odometer, event, mock
  case activityType, batteryLevel, isCharging, geofenceIdentifier, geofenceAction

  /// The key in the default schema.
  package var key: StaticString {
    switch self {
    case .latitude: CoordsKey.latitude
    case .longitude: CoordsKey.longitude
    case .accuracy: CoordsKey.accuracy
    case .speed: CoordsKey.speed
    case .heading: CoordsKey.heading
    case .altitude: CoordsKey.altitude
    case .uuid: RecordKey.uuid
    case .timestamp: RecordKey.timestamp
    case .recordedAt: RecordKey.recordedAt
    case .isMoving: RecordKey.isMoving
    case .odometer: RecordKey.odometer
    case .event: RecordKey.event
    case .mock: RecordKey.mock
    case .activityType: ActivityKey.type
    case .batteryLevel: BatteryKey.level
    case .isCharging: BatteryKey.isCharging
    case .geofenceIdentifier: GeofenceTriggerKey.identifier
    case .geofenceAction: GeofenceTriggerKey.action
    }
  }
}
