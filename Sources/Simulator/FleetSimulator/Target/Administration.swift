import AnswerCheck
import Contract
import JSON

/// An administrative request that a fault makes, the same for every Rolling Road server.
struct Administration {
  let path: String
  let body: String

  /// Expires the access tokens that the device has.
  static func expireTokens(of device: String) -> Administration {
    Administration(path: "/admin/v1/tokens/expire", body: JSONValue.object(["device": .string(device)]).string)
  }

  /// Revokes all tokens of the device.
  static func revokeTokens(of device: String) -> Administration {
    Administration(path: "/admin/v1/tokens/revoke", body: JSONValue.object(["device": .string(device)]).string)
  }

  /// Replaces the key that signs tokens.
  static let rotateKeys = Administration(path: "/admin/v1/tokens/rotate-keys", body: "")

  /// Queues commands for the next answers to the device, at most a hundred per request.
  static func queue(_ commands: [Command], for device: String) -> [Administration] {
    stride(from: 0, to: commands.count, by: 100).map { start in
      let list = JSONValue.object(["commands": .array(commands[start...].prefix(100).map(\.json))])
      return Administration(path: "/admin/v1/devices/\(device.percentEncoded)/commands", body: list.string)
    }
  }
}

extension JSONValue {
  fileprivate var string: String { String(decoding: serialized, as: UTF8.self) }
}
