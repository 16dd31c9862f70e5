internal import JSON

/// A value of a JSON5 text with the place where it begins.
struct JSON5Value: Equatable, Sendable {
  /// A key with its value.
  struct Member: Equatable, Sendable {
    let key: String
    let position: SourcePosition
    var value: JSON5Value
  }

  indirect enum Content: Equatable, Sendable {
    case null
    case bool(Bool)
    /// Written without fraction and exponent, or in hexadecimal, and not -0.
    case integer(Int64)
    /// Also the infinities and NaN, which JSON5 has; every key of a scenario refuses them.
    case double(Double)
    case string(String)
    case array([JSON5Value])
    /// Keys are unique.
    case object([Member])
  }

  var content: Content
  let position: SourcePosition
  /// The text came out of the environment, which has only texts: it may stand for a number or a truth value.
  var isSubstituted = false

  /// The member of an object; nil when there is none or this is no object.
  subscript(key: String) -> JSON5Value? {
    guard case .object(let members) = content else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// With its article, for messages.
  var kindName: String {
    switch content {
    case .null: "null"
    case .bool: "a truth value"
    case .integer, .double: "a number"
    case .string: "a string"
    case .array: "a list"
    case .object: "an object"
    }
  }

  /// Without positions. Numbers that JSON cannot say become null, as `JSON.stringify` has it.
  var json: JSONValue {
    switch content {
    case .null: return .null
    case .bool(let flag): return .bool(flag)
    case .integer(let number): return .integer(number)
    case .double(let number): return number.isFinite ? .double(number) : .null
    case .string(let text): return .string(text)
    case .array(let elements): return .array(elements.map(\.json))
    case .object(let members):
      var object = JSONObject()
      for member in members { object[member.key] = member.value.json }
      return .object(object)
    }
  }
}
