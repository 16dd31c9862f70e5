import Contract
import JSON
import Network
import Store

/// Delivers commands to a device. `sent` in the ledger means that a command is in an answer. `delivered` means that the client
/// showed that it read the answer: it sent another request on the connection afterwards, or closed it orderly after the answer.
/// `confirmed` means that a later record shows the effect, for commands whose effect records can show (`Command.proof`).
extension IngestSession {
  /// Sends the answer, with the commands that wait for the device.
  func answerDevice(_ exchange: Exchange, _ response: Response, _ output: inout SessionOutput) {
    // For a refresh only the answer identifies the device.
    if let device = response.device, exchange.device.isEmpty, exchange.route.deviceOperation == .refreshToken {
      exchange.device = device.name
    }
    guard let device = response.device, context.latestExpiry.isAhead(of: exchange.receivedAt),
      context.backend.submit(.takeCommands(device, limit: Response.commandsMax), for: address)
    else { return answer(exchange, response, bodyComplete: true, &output) }
    expectResult(of: exchange, .commands(response))
  }

  /// Must be called before the answer with these commands is written.
  func carry(_ commands: CarriedCommands, _ output: SessionOutput) {
    carried.append(CarriedAnswer(commands: commands, seen: shownCount + UInt64(output.unreadCount)))
    // A client that has ended its output may have given up: a later close does not show that it has read this.
    if output.hasClientEnded { returnCarried() }
  }

  /// Confirms the answers that the client had before it sent the request that begins at `place` in its output. A request that
  /// had arrived before an answer was sent does not confirm it.
  func confirmCarried(at place: UInt64 = .max) {
    for answer in carried where answer.seen <= place {
      // If the store is too busy, the ledger keeps `sent`.
      _ = context.backend.submit(.markDelivered(answer.commands.device, ids: answer.commands.ids), for: .discarded)
    }
    carried.removeAll { $0.seen <= place }
  }

  /// Returns the unconfirmed commands to the queue, because the client cannot have read them.
  func returnCarried() {
    for answer in carried { giveBack(answer.commands) }
    carried = []
  }

  func giveBack(_ commands: CarriedCommands?) {
    guard let commands else { return }
    _ = context.backend.submit(.returnCommands(commands.device, ids: commands.ids), for: .discarded)
  }

  /// Called when the connection has ended.
  func settleCommands(_ reason: CloseReason) {
    switch reason {
    case .clientClosed, .finished: confirmCarried()
    case .reset, .lost, .tlsInvalid, .aborted, .writeTimeout, .inputOverflow, .stopped:
      // The answer may have arrived all the same. Sending twice is the lesser error: commands describe a target state.
      returnCarried()
    case .clientGone, .idleTimeout, .headTimeout, .bodyTimeout, .bodyTooSlow, .lingerTimeout, .drained,
      .handshakeFailed, .connectFailed:
      break
    }
    carried = []
  }
}

/// Commands in an answer that may not have been read yet.
struct CarriedAnswer {
  let commands: CarriedCommands
  /// The number of bytes that the client had sent when the answer was written.
  let seen: UInt64
}

extension Continuation {
  /// The device whose commands the result may carry.
  var device: DeviceIdentity? {
    switch self {
    case .upload(let device): device
    case .commands(let response): response.device
    default: nil
    }
  }
}

extension Response {
  /// The maximum number of commands in one answer, equal to the length of a device's own queue (SDK §10.2).
  static let commandsMax = 100

  /// Allows adding the commands that wait for this device, whatever the status of the answer (SDK §10.3). Set only if the
  /// request has proven its identity as far as this server requires it: a client that merely claims a name must not get the
  /// commands of that device.
  func to(_ device: DeviceIdentity?) -> Response {
    var response = self
    response.device = device
    return response
  }

  /// Returns the answer with the commands added at its top level; tokens are found by key and are not affected (SDK §11.3).
  func carrying(_ commands: [TakenCommand]) -> Response {
    var response = self
    response.device = nil
    guard let device, let carried = CarriedCommands(commands, to: device) else { return response }
    precondition(body.last == UInt8(ascii: "}"), "an answer to a device is a JSON object")
    response.carried = carried
    var writer = JSONWriter(capacity: 256)
    writer.beginObject()
    writer.append(commands)
    writer.endObject()
    response.body.removeLast()
    if response.body != [UInt8(ascii: "{")] { response.body.append(UInt8(ascii: ",")) }
    response.body += writer.bytes.dropFirst()
    return response
  }

  /// Returns the answer with the commands in the result; a store that cannot be read adds nothing.
  func carrying(_ result: StoreResult) -> Response {
    do throws(ResponseError) {
      return carrying(try result.unpack { if case .commands(let commands) = $0 { commands } else { nil } })
    } catch {
      return to(nil)
    }
  }
}
