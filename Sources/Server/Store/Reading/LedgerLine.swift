/// What became of an order at one device.
package struct LedgerLine: Equatable, Sendable {
  /// How far an order came at a device.
  package enum State: String, Sendable {
    case queued, sent, confirmed, expired
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
  package var confirmedAt: Int64?
  package var attempts: Int
  package var cursor: LedgerCursor
}
