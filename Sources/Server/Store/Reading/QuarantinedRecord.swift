/// A quarantined record.
package struct QuarantinedRecord: Equatable, Sendable {
  package var id: Int64
  package var device: DeviceIdentity
  package var receivedAt: Int64
  package var reason: String
  package var detail: String
  package var record: [UInt8]

  package init(id: Int64, device: DeviceIdentity, receivedAt: Int64, reason: String, detail: String, record: [UInt8]) {
    self.id = id
    self.device = device
    self.receivedAt = receivedAt
    self.reason = reason
    self.detail = detail
    self.record = record
  }
}

/// A stored device log.
package struct StoredLog: Equatable, Sendable {
  package var id: Int64
  package var receivedAt: Int64
  package var fileName: String
  package var byteCount: Int

  package init(id: Int64, receivedAt: Int64, fileName: String, byteCount: Int) {
    self.id = id
    self.receivedAt = receivedAt
    self.fileName = fileName
    self.byteCount = byteCount
  }
}
