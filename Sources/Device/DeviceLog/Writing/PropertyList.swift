import JSON

/// A value in the old text form of property lists, in which iOS logs dictionaries: keys in alphabetical order, quotes
/// only where needed.
struct PropertyList {
  let text: String

  init(_ value: JSONValue) { text = Self.text(value, indent: "") }

  private static func text(_ value: JSONValue, indent: String) -> String {
    let inner = indent + "    "
    switch value {
    case .null: return "\"<null>\""
    case .bool(let flag): return flag ? "1" : "0"
    case .integer(let number): return quotedIfNeeded(String(number))
    case .double(let number): return quotedIfNeeded(String(number))
    case .string(let string): return quotedIfNeeded(string)
    case .array(let elements):
      let lines = elements.map { inner + text($0, indent: inner) }.joined(separator: ",\n")
      return elements.isEmpty ? "\(indent)(\n\(indent))" : "\(indent)(\n\(lines)\n\(indent))"
    case .object(let object):
      let lines = object.members.sorted { $0.key < $1.key }
        .map { "\(inner)\(quotedIfNeeded($0.key)) = \(nested($0.value, indent: inner));\n" }.joined()
      return "\(indent.isEmpty ? "" : indent){\n\(lines)\(indent)}"
    }
  }

  private static func nested(_ value: JSONValue, indent: String) -> String { text(value, indent: indent) }

  /// Quotes a text that is empty or has anything but letters, digits and `_ $ /`.
  private static func quotedIfNeeded(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "/"):
        true
      default: false
      }
    }
    if isPlain && !text.isEmpty { return text }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
