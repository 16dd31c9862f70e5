package import Base

/// The records of one request, stored all or none. All of them share one buffer, the request's body as a rule.
package struct IngestBatch: Sendable {
  package var device: DeviceIdentity
  package var receivedAt: WallInstant
  /// Checked in the same transaction when it is there; nil when the request needs no token.
  package var credential: TokenCredential?
  /// What the request said beside its records, as a JSON object; empty for nothing.
  package var parameters: [UInt8]
  package var bytes: [UInt8]
  package var points: [Point]
  package var quarantined: [QuarantinedItem]
  /// At most so many commands are marked as sent and returned with the receipt.
  package var commandLimit: Int

  package init(
    device: DeviceIdentity, receivedAt: WallInstant, credential: TokenCredential? = nil, parameters: [UInt8] = [],
    bytes: [UInt8], points: [Point], quarantined: [QuarantinedItem] = [], commandLimit: Int = 100
  ) {
    self.device = device
    self.receivedAt = receivedAt
    self.credential = credential
    self.parameters = parameters
    self.bytes = bytes
    self.points = points
    self.quarantined = quarantined
    self.commandLimit = commandLimit
  }
}
