internal import JSON

extension JSONValue {
  /// The value where only text can go, in a header or a form field: strings as they are, null not at all, the rest as
  /// JSON.
  var plainText: String? {
    switch self {
    case .null: return nil
    case .string(let text): return text
    case .bool, .integer, .double, .array, .object:
      var writer = JSONWriter(capacity: 64)
      write(to: &writer)
      return String(decoding: writer.bytes, as: UTF8.self)
    }
  }
}
