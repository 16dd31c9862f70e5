import Contract
import JSON
import Store

extension Response {
  /// At most so many in one answer; a device's own queue is as long (SDK §10.2).
  static let commandsMax = 100

  /// Commands that wait for this device may be added to the answer, whatever its status (SDK §10.3). Said only where
  /// the request has proven its identity as far as this server asks for proof: who merely claims a name must not be able
  /// to fetch another's commands.
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
}
