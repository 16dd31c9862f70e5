extension RecordTemplate {
  /// Appends the text with each tag replaced by the plain value of the record. No quotes are added; what could end a
  /// text in quotes is escaped, so that a value never becomes more than a value where its tag stands in quotes.
  ///
  /// What is missing is written as in the default schema, or as 0 for an altitude or an age, -1 for an error, the empty
  /// text for an event or a time, `{}` for an object.
  func append(_ record: LocationRecord, _ encoder: inout RecordEncoder, to bytes: inout [UInt8]) {
    for segment in segments {
      switch segment {
      case .text(let text): bytes.append(contentsOf: text)
      case .tag(let tag): Self.append(tag, of: record, &encoder, to: &bytes)
      }
    }
  }

  private static func append(
    _ tag: TemplateTag, of record: LocationRecord, _ encoder: inout RecordEncoder, to bytes: inout [UInt8]
  ) {
    let coords = record.coords
    switch tag {
    case .latitude: encoder.values.append(coords.latitude, to: &bytes)
    case .longitude: encoder.values.append(coords.longitude, to: &bytes)
    case .accuracy: encoder.values.append(orMissing: coords.accuracy, to: &bytes)
    case .speed: encoder.values.append(orMissing: coords.speed, to: &bytes)
    case .heading: encoder.values.append(orMissing: coords.heading, to: &bytes)
    case .altitude: encoder.values.append(hundredths: encoder.altitude(of: coords) ?? 0, to: &bytes)
    case .altitudeAccuracy: encoder.values.append(orMissing: coords.altitudeAccuracy, to: &bytes)
    case .speedAccuracy: encoder.values.append(orMissing: coords.speedAccuracy, to: &bytes)
    case .headingAccuracy: encoder.values.append(orMissing: coords.headingAccuracy, to: &bytes)
    case .ellipsoidalAltitude: encoder.values.append(hundredths: finite(coords.ellipsoidalAltitude) ?? 0, to: &bytes)
    case .uuid: encoder.append(record.uuid, to: &bytes)
    case .timestamp: encoder.append(unquoted: record.timestamp, to: &bytes)
    case .recordedAt: if let instant = record.recordedAt { encoder.append(unquoted: instant, to: &bytes) }
    case .age: bytes.append(integer: record.ageMilliseconds ?? 0)
    case .event: encoder.values.append(escaped: record.event?.name ?? "", to: &bytes)
    case .isMoving: bytes.append(record.isMoving)
    case .odometer: encoder.values.append(hundredths: record.odometer, to: &bytes)
    case .odometerError: encoder.values.append(orMissing: record.odometerError, to: &bytes)
    case .mock: bytes.append(record.isMock)
    case .timestampMeta: append(record.timestampMeta, encoder, to: &bytes)
    case .extras: record.extras.append(to: &bytes)
    case .activityType: encoder.values.append(escaped: record.activity.type.name, to: &bytes)
    case .activityConfidence: bytes.append(integer: Int64(record.activity.confidence))
    case .batteryLevel: encoder.values.append(level: record.battery.level, to: &bytes)
    case .batteryIsCharging: bytes.append(record.battery.isCharging)
    case .geofenceIdentifier: encoder.values.append(escaped: record.geofence?.identifier ?? "", to: &bytes)
    case .geofenceAction: encoder.values.append(escaped: record.geofence?.action.rawValue ?? "", to: &bytes)
    }
  }

  private static func append(_ meta: TimestampMeta?, _ encoder: RecordEncoder, to bytes: inout [UInt8]) {
    if let meta { encoder.append(meta, to: &bytes) } else { RenderedObject.empty.append(to: &bytes) }
  }

  private static func finite(_ quantity: Double?) -> Double? {
    quantity.flatMap { $0.isFinite ? $0 : nil }
  }
}
