package import Base

/// What makes a record of a device the same record.
package struct PointKey: Hashable, Sendable {
  /// Milliseconds since 1970, 0 for a record without a time.
  package var recordedAt: Int64
  package var uuid: UUID128

  package init(recordedAt: Int64, uuid: UUID128) {
    self.recordedAt = recordedAt
    self.uuid = uuid
  }
}
