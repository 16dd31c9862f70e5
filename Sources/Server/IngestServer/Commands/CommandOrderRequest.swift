import Base
import Contract
import JSON

/// What an administrator wants queued, beside the commands themselves: `{"commands":[["stop"]],"tag":"vans","ttl":"1h","key":"evening"}`.
struct CommandOrderRequest {
  /// Only in a broadcast; without it everyone is meant.
  let tag: String?
  let lifetimeSeconds: Int64
  /// While orders with this key are open, the same request adds nothing.
  let key: String?

  /// Long enough for a phone that lies in a drawer over the weekend.
  static let standardLifetimeSeconds: Int64 = 7 * 86_400
  static let longestLifetimeSeconds: Int64 = 90 * 86_400
  init(_ body: JSONValue, isBroadcast: Bool) throws(FieldError) {
    let fields = try AdminFields(body, knows: [CommandKey.commands, "ttl", "key"] + (isBroadcast ? ["tag"] : []))
    tag = isBroadcast ? try Self.name("tag", fields) : nil
    key = try Self.name("key", fields)
    lifetimeSeconds = try Self.lifetime(fields.value("ttl"))
  }

  private static func name(_ key: String, _ fields: AdminFields) throws(FieldError) -> String? {
    let text = try fields.text(key)
    if text == "" { throw FieldError(key, .outOfRange(expected: "a text that is not empty")) }
    return text
  }

  /// A number of seconds, or a text such as `90s`, `10m`, `1h`, `7d`.
  private static func lifetime(_ value: JSONValue?) throws(FieldError) -> Int64 {
    let seconds: Int64?
    switch value {
    case nil: return standardLifetimeSeconds
    case .integer(let number): seconds = number
    case .string(let text): seconds = Nanoseconds(text: text).map { $0.wholeMilliseconds / 1_000 }
    default: seconds = nil
    }
    guard let seconds, (1...longestLifetimeSeconds).contains(seconds) else {
      throw FieldError(
        "ttl", .outOfRange(expected: "a time from 1s to 90d, as 90s, 10m, 1h or 7d, or a number of seconds"))
    }
    return seconds
  }
}
