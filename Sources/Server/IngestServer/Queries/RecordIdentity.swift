import JSON
import Store

/// Whose record, and which.
struct RecordIdentity: Sendable {
  let device: DeviceIdentity
  let key: PointKey
}

extension JSONWriter {
  /// `device`, `uuid` and `timestamp`, which is null for a record without a time.
  mutating func members(of record: RecordIdentity) {
    key("device")
    value(record.device.name)
    key("uuid")
    value(record.key.uuid)
    key("timestamp")
    value(instant: record.key.recordedAt == 0 ? nil : record.key.recordedAt)
  }
}
