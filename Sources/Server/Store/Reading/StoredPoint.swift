package import Base

/// A stored record.
package struct StoredPoint: Equatable, Sendable {
  package var cursor: PointCursor
  package var uuid: UUID128
  /// Milliseconds since 1970, 0 when the record has no time.
  package var recordedAt: Int64
  package var receivedAt: Int64
  package var latitude: Double?
  package var longitude: Double?
  package var accuracy: Double?
  package var speed: Double?
  package var heading: Double?
  package var isMoving: Bool?
  package var event: String?
  /// The record's JSON, byte for byte.
  package var record: [UInt8]
  /// The other values of the request; empty for none.
  package var parameters: [UInt8]

  package init(
    cursor: PointCursor, uuid: UUID128, recordedAt: Int64, receivedAt: Int64, latitude: Double? = nil,
    longitude: Double? = nil, accuracy: Double? = nil, speed: Double? = nil, heading: Double? = nil,
    isMoving: Bool? = nil, event: String? = nil, record: [UInt8], parameters: [UInt8]
  ) {
    self.cursor = cursor
    self.uuid = uuid
    self.recordedAt = recordedAt
    self.receivedAt = receivedAt
    self.latitude = latitude
    self.longitude = longitude
    self.accuracy = accuracy
    self.speed = speed
    self.heading = heading
    self.isMoving = isMoving
    self.event = event
    self.record = record
    self.parameters = parameters
  }
}

/// A stored record with the values that conditions examine.
package struct ArrivedRecord: Sendable {
  package var device: DeviceIdentity
  package var key: PointKey
  /// Milliseconds since 1970.
  package var receivedAt: Int64
  package var event: String?
  /// The record's JSON, byte for byte.
  package var record: [UInt8]
  package var cursor: PointCursor

  package init(
    device: DeviceIdentity, key: PointKey, receivedAt: Int64, event: String? = nil, record: [UInt8],
    cursor: PointCursor
  ) {
    self.device = device
    self.key = key
    self.receivedAt = receivedAt
    self.event = event
    self.record = record
    self.cursor = cursor
  }
}

/// The key of a stored record, for reconciliation: device, identity, time.
package struct StoredKey: Equatable, Sendable {
  package var device: DeviceIdentity
  package var key: PointKey

  package init(device: DeviceIdentity, key: PointKey) {
    self.device = device
    self.key = key
  }
}
