/// What became of an order at one device.
package struct LedgerLine: Equatable, Sendable {
  /// How far an order came at a device.
  package enum State: String, Sendable {
    case queued, sent
    /// The device showed that it read the answer that carried it.
    case delivered
    /// A record that the device made later shows what was ordered.
    case confirmed
    case expired
  }

  package var id: Int64
  package var target: CommandOrder.Target
  package var command: [UInt8]
  package var createdAt: Int64
  package var expiresAt: Int64
  /// The name of the device that fetched it; nil while nobody has.
  package var device: String?
  package var state: State
  package var sentAt: Int64?
  package var deliveredAt: Int64?
  package var confirmedAt: Int64?
  package var attempts: Int
  package var cursor: LedgerCursor
}
