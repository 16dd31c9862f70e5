package import Base
import JSON

/// Reads records as leniently as a server must: only the coordinates are required.
///
/// - Keys are those of the default schema, or at the root of a flat record their usual short forms (`lat`, `lng`, `t`).
///   Nested keys take precedence over flat ones and the schema's names over short forms; within one rank the last one counts.
///   `id` is the identity only if it has the form of a UUID.
/// - Numbers, booleans and times may be quoted, 0 and 1 are booleans. Times are ISO-8601 or a count since 1970 of seconds,
///   milliseconds or microseconds (`LenientText.instant` determines which).
/// - null and an empty text count as absent, and so does a negative accuracy, speed, heading or battery level.
/// - If the templates of the app are known, a record that one of them made is read by that template only.
/// - Everything else in a record is skipped; its bytes stay in the record.
package struct RecordDecoder: Sendable {
  let templates: [TemplateSchema]
  private let table = FieldTable.shared

  /// Records of array templates are refused when none of `templates` made them.
  package init(templates: [TemplateSchema] = []) {
    self.templates = templates
  }

  /// `record` is a value that an `EnvelopeReader` found, of which only the structure is checked.
  package func decode(_ record: Span<UInt8>) throws(RecordProblem) -> DecodedRecord {
    var scan = RecordScan(record, table: table)
    let problem: RecordProblem?
    do {
      problem = try read(&scan)
    } catch {
      throw RecordProblem(.malformed)
    }
    if let problem { throw problem }
    return try scan.result()
  }

  private func read(_ scan: inout RecordScan) throws(JSONError) -> RecordProblem? {
    if !templates.isEmpty, let template = try scan.template(among: templates) {
      try scan.read(template.root)
      return nil
    }
    switch try scan.kind() {
    case .object: try scan.readObject(in: .root)
    case .array: return RecordProblem(.arrayWithoutSchema)
    case .string, .number, .true, .false, .null: return RecordProblem(.notAnObject)
    }
    return nil
  }
}

/// The values of a record that a server stores beside its bytes. Nil means that the record lacks the value, or has -1 if that
/// is the SDK's value for "unknown".
package struct DecodedRecord: Equatable, Sendable {
  package internal(set) var uuid: UUID128?
  /// The range of an identity that does not have the form of a UUID, in the bytes of the record and without its quotes.
  package internal(set) var foreignIdentity: Range<Int>?
  package internal(set) var timestamp: WallInstant?
  package internal(set) var recordedAt: WallInstant?
  /// Degrees, -90 to 90.
  package internal(set) var latitude = Double.nan
  /// Degrees, -180 to 180.
  package internal(set) var longitude = Double.nan
  /// Metres.
  package internal(set) var accuracy: Double?
  /// Metres per second.
  package internal(set) var speed: Double?
  /// Degrees.
  package internal(set) var heading: Double?
  /// Metres.
  package internal(set) var altitude: Double?
  /// Metres.
  package internal(set) var odometer: Double?
  package internal(set) var isMoving: Bool?
  package internal(set) var event: RecordEvent?
  package internal(set) var isMock = false
  package internal(set) var activityType: ActivityType?
  /// 0 to 1.
  package internal(set) var batteryLevel: Double?
  package internal(set) var isCharging: Bool?
  package internal(set) var geofenceIdentifier: String?
  /// ENTER, EXIT or DWELL, unchanged.
  package internal(set) var geofenceAction: String?
  /// The fields whose values could not be read; the record is valid nevertheless.
  package internal(set) var unreadable = RecordFieldSet()
}

/// Why a record is invalid and must be quarantined. It concerns this record only, never its batch.
package struct RecordProblem: Error, Equatable {
  /// The reason; the raw value is suitable for storing.
  package enum Code: String, CaseIterable, Sendable {
    /// A number, a text, true, false or null instead of a record.
    case notAnObject
    /// An array of values, and no template defines the meaning of that many.
    case arrayWithoutSchema
    /// Latitude or longitude is missing or null.
    case missingCoordinate
    /// Latitude or longitude is present but not a number.
    case unreadableCoordinate
    /// Latitude beyond ±90 or longitude beyond ±180 degrees.
    case coordinateOutOfRange
    /// Not valid JSON, although its brackets and quotes match: a text has a lone surrogate, a control character or bytes that
    /// are not UTF-8, or a number is beyond the range of a double.
    case malformed
  }

  package let code: Code
  /// The key concerned, in the default schema.
  package let key: String?

  init(_ code: Code, _ field: RecordField? = nil) {
    self.code = code
    key = field.map { $0.key.description }
  }
}

/// The fields of a record that a server uses.
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

/// A set of fields of a record.
package struct RecordFieldSet: Equatable, Sendable {
  private var bits: UInt32 = 0

  package init() {}

  package var isEmpty: Bool { bits == 0 }

  /// In the order of their declaration.
  package var fields: [RecordField] { RecordField.allCases.filter(contains) }

  package func contains(_ field: RecordField) -> Bool { bits & (1 << UInt32(field.rawValue)) != 0 }

  mutating func insert(_ field: RecordField) { bits |= 1 << UInt32(field.rawValue) }

  mutating func remove(_ field: RecordField) { bits &= ~(1 << UInt32(field.rawValue)) }
}
