import Network
import Store

/// Commands on their way to a device. `sent` in the ledger means: in an answer. `delivered` means that the client showed
/// that it read the answer: it went on to another request on the connection, or closed it in order. `confirmed` means that
/// a record made since then shows what was ordered, for the commands of which records can tell (`Command.proof`).
extension IngestSession {
  /// Gives the answer, with the commands that wait for the device.
  func answerDevice(_ exchange: Exchange, _ response: Response, _ output: inout SessionOutput) {
    guard let device = response.device, context.orders.isAhead(of: exchange.receivedAt),
      context.submit(.takeCommands(device, limit: Response.commandsMax), address)
    else { return answer(exchange, response, bodyComplete: true, &output) }
    state = .owing(exchange, .commands(response))
    wishes.wantsInput = false
  }

  /// The client goes on after the last answer.
  func confirmCarried() {
    guard let carried else { return }
    self.carried = nil
    // Should the store be too busy, the ledger keeps saying `sent`.
    _ = context.submit(.markDelivered(carried.device, ids: carried.ids), .nobody)
  }

  /// The client cannot have read the last answer.
  func returnCarried() {
    guard let carried else { return }
    self.carried = nil
    _ = context.submit(.returnCommands(carried.device, ids: carried.ids), .nobody)
  }

  /// The connection is gone.
  func settleCommands(_ reason: CloseReason) {
    switch state {
    case .owing(_, let continuation):
      if let device = continuation.device { context.custody.abandoned(by: address, for: device) }
    // A fault held the answer back, or let out a part of it.
    case .delaying(_, .response(let response)):
      carried = response.carried
      returnCarried()
    case .dribbling: returnCarried()
    default: break
    }
    switch reason {
    case .clientClosed, .finished: confirmCarried()
    case .reset, .lost, .aborted, .writeTimeout, .inputOverflow, .stopped:
      // The answer may have arrived all the same. Twice is the better mistake: commands say what shall be.
      returnCarried()
    case .clientGone, .idleTimeout, .headTimeout, .bodyTimeout, .bodyTooSlow, .lingerTimeout, .drained: break
    }
    carried = nil
  }
}

extension Continuation {
  /// The device whose commands the result may carry.
  fileprivate var device: DeviceIdentity? {
    switch self {
    case .upload(let device): device
    case .commands(let response): response.device
    default: nil
    }
  }
}
