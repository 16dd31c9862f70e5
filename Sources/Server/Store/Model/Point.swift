package import Base

/// One record on its way into the store: what queries need of it, and where its bytes lie.
package struct Point: Sendable {
  /// The record's own time in milliseconds since 1970, 0 when it has none. Never the time of arrival: a retry must meet
  /// its first delivery under the same key.
  package var recordedAt: Int64
  /// The record's uuid, or a hash of its bytes when it has none.
  package var uuid: UUID128
  /// Degrees; nil when a template left them out.
  package var latitude: Double?
  package var longitude: Double?
  /// Metres.
  package var accuracy: Double?
  /// Metres per second.
  package var speed: Double?
  /// Degrees clockwise from north.
  package var heading: Double?
  package var isMoving: Bool?
  /// Metres. Looked at when it comes, not kept beside the record.
  package var odometer: Double?
  /// What made the SDK write the record; nil or empty for plain tracking.
  package var event: String?
  /// Where the record's JSON lies in the bytes of its batch.
  package var record: Range<Int>

  package init(
    recordedAt: Int64, uuid: UUID128, latitude: Double? = nil, longitude: Double? = nil, accuracy: Double? = nil,
    speed: Double? = nil, heading: Double? = nil, isMoving: Bool? = nil, odometer: Double? = nil, event: String? = nil,
    record: Range<Int>
  ) {
    self.recordedAt = recordedAt
    self.uuid = uuid
    self.latitude = latitude
    self.longitude = longitude
    self.accuracy = accuracy
    self.speed = speed
    self.heading = heading
    self.isMoving = isMoving
    self.odometer = odometer
    self.event = event
    self.record = record
  }
}
