/// The progress of a queued command at one device.
package struct CommandProgress: Equatable, Sendable {
  /// How far the command has come.
  package enum State: String, Sendable {
    case queued, sent
    /// The device showed that it has read the answer with the command.
    case delivered
    /// A later record of the device shows the effect of the command.
    case confirmed
    case expired

    /// `kept` is the stored state of the delivery, nil when there is none.
    package init(kept: Int64?, expires: Int64, now: Int64) {
      self =
        switch kept {
        case DeliveryState.confirmed: .confirmed
        case DeliveryState.delivered: .delivered
        case DeliveryState.sent: .sent
        default: expires <= now ? .expired : .queued
        }
    }
  }

  package var id: Int64
  package var target: QueuedCommand.Target
  package var command: [UInt8]
  package var createdAt: Int64
  package var expiresAt: Int64
  /// The name of the device that fetched it; nil while none has.
  package var device: String?
  package var state: State
  package var sentAt: Int64?
  package var deliveredAt: Int64?
  package var confirmedAt: Int64?
  package var attempts: Int
  package var cursor: CommandCursor

  package init(
    id: Int64, target: QueuedCommand.Target, command: [UInt8], createdAt: Int64, expiresAt: Int64,
    device: String? = nil, state: State, sentAt: Int64? = nil, deliveredAt: Int64? = nil, confirmedAt: Int64? = nil,
    attempts: Int, cursor: CommandCursor
  ) {
    self.id = id
    self.target = target
    self.command = command
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.device = device
    self.state = state
    self.sentAt = sentAt
    self.deliveredAt = deliveredAt
    self.confirmedAt = confirmedAt
    self.attempts = attempts
    self.cursor = cursor
  }
}
