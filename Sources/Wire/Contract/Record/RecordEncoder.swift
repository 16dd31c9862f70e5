import Base
import JSON

/// Writes records in the default schema. The order of the keys is the SDK's. Appends only; once the array has grown to
/// the size it needs, nothing is allocated.
///
/// Rounded to two decimals are `accuracy`, `speed`, `heading`, `altitude`, `altitude_accuracy` and `odometer`, as the SDK
/// does, and alike the later additions `speed_accuracy`, `heading_accuracy`, `ellipsoidal_altitude` and
/// `odometer_error`. Latitude and longitude keep all their digits.
package struct RecordEncoder: Sendable {
  package let style: RecordStyle
  private let fragments = RecordFragments.shared

  package init(style: RecordStyle) {
    self.style = style
  }

  /// Appends the record as one JSON object.
  package func append(_ record: LocationRecord, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: fragments.timestamp)
    append(record.timestamp, to: &bytes)
    if let meta = record.timestampMeta {
      bytes.append(contentsOf: fragments.timestampMeta)
      append(meta, to: &bytes)
    }
    if let recordedAt = record.recordedAt {
      bytes.append(contentsOf: fragments.recordedAt)
      append(recordedAt, to: &bytes)
    }
    if let age = record.ageMilliseconds {
      bytes.append(contentsOf: fragments.age)
      bytes.append(jsonNumber: age)
    }
    bytes.append(contentsOf: fragments.uuid)
    bytes.append(UInt8(ascii: "\""))
    append(record.uuid, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
    appendEvent(of: record, to: &bytes)
    appendMotion(of: record, to: &bytes)
    append(record.coords, to: &bytes)
    append(record.activity, among: record.activities, to: &bytes)
    appendBatteryAndExtras(of: record, to: &bytes)
  }

  /// The 36 characters without quotes.
  func append(_ uuid: UUID128, to bytes: inout [UInt8]) {
    switch style.uuidCase {
    case .upper: uuid.append(upperCaseTextTo: &bytes)
    case .lower: uuid.append(lowerCaseTextTo: &bytes)
    }
  }

  /// For a template, which has the quotes itself.
  func append(unquoted instant: WallInstant, to bytes: inout [UInt8]) {
    switch style.timestampFormat {
    case .iso: instant.append(iso8601To: &bytes)
    case .epoch: bytes.append(jsonNumber: instant.millisecondsSince1970)
    }
  }

  /// A text with quotes, or a number.
  private func append(_ instant: WallInstant, to bytes: inout [UInt8]) {
    if style.timestampFormat == .iso { bytes.append(UInt8(ascii: "\"")) }
    append(unquoted: instant, to: &bytes)
    if style.timestampFormat == .iso { bytes.append(UInt8(ascii: "\"")) }
  }

  /// The object with its braces.
  func append(_ meta: TimestampMeta, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: fragments.metaTime)
    bytes.append(jsonNumber: meta.time.millisecondsSince1970)
    bytes.append(contentsOf: fragments.metaSystemTime)
    bytes.append(jsonNumber: meta.systemTime.millisecondsSince1970)
    switch style.metaKeys {
    case .iOS:
      bytes.append(contentsOf: fragments.metaSystemElapsedIOS)
      bytes.append(jsonNumber: meta.systemElapsedMilliseconds)
    case .android:
      bytes.append(contentsOf: fragments.metaSystemElapsedAndroid)
      bytes.append(jsonNumber: meta.systemElapsedMilliseconds)
      bytes.append(contentsOf: fragments.metaElapsed)
      bytes.append(jsonNumber: meta.fixElapsedMilliseconds)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  /// What `altitude` says; nil where the style omits it.
  func altitude(of coords: Coordinates) -> Double? {
    let altitude =
      switch style.altitudeReference {
      case .sea: coords.altitude
      case .ellipsoid: coords.ellipsoidalAltitude ?? coords.altitude
      }
    if let altitude, altitude.isFinite { return altitude }
    return style.missingAltitude == .zero ? 0 : nil
  }

  private func appendEvent(of record: LocationRecord, to bytes: inout [UInt8]) {
    if let event = record.event {
      bytes.append(contentsOf: fragments.event)
      bytes.append(quoted: event.name)
    }
    if let geofence = record.geofence {
      bytes.append(contentsOf: fragments.geofenceIdentifier)
      bytes.append(quoted: geofence.identifier)
      bytes.append(contentsOf: fragments.geofenceAction)
      bytes.append(quoted: geofence.action.rawValue)
      bytes.append(contentsOf: fragments.geofenceTimestamp)
      append(geofence.timestamp, to: &bytes)
      append(geofence.extras, after: fragments.geofenceExtras, to: &bytes)
      bytes.append(UInt8(ascii: "}"))
    }
    if let provider = record.provider {
      bytes.append(contentsOf: fragments.providerEnabled)
      bytes.append(provider.isEnabled)
      bytes.append(contentsOf: fragments.providerStatus)
      bytes.append(jsonNumber: Int64(provider.authorizationStatus))
      bytes.append(contentsOf: fragments.providerGPS)
      bytes.append(provider.hasGPS)
      bytes.append(contentsOf: fragments.providerNetwork)
      bytes.append(provider.hasNetwork)
      bytes.append(contentsOf: fragments.providerAccuracy)
      bytes.append(jsonNumber: Int64(provider.accuracyAuthorization))
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private func appendMotion(of record: LocationRecord, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: fragments.isMoving)
    bytes.append(record.isMoving)
    bytes.append(contentsOf: fragments.odometer)
    bytes.append(hundredths: record.odometer)
    if let error = record.odometerError {
      bytes.append(contentsOf: fragments.odometerError)
      bytes.append(hundredths: error)
    }
    if record.isMock {
      bytes.append(contentsOf: fragments.mock)
      bytes.append(true)
    }
    if record.isSample {
      bytes.append(contentsOf: fragments.sample)
      bytes.append(true)
    }
  }

  /// Leaves the object open: what follows begins with its brace.
  private func append(_ coords: Coordinates, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: fragments.latitude)
    bytes.append(jsonNumber: coords.latitude)
    bytes.append(contentsOf: fragments.longitude)
    bytes.append(jsonNumber: coords.longitude)
    bytes.append(contentsOf: fragments.accuracy)
    bytes.append(orMissing: coords.accuracy)
    bytes.append(contentsOf: fragments.speed)
    bytes.append(orMissing: coords.speed)
    bytes.append(contentsOf: fragments.speedAccuracy)
    bytes.append(orMissing: coords.speedAccuracy)
    bytes.append(contentsOf: fragments.heading)
    bytes.append(orMissing: coords.heading)
    bytes.append(contentsOf: fragments.headingAccuracy)
    bytes.append(orMissing: coords.headingAccuracy)
    if let altitude = altitude(of: coords) {
      bytes.append(contentsOf: fragments.altitude)
      bytes.append(hundredths: altitude)
    }
    bytes.append(contentsOf: fragments.altitudeAccuracy)
    bytes.append(orMissing: coords.altitudeAccuracy)
    if let altitude = coords.ellipsoidalAltitude, altitude.isFinite {
      bytes.append(contentsOf: fragments.ellipsoidalAltitude)
      bytes.append(hundredths: altitude)
    }
    if let floor = coords.floor {
      bytes.append(contentsOf: fragments.floor)
      bytes.append(jsonNumber: Int64(floor))
    }
  }

  /// Leaves the object open like the one before.
  private func append(_ activity: Activity, among activities: [Activity], to bytes: inout [UInt8]) {
    append(activity, after: fragments.activityType, to: &bytes)
    if activities.isEmpty { return }
    bytes.append(contentsOf: fragments.activities)
    for (index, listed) in activities.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      append(listed, after: fragments.listedType, to: &bytes)
      bytes.append(UInt8(ascii: "}"))
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private func append(_ activity: Activity, after fragment: [UInt8], to bytes: inout [UInt8]) {
    bytes.append(contentsOf: fragment)
    bytes.append(quoted: activity.type.name)
    bytes.append(contentsOf: fragments.confidence)
    bytes.append(jsonNumber: Int64(activity.confidence))
  }

  private func appendBatteryAndExtras(of record: LocationRecord, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: fragments.batteryLevel)
    bytes.append(level: record.battery.level)
    bytes.append(contentsOf: fragments.isCharging)
    bytes.append(record.battery.isCharging)
    let isOpen = record.extras.isEmpty && style.emptyExtras == .omitted
    append(record.extras, after: fragments.extras, to: &bytes)
    if isOpen { bytes.append(UInt8(ascii: "}")) }
    bytes.append(UInt8(ascii: "}"))
  }

  private func append(_ extras: RenderedObject, after fragment: [UInt8], to bytes: inout [UInt8]) {
    if extras.isEmpty && style.emptyExtras == .omitted { return }
    bytes.append(contentsOf: fragment)
    extras.append(to: &bytes)
  }
}
