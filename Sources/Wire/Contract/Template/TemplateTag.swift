/// A name that a template may put between `<%=` and `%>`.
enum TemplateTag: CaseIterable {
  case latitude, longitude, accuracy, speed, heading, altitude, altitudeAccuracy
  case speedAccuracy, headingAccuracy, ellipsoidalAltitude
  case uuid, timestamp, recordedAt, age, event, isMoving, odometer, odometerError, mock, timestampMeta, extras
  case activityType, activityConfidence, batteryLevel, batteryIsCharging
  case geofenceIdentifier, geofenceAction

  var name: String {
    switch self {
    case .latitude: "\(CoordsKey.latitude)"
    case .longitude: "\(CoordsKey.longitude)"
    case .accuracy: "\(CoordsKey.accuracy)"
    case .speed: "\(CoordsKey.speed)"
    case .heading: "\(CoordsKey.heading)"
    case .altitude: "\(CoordsKey.altitude)"
    case .altitudeAccuracy: "\(CoordsKey.altitudeAccuracy)"
    case .speedAccuracy: "\(CoordsKey.speedAccuracy)"
    case .headingAccuracy: "\(CoordsKey.headingAccuracy)"
    case .ellipsoidalAltitude: "\(CoordsKey.ellipsoidalAltitude)"
    case .uuid: "\(RecordKey.uuid)"
    case .timestamp: "\(RecordKey.timestamp)"
    case .recordedAt: "\(RecordKey.recordedAt)"
    case .age: "\(RecordKey.age)"
    case .event: "\(RecordKey.event)"
    case .isMoving: "\(RecordKey.isMoving)"
    case .odometer: "\(RecordKey.odometer)"
    case .odometerError: "\(RecordKey.odometerError)"
    case .mock: "\(RecordKey.mock)"
    case .timestampMeta: "\(RecordKey.timestampMeta)"
    case .extras: "\(RecordKey.extras)"
    case .activityType: "\(RecordKey.activity).\(ActivityKey.type)"
    case .activityConfidence: "\(RecordKey.activity).\(ActivityKey.confidence)"
    case .batteryLevel: "\(RecordKey.battery).\(BatteryKey.level)"
    case .batteryIsCharging: "\(RecordKey.battery).\(BatteryKey.isCharging)"
    case .geofenceIdentifier: "\(RecordKey.geofence).\(GeofenceTriggerKey.identifier)"
    case .geofenceAction: "\(RecordKey.geofence).\(GeofenceTriggerKey.action)"
    }
  }

  /// Whether it exists in a geofenceTemplate only.
  var needsGeofence: Bool { self == .geofenceIdentifier || self == .geofenceAction }
}
