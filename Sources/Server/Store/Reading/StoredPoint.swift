package import Base

/// A record as it was kept.
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
  /// What the request said beside its records; empty for nothing.
  package var parameters: [UInt8]
}
