import Base
import Contract
import JSON
import Vocabulary

/// The values that a stored record of the default schema has, by the record that its app was told of (SDK §5.1, §7.2.1).
struct ToldRecord {
  private enum Value {
    case absent
    case flag(Bool)
    case number(Double)
    /// A quantity that an unknown one may lack, or has as this number.
    case quantity(Double?, unknown: Double)
    /// Degrees of a place, of which no digit is lost.
    case degrees(Double)
    case text(String)
    case instant(WallInstant)
    case object(RenderedObject)
  }

  private let fields: [(path: [String], value: Value)]

  /// Numbers are rounded to two decimals; the largest have none.
  private static let rounding = (least: 0.006, share: 1e-14)
  private static let degreesRounding = 1e-7
  /// A record may contain extras of any depth.
  private static let limits = JSONLimits(maxDepth: JSONLimits.greatestDepth)

  /// iOS writes the identity in capitals.
  init(_ record: LocationRecord, on platform: DevicePlatform) {
    let coords = record.coords
    fields =
      [
        (["uuid"], .text(platform == .ios ? record.uuid.upperCaseText : record.uuid.text)),
        (["coords", "latitude"], .degrees(coords.latitude)),
        (["coords", "longitude"], .degrees(coords.longitude)),
        (["timestamp"], .instant(record.timestamp)),
        (["recorded_at"], record.recordedAt.map { .instant($0) } ?? .absent),
        (["age"], record.ageMilliseconds.map { .number(Double($0)) } ?? .absent),
        (["is_moving"], .flag(record.isMoving)),
        (["odometer"], .number(record.odometer)),
        (["odometer_error"], record.odometerError.map { .number($0) } ?? .absent),
        (["event"], record.event.map { .text($0.name) } ?? .absent),
        (["coords", "accuracy"], ToldRecord.quantity(coords.accuracy)),
        (["coords", "speed"], ToldRecord.quantity(coords.speed)),
        (["coords", "heading"], ToldRecord.quantity(coords.heading)),
        (["coords", "speed_accuracy"], ToldRecord.quantity(coords.speedAccuracy)),
        (["coords", "heading_accuracy"], ToldRecord.quantity(coords.headingAccuracy)),
        (["coords", "altitude"], .quantity(ToldRecord.altitude(of: coords, on: platform), unknown: 0)),
        (["coords", "altitude_accuracy"], .quantity(coords.altitudeAccuracy, unknown: -1)),
        (["coords", "ellipsoidal_altitude"], .quantity(coords.ellipsoidalAltitude, unknown: 0)),
        (["activity", "type"], .text(record.activity.type.name)),
        (["activity", "confidence"], .number(Double(record.activity.confidence))),
        (["battery", "level"], ToldRecord.quantity(record.battery.level)),
        (["battery", "is_charging"], .flag(record.battery.isCharging)),
        (["extras"], .object(record.extras)),
      ] + ToldRecord.fields(of: record.geofence)
  }

  private static func fields(of trigger: GeofenceTrigger?) -> [(path: [String], value: Value)] {
    guard let trigger else { return [(["geofence"], .absent)] }
    return [
      (["geofence", "identifier"], .text(trigger.identifier)),
      (["geofence", "action"], .text(trigger.action.rawValue)),
      (["geofence", "timestamp"], .instant(trigger.timestamp)),
      (["geofence", "extras"], .object(trigger.extras)),
    ]
  }

  /// On iOS that above the sea, on Android that above the ellipsoid.
  private static func altitude(of coords: Coordinates, on platform: DevicePlatform) -> Double? {
    platform == .ios ? coords.altitude : coords.ellipsoidalAltitude ?? coords.altitude
  }

  /// An unknown quantity is -1.
  private static func quantity(_ number: Double?) -> Value { .number(number ?? -1) }

  /// Returns the path of the first value that the stored record has otherwise, times in this format; nil where it has all
  /// of them, or is nested too deep to be read.
  func difference(from stored: [UInt8], timestamps: TimestampFormat) -> String? {
    do throws(JSONError) {
      let stored = try JSONValue(parsing: stored.span, limits: ToldRecord.limits, reading: .lenient)
      for (path, value) in fields {
        let found = path.reduce(stored as JSONValue?) { $0?[$1] }
        if try !ToldRecord.agrees(value, with: found, timestamps) { return path.joined(separator: ".") }
      }
      return nil
    } catch { return nil }
  }

  private static func agrees(
    _ told: Value, with stored: JSONValue?, _ timestamps: TimestampFormat
  ) throws(JSONError) -> Bool {
    switch (told, stored) {
    case (.absent, nil): true
    case (.flag(let flag), .bool(let found)?): flag == found
    case (.number(let number), .integer(let found)?): isNear(number, Double(found))
    case (.number(let number), .double(let found)?): isNear(number, found)
    case (.quantity(nil, _), nil): true
    case (.quantity(let number, let unknown), .integer(let found)?): isNear(number ?? unknown, Double(found))
    case (.quantity(let number, let unknown), .double(let found)?): isNear(number ?? unknown, found)
    // A number that JSON cannot express is unknown.
    case (.quantity(let number?, _), _): !number.isFinite
    case (.number(let number), _): !number.isFinite
    case (.degrees(let degrees), .integer(let found)?): Double(found) == degrees
    case (.degrees(let degrees), .double(let found)?): abs(degrees - found) <= degreesRounding
    case (.text(let text), .string(let found)?): text == found
    case (.instant(let instant), .string(let found)?):
      timestamps == .iso && WallInstant(iso8601: found.utf8.span) == instant
    case (.instant(let instant), .integer(let found)?):
      timestamps == .epoch && instant.millisecondsSince1970 == found
    case (.object(let object), nil): object.isEmpty
    case (.object(let object), let found?): try value(of: object) == found
    default: false
    }
  }

  private static func isNear(_ number: Double, _ found: Double) -> Bool {
    !number.isFinite || abs(number - found) <= rounding.least + rounding.share * abs(number)
  }

  private static func value(of object: RenderedObject) throws(JSONError) -> JSONValue {
    var text: [UInt8] = []
    object.append(to: &text)
    return try JSONValue(parsing: text.span, limits: limits, reading: .lenient)
  }

  /// Returns the first key of the configuration's extras that the record lacks. Those of a request may replace their values.
  static func key(missingIn record: LocationRecord, of extras: RenderedObject) -> String? {
    guard record.extras != extras else { return nil }
    do throws(JSONError) {
      guard case .object(let wanted) = try value(of: extras) else { return nil }
      let found = try value(of: record.extras)
      return wanted.members.first { found[$0.key] == nil }?.key
    } catch { return nil }
  }
}
