import Base
import Contract
import JSON
import Vocabulary

/// What an administrator of the server does because of a fault: a request, the same for every server of ours.
struct Administration {
  let path: String
  let body: String

  /// Access tokens that the device got until now are out of date.
  static func expireTokens(of device: String) -> Administration {
    Administration(path: "/admin/v1/tokens/expire", body: JSONValue.object(["device": .string(device)]).string)
  }

  /// None of its tokens is worth anything.
  static func revokeTokens(of device: String) -> Administration {
    Administration(path: "/admin/v1/tokens/revoke", body: JSONValue.object(["device": .string(device)]).string)
  }

  /// The next answers to the device carry these.
  static func order(_ commands: [Command], to device: String) -> Administration {
    let list = JSONValue.object(["commands": .array(commands.map(\.json))])
    return Administration(path: "/admin/v1/devices/\(device.percentEncoded)/commands", body: list.string)
  }
}

extension JSONValue {
  var serialized: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }

  fileprivate var string: String { String(decoding: serialized, as: UTF8.self) }
}

extension String {
  /// As one segment of a path (RFC 3986 §2.3).
  fileprivate var percentEncoded: String {
    var text = ""
    for byte in utf8 {
      let scalar = UnicodeScalar(byte)
      if scalar.properties.isASCIIHexDigit || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
        || "-._~".unicodeScalars.contains(scalar)
      {
        text.unicodeScalars.append(scalar)
      } else {
        text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    return text
  }
}
