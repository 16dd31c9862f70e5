extension RecordTemplate {
  /// Appends the text with each tag replaced by the plain value of the record. No quotes are added; what could end a
  /// text in quotes is escaped, so that a value never becomes more than a value where its tag stands in quotes.
  ///
  /// What is missing is written as in the default schema, or as 0 for an altitude or an age, -1 for an error, the empty
  /// text for an event or a time, `{}` for an object.
  func append(_ record: LocationRecord, _ encoder: RecordEncoder, to bytes: inout [UInt8]) {
    for segment in segments {
      switch segment {
      case .text(let text): bytes.append(contentsOf: text)
      case .tag(let tag): Self.append(tag, of: record, encoder, to: &bytes)
      }
    }
  }

  private static func append(
    _ tag: TemplateTag, of record: LocationRecord, _ encoder: RecordEncoder, to bytes: inout [UInt8]
  ) {
    let coords = record.coords
    switch tag {
    case .latitude: bytes.append(jsonNumber: coords.latitude)
    case .longitude: bytes.append(jsonNumber: coords.longitude)
    case .accuracy: bytes.append(orMissing: coords.accuracy)
    case .speed: bytes.append(orMissing: coords.speed)
    case .heading: bytes.append(orMissing: coords.heading)
    case .altitude: bytes.append(hundredths: encoder.altitude(of: coords) ?? 0)
    case .altitudeAccuracy: bytes.append(orMissing: coords.altitudeAccuracy)
    case .speedAccuracy: bytes.append(orMissing: coords.speedAccuracy)
    case .headingAccuracy: bytes.append(orMissing: coords.headingAccuracy)
    case .ellipsoidalAltitude: bytes.append(hundredths: finite(coords.ellipsoidalAltitude) ?? 0)
    case .uuid: encoder.append(record.uuid, to: &bytes)
    case .timestamp: encoder.append(unquoted: record.timestamp, to: &bytes)
    case .recordedAt: if let instant = record.recordedAt { encoder.append(unquoted: instant, to: &bytes) }
    case .age: bytes.append(jsonNumber: record.ageMilliseconds ?? 0)
    case .event: bytes.append(jsonEscaped: record.event?.name ?? "")
    case .isMoving: bytes.append(record.isMoving)
    case .odometer: bytes.append(hundredths: record.odometer)
    case .odometerError: bytes.append(orMissing: record.odometerError)
    case .mock: bytes.append(record.isMock)
    case .timestampMeta: append(record.timestampMeta, encoder, to: &bytes)
    case .extras: record.extras.append(to: &bytes)
    case .activityType: bytes.append(jsonEscaped: record.activity.type.name)
    case .activityConfidence: bytes.append(jsonNumber: Int64(record.activity.confidence))
    case .batteryLevel: bytes.append(level: record.battery.level)
    case .batteryIsCharging: bytes.append(record.battery.isCharging)
    case .geofenceIdentifier: bytes.append(jsonEscaped: record.geofence?.identifier ?? "")
    case .geofenceAction: bytes.append(jsonEscaped: record.geofence?.action.rawValue ?? "")
    }
  }

  private static func append(_ meta: TimestampMeta?, _ encoder: RecordEncoder, to bytes: inout [UInt8]) {
    if let meta { encoder.append(meta, to: &bytes) } else { RenderedObject.empty.append(to: &bytes) }
  }

  private static func finite(_ quantity: Double?) -> Double? {
    quantity.flatMap { $0.isFinite ? $0 : nil }
  }
}
