package import JSON

extension JSONValue {
  /// Indented by two spaces, for people and their diffs; lists of numbers stay on a line.
  package var pretty: String { pretty(indentation: "") }

  private func pretty(indentation: String) -> String {
    let inner = indentation + "  "
    switch self {
    case .array(let elements) where !elements.isEmpty && !elements.allSatisfy(\.isNumeric):
      return "[\n" + elements.map { inner + $0.pretty(indentation: inner) }.joined(separator: ",\n")
        + "\n\(indentation)]"
    case .object(let object) where !object.members.isEmpty:
      let lines = object.members.map { member in
        "\(inner)\(JSONValue.string(member.key).pretty): \(member.value.pretty(indentation: inner))"
      }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(indentation)}"
    case .null, .bool, .integer, .double, .string, .array, .object:
      var writer = JSONWriter(capacity: 64)
      write(to: &writer)
      return String(decoding: writer.bytes, as: UTF8.self)
    }
  }

  private var isNumeric: Bool {
    switch self {
    case .integer, .double: true
    case .array(let elements): elements.allSatisfy(\.isNumeric)
    case .null, .bool, .string, .object: false
    }
  }
}
