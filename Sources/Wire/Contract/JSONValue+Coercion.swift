package import JSON

/// Coercions of values from apps and servers. Platforms differ in the type with which they send a number or a flag.
extension JSONValue {
  package static let emptyObject = JSONValue.object(JSONObject())

  /// Returns an integer when the number is one, so that 10 and 10.0 are the same value.
  static func number(_ number: Double) -> JSONValue {
    Int64(exactly: number).map { .integer($0) } ?? .double(number)
  }

  /// The kind of the value, for messages; the value itself may be long or secret.
  var kindName: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .integer, .double: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }

  /// true, false, 0 and 1.
  var coercedBool: Bool? {
    switch self {
    case .bool(let flag): flag
    case .integer(0): false
    case .integer(1): true
    case .double(let number): number == 0 ? false : number == 1 ? true : nil
    case .null, .integer, .string, .array, .object: nil
    }
  }

  /// A number, or a string in the form of one. Always finite.
  var coercedNumber: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .double(let number): number.isFinite ? number : nil
    case .string(let text): JSONValue.number(in: text)
    case .null, .bool, .array, .object: nil
    }
  }

  /// A number without a fraction, or a string in the form of one.
  var coercedInteger: Int? {
    switch self {
    case .integer(let number): Int(exactly: number)
    case .string(let text): Int(text) ?? JSONValue.number(in: text).flatMap { Int(exactly: $0) }
    case .double(let number): Int(exactly: number)
    case .null, .bool, .array, .object: nil
    }
  }

  /// The elements of an array when all are strings.
  var strings: [String]? {
    guard case .array(let elements) = self else { return nil }
    var texts: [String] = []
    for element in elements {
      guard case .string(let text) = element else { return nil }
      texts.append(text)
    }
    return texts
  }

  /// Swift also parses "inf", "nan" and hexadecimal; no client sends those on purpose.
  private static func number(in text: String) -> Double? {
    guard !text.isEmpty, text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
    guard let number = Double(text), number.isFinite else { return nil }
    return number
  }
}

extension JSONValue {
  /// The value for places that allow only text, such as a header or a form field: strings unchanged, nil for null, the rest as
  /// JSON.
  var plainText: String? {
    switch self {
    case .null: return nil
    case .string(let text): return text
    case .bool, .integer, .double, .array, .object:
      return serializedText
    }
  }
}
