package import Base

/// What a server stores of a record beside its bytes. Nil means that the record does not say, or says -1 where that is
/// the SDK's word for "unknown".
package struct DecodedRecord: Equatable, Sendable {
  package internal(set) var uuid: UUID128?
  /// Where an identity stands that has not the form of a UUID, within the bytes of the record and without its quotes.
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
  /// ENTER, EXIT or DWELL, as it came.
  package internal(set) var geofenceAction: String?
  /// What the record does say, but in a way that could not be read; the record is good nevertheless.
  package internal(set) var unreadable = RecordFieldSet()
}
