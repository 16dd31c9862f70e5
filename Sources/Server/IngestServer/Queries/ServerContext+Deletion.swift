import Contract
import JSON
import Store

extension ServerContext {
  /// `DELETE /admin/v1/devices/{id}?run`: the device goes with its records, quarantine, commands, tags and logs. Whoever
  /// shows a token of it gets 410 and a `stop` from then on, until the device registers again. An upload in its name without
  /// a token makes a new device: nothing tells it from one that was never there.
  func deleteDevice(_ exchange: Exchange) throws(ResponseError) -> Reply {
    let device = exchange.namedDevice
    return .store(.delete(device), afterwards: .deletion(device))
  }

  func wasDeleted(_ device: DeviceIdentity, _ result: StoreResult) -> Response {
    if case .changed(0) = result { return .unknownDevice(device) }
    return counted("devices", result)
  }
}

extension Response {
  /// The demo server's word for it, with the order that ends a client's tracking (SDK §21).
  static let deviceDeleted: Response = {
    let error = ErrorBody(code: "device_deleted", message: "this device was deleted; it has to register again")
    guard case .object(var body) = error.json else { preconditionFailure("an error is an object") }
    body[CommandKey.backgroundGeolocation] = .array([Command.stop.json])
    return .json(410) { JSONValue.object(body).write(to: &$0) }
  }()
}
