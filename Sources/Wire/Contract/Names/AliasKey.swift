/// What templates call the fields of a flat record, besides the names of the default schema. A template may use any
/// name; these are the ones that need no configuration on the server.
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
