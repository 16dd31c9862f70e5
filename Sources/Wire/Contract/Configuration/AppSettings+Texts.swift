internal import JSON

extension AppSettings {
  /// SDK §2.4. `color`, `largeIcon` and `layout` are unset.
  static let defaultNotification = JSONValue.object([
    "title": .string("Background Geolocation"),
    "text": .string("Tracking location"),
    "smallIcon": .string("mipmap/ic_launcher"),
    "priority": .integer(-1),
    "sticky": .bool(false),
    "channelName": .string("BackgroundGeolocation"),
    "channelId": .string("bggeo"),
    "strings": .emptyObject,
    "actions": .array([]),
  ])

  /// SDK §2.4. The SDK's message is a sample; this one says the same.
  static let defaultRationale = JSONValue.object([
    "title": .string("Allow {applicationName} to access this device's location even when closed or not in use."),
    "message": .string("Positions are collected to record trips to work and the distance covered."),
    "positiveAction": .string("Change to \"{backgroundPermissionOptionLabel}\""),
    "negativeAction": .string("Cancel"),
  ])
}
