package import Base

/// Writes records in the default schema, with the SDK's order of keys. Appends only; once the array has grown to its final
/// size, nothing is allocated.
///
/// `accuracy`, `speed`, `heading`, `altitude`, `altitude_accuracy` and `odometer` are rounded to two decimals, as by the SDK,
/// and so are the later additions `speed_accuracy`, `heading_accuracy`, `ellipsoidal_altitude` and `odometer_error`. Latitude
/// and longitude keep all their digits.
package struct RecordEncoder: Sendable {
  package let style: RecordStyle
  private let fragments = RecordFragments.shared
  var values = ValueWriter()

  package init(style: RecordStyle) {
    self.style = style
  }

  /// Appends the record as one JSON object.
  package mutating func append(_ record: LocationRecord, to bytes: inout [UInt8]) {
    fragments.timestamp.append(to: &bytes)
    append(record.timestamp, to: &bytes)
    if let meta = record.timestampMeta {
      fragments.timestampMeta.append(to: &bytes)
      append(meta, to: &bytes)
    }
    if let recordedAt = record.recordedAt {
      fragments.recordedAt.append(to: &bytes)
      append(recordedAt, to: &bytes)
    }
    if let age = record.ageMilliseconds {
      fragments.age.append(to: &bytes)
      bytes.append(integer: age)
    }
    fragments.uuid.append(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
    append(record.uuid, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
    appendEvent(of: record, to: &bytes)
    appendMotion(of: record, to: &bytes)
    append(record.coords, to: &bytes)
    append(record.activity, among: record.activities, to: &bytes)
    appendBatteryAndExtras(of: record, to: &bytes)
  }

  /// Appends the 36 characters without quotes.
  func append(_ uuid: UUID128, to bytes: inout [UInt8]) { style.append(uuid, to: &bytes) }

  /// Appends an instant for a template, which has the quotes itself.
  func append(unquoted instant: WallInstant, to bytes: inout [UInt8]) {
    switch style.timestampFormat {
    case .iso: instant.append(iso8601To: &bytes)
    case .epoch: bytes.append(integer: instant.millisecondsSince1970)
    }
  }

  /// Appends a text with quotes, or a number.
  private func append(_ instant: WallInstant, to bytes: inout [UInt8]) {
    if style.timestampFormat == .iso { bytes.append(UInt8(ascii: "\"")) }
    append(unquoted: instant, to: &bytes)
    if style.timestampFormat == .iso { bytes.append(UInt8(ascii: "\"")) }
  }

  /// Appends the object with its braces.
  func append(_ meta: TimestampMeta, to bytes: inout [UInt8]) {
    fragments.metaTime.append(to: &bytes)
    bytes.append(integer: meta.time.millisecondsSince1970)
    fragments.metaSystemTime.append(to: &bytes)
    bytes.append(integer: meta.systemTime.millisecondsSince1970)
    switch style.metaKeys {
    case .iOS:
      fragments.metaSystemElapsedIOS.append(to: &bytes)
      bytes.append(integer: meta.systemElapsedMilliseconds)
    case .android:
      fragments.metaSystemElapsedAndroid.append(to: &bytes)
      bytes.append(integer: meta.systemElapsedMilliseconds)
      fragments.metaElapsed.append(to: &bytes)
      bytes.append(integer: meta.fixElapsedMilliseconds)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  /// Returns the value of `altitude`; nil if the style omits it.
  func altitude(of coords: Coordinates) -> Double? {
    let altitude =
      switch style.altitudeReference {
      case .sea: coords.altitude
      case .ellipsoid: coords.ellipsoidalAltitude ?? coords.altitude
      }
    if let altitude, altitude.isFinite { return altitude }
    return style.missingAltitude == .zero ? 0 : nil
  }

  private mutating func appendEvent(of record: LocationRecord, to bytes: inout [UInt8]) {
    if let event = record.event {
      fragments.event.append(to: &bytes)
      values.append(quoted: event.name, to: &bytes)
    }
    if let geofence = record.geofence {
      fragments.geofenceIdentifier.append(to: &bytes)
      values.append(quoted: geofence.identifier, to: &bytes)
      fragments.geofenceAction.append(to: &bytes)
      values.append(quoted: geofence.action.rawValue, to: &bytes)
      fragments.geofenceTimestamp.append(to: &bytes)
      append(geofence.timestamp, to: &bytes)
      append(geofence.extras, after: fragments.geofenceExtras, to: &bytes)
      bytes.append(UInt8(ascii: "}"))
    }
    if let provider = record.provider {
      fragments.providerEnabled.append(to: &bytes)
      bytes.append(provider.isEnabled)
      fragments.providerStatus.append(to: &bytes)
      bytes.append(integer: Int64(provider.authorizationStatus))
      fragments.providerGPS.append(to: &bytes)
      bytes.append(provider.hasGPS)
      fragments.providerNetwork.append(to: &bytes)
      bytes.append(provider.hasNetwork)
      fragments.providerAccuracy.append(to: &bytes)
      bytes.append(integer: Int64(provider.accuracyAuthorization))
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private mutating func appendMotion(of record: LocationRecord, to bytes: inout [UInt8]) {
    fragments.isMoving.append(to: &bytes)
    bytes.append(record.isMoving)
    fragments.odometer.append(to: &bytes)
    values.append(hundredths: record.odometer, to: &bytes)
    if let error = record.odometerError {
      fragments.odometerError.append(to: &bytes)
      values.append(hundredths: error, to: &bytes)
    }
    if record.isMock {
      fragments.mock.append(to: &bytes)
      bytes.append(true)
    }
    if record.isSample {
      fragments.sample.append(to: &bytes)
      bytes.append(true)
    }
  }

  /// Leaves the object open: the next fragment begins with its closing brace.
  private mutating func append(_ coords: Coordinates, to bytes: inout [UInt8]) {
    fragments.latitude.append(to: &bytes)
    values.append(coords.latitude, to: &bytes)
    fragments.longitude.append(to: &bytes)
    values.append(coords.longitude, to: &bytes)
    fragments.accuracy.append(to: &bytes)
    values.append(orMissing: coords.accuracy, to: &bytes)
    fragments.speed.append(to: &bytes)
    values.append(orMissing: coords.speed, to: &bytes)
    fragments.speedAccuracy.append(to: &bytes)
    values.append(orMissing: coords.speedAccuracy, to: &bytes)
    fragments.heading.append(to: &bytes)
    values.append(orMissing: coords.heading, to: &bytes)
    fragments.headingAccuracy.append(to: &bytes)
    values.append(orMissing: coords.headingAccuracy, to: &bytes)
    if let altitude = altitude(of: coords) {
      fragments.altitude.append(to: &bytes)
      values.append(hundredths: altitude, to: &bytes)
    }
    fragments.altitudeAccuracy.append(to: &bytes)
    values.append(orMissing: coords.altitudeAccuracy, to: &bytes)
    if let altitude = coords.ellipsoidalAltitude, altitude.isFinite {
      fragments.ellipsoidalAltitude.append(to: &bytes)
      values.append(hundredths: altitude, to: &bytes)
    }
    if let floor = coords.floor {
      fragments.floor.append(to: &bytes)
      bytes.append(integer: Int64(floor))
    }
  }

  /// Leaves the object open, as above.
  private mutating func append(_ activity: Activity, among activities: [Activity], to bytes: inout [UInt8]) {
    append(activity, after: fragments.activityType, to: &bytes)
    if activities.isEmpty { return }
    fragments.activities.append(to: &bytes)
    bytes.append(UInt8(ascii: "["))
    for (index, listed) in activities.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      append(listed, after: fragments.listedType, to: &bytes)
      bytes.append(UInt8(ascii: "}"))
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private mutating func append(_ activity: Activity, after fragment: Fragment, to bytes: inout [UInt8]) {
    fragment.append(to: &bytes)
    values.append(quoted: activity.type.name, to: &bytes)
    fragments.confidence.append(to: &bytes)
    bytes.append(integer: Int64(activity.confidence))
  }

  private mutating func appendBatteryAndExtras(of record: LocationRecord, to bytes: inout [UInt8]) {
    fragments.batteryLevel.append(to: &bytes)
    values.append(level: record.battery.level, to: &bytes)
    fragments.isCharging.append(to: &bytes)
    bytes.append(record.battery.isCharging)
    let isOpen = record.extras.isEmpty && style.emptyExtras == .omitted
    append(record.extras, after: fragments.extras, to: &bytes)
    if isOpen { bytes.append(UInt8(ascii: "}")) }
    bytes.append(UInt8(ascii: "}"))
  }

  private func append(_ extras: RenderedObject, after fragment: Fragment, to bytes: inout [UInt8]) {
    if extras.isEmpty && style.emptyExtras == .omitted { return }
    fragment.append(to: &bytes)
    extras.append(to: &bytes)
  }
}

/// The differences between the records of the two platforms, each a separate choice, so that a scenario can mix them.
package struct RecordStyle: Equatable, Sendable {
  /// The letter case of `uuid`.
  package enum LetterCase: Sendable { case upper, lower }
  /// The form of `extras` without members.
  package enum EmptyExtras: Sendable { case omitted, emptyObject }
  /// The reference of `altitude`. On Android it equals `ellipsoidal_altitude`.
  package enum AltitudeReference: Sendable { case sea, ellipsoid }
  /// The value of an unknown `altitude`: it has no -1, which is a valid altitude.
  package enum MissingAltitude: Sendable { case omitted, zero }
  /// The spelling and the members of `timestampMeta`.
  package enum MetaKeys: Sendable { case iOS, android }
  /// Whether the last element of an array template has `isMock` for a mock location.
  package enum ArrayTemplateMock: Sendable { case absent, appended }

  package var uuidCase: LetterCase
  package var emptyExtras: EmptyExtras
  package var altitudeReference: AltitudeReference
  package var missingAltitude: MissingAltitude
  package var metaKeys: MetaKeys
  package var arrayTemplateMock: ArrayTemplateMock
  package var timestampFormat = TimestampFormat.iso

  /// Returns the text of a uuid in this style.
  package func text(of uuid: UUID128) -> String {
    var bytes: [UInt8] = []
    append(uuid, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the 36 characters without quotes.
  func append(_ uuid: UUID128, to bytes: inout [UInt8]) {
    switch uuidCase {
    case .upper: uuid.append(upperCaseTextTo: &bytes)
    case .lower: uuid.append(lowerCaseTextTo: &bytes)
    }
  }

  /// Returns the style of a platform.
  package static func of(_ platform: DevicePlatform) -> RecordStyle { platform == .ios ? .iOS : .android }

  package static let iOS = RecordStyle(
    uuidCase: .upper, emptyExtras: .omitted, altitudeReference: .sea, missingAltitude: .zero, metaKeys: .iOS,
    arrayTemplateMock: .absent)

  package static let android = RecordStyle(
    uuidCase: .lower, emptyExtras: .emptyObject, altitudeReference: .ellipsoid, missingAltitude: .omitted,
    metaKeys: .android, arrayTemplateMock: .appended)
}
