/// A record that was put aside.
package struct QuarantinedRecord: Equatable, Sendable {
  package var id: Int64
  package var device: DeviceIdentity
  package var receivedAt: Int64
  package var reason: String
  package var detail: String
  package var record: [UInt8]
}
