package import Base

/// A log file that a device uploaded.
package struct DeviceLog: Sendable {
  package var device: DeviceIdentity
  package var receivedAt: WallInstant
  package var fileName: String
  package var bytes: [UInt8]

  package init(device: DeviceIdentity, receivedAt: WallInstant, fileName: String, bytes: [UInt8]) {
    self.device = device
    self.receivedAt = receivedAt
    self.fileName = fileName
    self.bytes = bytes
  }
}
