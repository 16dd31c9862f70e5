import JSON

/// The text between the values of a record, computed once: a fragment extends from the end of one value to the beginning of the
/// next, so that a record is written with one append per name.
final class RecordFragments: Sendable {
  static let shared = RecordFragments()

  let timestamp = first(RecordKey.timestamp)
  let timestampMeta = next(RecordKey.timestampMeta)
  let recordedAt = next(RecordKey.recordedAt)
  let age = next(RecordKey.age)
  let uuid = next(RecordKey.uuid)
  let event = next(RecordKey.event)
  let isMoving = next(RecordKey.isMoving)
  let odometer = next(RecordKey.odometer)
  let odometerError = next(RecordKey.odometerError)
  let mock = next(RecordKey.mock)
  let sample = next(RecordKey.sample)

  let latitude = first(CoordsKey.latitude, in: RecordKey.coords)
  let longitude = next(CoordsKey.longitude)
  let accuracy = next(CoordsKey.accuracy)
  let speed = next(CoordsKey.speed)
  let speedAccuracy = next(CoordsKey.speedAccuracy)
  let heading = next(CoordsKey.heading)
  let headingAccuracy = next(CoordsKey.headingAccuracy)
  let altitude = next(CoordsKey.altitude)
  let altitudeAccuracy = next(CoordsKey.altitudeAccuracy)
  let ellipsoidalAltitude = next(CoordsKey.ellipsoidalAltitude)
  let floor = next(CoordsKey.floor)

  let activityType = closing(RecordKey.activity, first: ActivityKey.type)
  let confidence = next(ActivityKey.confidence)
  let activities = next(ActivityKey.activities)
  let listedType = first(ActivityKey.type)

  let batteryLevel = closing(RecordKey.battery, first: BatteryKey.level)
  let isCharging = next(BatteryKey.isCharging)
  let extras = closing(RecordKey.extras)

  let geofenceIdentifier = first(GeofenceTriggerKey.identifier, in: RecordKey.geofence)
  let geofenceAction = next(GeofenceTriggerKey.action)
  let geofenceTimestamp = next(GeofenceTriggerKey.timestamp)
  let geofenceExtras = next(GeofenceTriggerKey.extras)

  let providerEnabled = first(ProviderKey.enabled, in: RecordKey.provider)
  let providerStatus = next(ProviderKey.status)
  let providerGPS = next(ProviderKey.gps)
  let providerNetwork = next(ProviderKey.network)
  let providerAccuracy = next(ProviderKey.accuracyAuthorization)

  let metaTime = first(TimestampMetaKey.time)
  let metaSystemTime = next(TimestampMetaKey.systemTime)
  let metaSystemElapsedIOS = next(TimestampMetaKey.systemClockElapsedRealtime)
  let metaSystemElapsedAndroid = next(TimestampMetaKey.systemClockElaspsedRealtime)
  let metaElapsed = next(TimestampMetaKey.elapsedRealtime)

  /// Returns the fragment of the first name of an object.
  private static func first(_ name: StaticString) -> Fragment { Fragment("{\"\(name)\":") }

  /// Returns the fragment of the first name of an object that is the value of another name.
  private static func first(_ name: StaticString, in object: StaticString) -> Fragment {
    Fragment(",\"\(object)\":{\"\(name)\":")
  }

  /// Returns the fragment of a name after a value.
  private static func next(_ name: StaticString) -> Fragment { Fragment(",\"\(name)\":") }

  /// Returns the fragment of a name after the end of an inner object.
  private static func closing(_ name: StaticString) -> Fragment { Fragment("},\"\(name)\":") }

  private static func closing(_ object: StaticString, first name: StaticString) -> Fragment {
    Fragment("},\"\(object)\":{\"\(name)\":")
  }
}

/// A short text stored inline: appending it costs no reference counts, of which a record would need some thirty.
struct Fragment: Sendable {
  private static let capacity = 32

  private var bytes = InlineArray<32, UInt8>(repeating: 0)
  private let count: Int

  init(_ text: String) {
    precondition(text.utf8.count <= Self.capacity, "a fragment has at most 32 bytes")
    count = text.utf8.count
    for (index, byte) in text.utf8.enumerated() { bytes[index] = byte }
  }

  func append(to output: inout [UInt8]) { output.append(copying: bytes.span.extracting(0..<count)) }
}

/// Writes the values of a record. Values that need JSON formatting use a writer that keeps its memory.
struct ValueWriter: Sendable {
  private var json = JSONWriter(capacity: 64)

  /// Appends with all digits, for coordinates and battery levels. NaN and the infinities are null.
  mutating func append(_ number: Double, to bytes: inout [UInt8]) {
    json.removeAll(keepingCapacity: true)
    json.value(number)
    bytes.append(contentsOf: json.bytes)
  }

  mutating func append(quoted text: String, to bytes: inout [UInt8]) {
    json.removeAll(keepingCapacity: true)
    json.value(text)
    bytes.append(contentsOf: json.bytes)
  }

  /// Appends the escaped text without its quotes.
  mutating func append(escaped text: String, to bytes: inout [UInt8]) {
    json.removeAll(keepingCapacity: true)
    json.value(text)
    bytes.append(contentsOf: json.bytes[1..<json.bytes.count - 1])
  }

  /// Appends `round(number × 100) / 100`, as the SDK computes it, without trailing zeros. A number too large to have hundredths
  /// is written unchanged.
  mutating func append(hundredths number: Double, to bytes: inout [UInt8]) {
    let scaled = (number * 100).rounded()
    guard scaled.magnitude < 1e15 else { return append(number, to: &bytes) }
    let (whole, rest) = UInt64(scaled.magnitude).quotientAndRemainder(dividingBy: 100)
    if scaled < 0 { bytes.append(UInt8(ascii: "-")) }
    bytes.append(digitsOf: whole)
    if rest == 0 { return }
    bytes.append(UInt8(ascii: "."))
    bytes.append(UInt8(ascii: "0") + UInt8(rest / 10))
    if rest % 10 != 0 { bytes.append(UInt8(ascii: "0") + UInt8(rest % 10)) }
  }

  /// Appends -1 for an unknown value, including NaN and the infinities.
  mutating func append(orMissing quantity: Double?, to bytes: inout [UInt8]) {
    if let quantity, quantity.isFinite { append(hundredths: quantity, to: &bytes) } else { appendMissing(to: &bytes) }
  }

  /// Appends with all digits.
  mutating func append(level: Double?, to bytes: inout [UInt8]) {
    if let level, level.isFinite { append(level, to: &bytes) } else { appendMissing(to: &bytes) }
  }

  private func appendMissing(to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "-"))
    bytes.append(UInt8(ascii: "1"))
  }
}
