extension FieldTable {
  /// Every key that means something to a server, with where it means that.
  static let names: [Name] = objects + nested + flat

  private static let objects: [Name] = [
    Name(text: RecordKey.coords, place: .root, meaning: .object(.coords)),
    // A template may call its coordinates so; where it is the root of a body, the envelope has taken it away.
    Name(text: EnvelopeKey.location, place: .root, meaning: .object(.coords)),
    Name(text: RecordKey.activity, place: .root, meaning: .object(.activity)),
    Name(text: RecordKey.battery, place: .root, meaning: .object(.battery)),
    Name(text: RecordKey.geofence, place: .root, meaning: .object(.geofence)),
  ]

  private static let nested: [Name] =
    coordinates.flatMap { field, aliases in
      [Name(text: field.key, place: .coords, meaning: .field(field, .nested))]
        + aliases.map { Name(text: $0, place: .coords, meaning: .field(field, .nestedAlias)) }
    } + [
      Name(text: ActivityKey.type, place: .activity, meaning: .field(.activityType, .nested)),
      Name(text: BatteryKey.level, place: .battery, meaning: .field(.batteryLevel, .nested)),
      Name(text: BatteryKey.isCharging, place: .battery, meaning: .field(.isCharging, .nested)),
      Name(text: GeofenceTriggerKey.identifier, place: .geofence, meaning: .field(.geofenceIdentifier, .nested)),
      Name(text: GeofenceTriggerKey.action, place: .geofence, meaning: .field(.geofenceAction, .nested)),
    ]

  private static let flat: [Name] =
    (coordinates + facts).flatMap { field, aliases in
      [Name(text: field.key, place: .root, meaning: .field(field, .flat))]
        + aliases.map { Name(text: $0, place: .root, meaning: .field(field, .alias)) }
    }
    + flattened.flatMap { field, names in
      names.map { Name(text: $0, place: .root, meaning: .field(field, .flat)) }
    }

  private static let coordinates: [(RecordField, [StaticString])] = [
    (.latitude, AliasKey.latitude), (.longitude, AliasKey.longitude), (.accuracy, AliasKey.accuracy), (.speed, []),
    (.heading, AliasKey.heading), (.altitude, AliasKey.altitude),
  ]

  private static let facts: [(RecordField, [StaticString])] = [
    (.uuid, AliasKey.uuid), (.timestamp, AliasKey.timestamp), (.recordedAt, AliasKey.recordedAt),
    (.isMoving, AliasKey.isMoving), (.odometer, []), (.event, []), (.mock, AliasKey.mock),
  ]

  /// Fields that the default schema nests, under the names they have in a flat record.
  private static let flattened: [(RecordField, [StaticString])] = [
    (.activityType, AliasKey.activityType), (.batteryLevel, AliasKey.batteryLevel),
    (.isCharging, AliasKey.isCharging), (.geofenceIdentifier, AliasKey.geofenceIdentifier),
    (.geofenceAction, AliasKey.geofenceAction),
  ]
}
