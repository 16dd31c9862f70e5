package import Base

/// A record as it waits in the queue: rendered, and never changed again.
package struct QueuedRecord: Equatable, Sendable {
  /// The row: grows with every insert of a device and is never used twice.
  package let id: Int64
  package let uuid: UUID128
  /// The record's own time, by which it grows old.
  package let timestamp: WallInstant
  package let bytes: [UInt8]

  package init(id: Int64, uuid: UUID128, timestamp: WallInstant, bytes: [UInt8]) {
    self.id = id
    self.uuid = uuid
    self.timestamp = timestamp
    self.bytes = bytes
  }
}
