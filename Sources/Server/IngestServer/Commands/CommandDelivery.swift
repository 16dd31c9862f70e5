import Contract
import JSON
import Network
import Store

/// Commands on their way to a device. `sent` in the ledger means: in an answer. `delivered` means that the client showed
/// that it read the answer: it sent another request on the connection since, or closed it in order behind the answer. `confirmed` means that
/// a record made since then shows what was ordered, for the commands of which records can tell (`Command.proof`).
extension IngestSession {
  /// Gives the answer, with the commands that wait for the device.
  func answerDevice(_ exchange: Exchange, _ response: Response, _ output: inout SessionOutput) {
    // Of a refresh only the answer knows whose it is.
    if let device = response.device, exchange.device.isEmpty, exchange.route.deviceOperation == .refreshToken {
      exchange.device = device.name
    }
    guard let device = response.device, context.latestExpiry.isAhead(of: exchange.receivedAt),
      context.backend.submit(.takeCommands(device, limit: Response.commandsMax), for: address)
    else { return answer(exchange, response, bodyComplete: true, &output) }
    expectResult(of: exchange, .commands(response))
  }

  /// To be called before the answer with them is written.
  func carry(_ commands: CarriedCommands, _ output: SessionOutput) {
    carried.append(CarriedAnswer(commands: commands, seen: shownCount + UInt64(output.unreadCount)))
    // A client that has ended its output may have given up: that it closes then is no sign that it has read this.
    if output.hasClientEnded { returnCarried() }
  }

  /// The client goes on with a request that begins there in its output. One that was here before the answer left says nothing of it.
  func confirmCarried(at place: UInt64 = .max) {
    for answer in carried where answer.seen <= place {
      // Should the store be too busy, the ledger keeps saying `sent`.
      _ = context.backend.submit(.markDelivered(answer.commands.device, ids: answer.commands.ids), for: .discarded)
    }
    carried.removeAll { $0.seen <= place }
  }

  /// The client cannot have read what it has not confirmed.
  func returnCarried() {
    for answer in carried { giveBack(answer.commands) }
    carried = []
  }

  func giveBack(_ commands: CarriedCommands?) {
    guard let commands else { return }
    _ = context.backend.submit(.returnCommands(commands.device, ids: commands.ids), for: .discarded)
  }

  /// The connection has ended.
  func settleCommands(_ reason: CloseReason) {
    switch reason {
    case .clientClosed, .finished: confirmCarried()
    case .reset, .lost, .tlsInvalid, .aborted, .writeTimeout, .inputOverflow, .stopped:
      // The answer may have arrived all the same. Sending twice is the better error: commands describe a target state.
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
  /// So many bytes the client had sent when the answer was written.
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
  /// At most so many in one answer; a device's own queue is as long (SDK §10.2).
  static let commandsMax = 100

  /// Commands that wait for this device may be added to the answer, whatever its status (SDK §10.3). Set only where
  /// the request has proven its identity as far as this server asks for proof: a client that merely claims a name must not
  /// get the commands of that device.
  func to(_ device: DeviceIdentity?) -> Response {
    var response = self
    response.device = device
    return response
  }

  /// The answer with the commands at its top level, beside what it says anyway; tokens are found by key and are not
  /// disturbed (SDK §11.3).
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

  /// The answer with what was found for its device; a store that cannot be read adds nothing.
  func carrying(_ result: StoreResult) -> Response {
    do throws(ResponseError) {
      return carrying(try result.unpack { if case .commands(let commands) = $0 { commands } else { nil } })
    } catch {
      return to(nil)
    }
  }
}
