internal import JSON

/// Reads typed fields of an untrusted object. Null counts as absent; unknown fields are ignored.
struct FieldReader {
  private let object: JSONObject

  init(_ value: JSONValue) throws(FieldError) {
    guard case .object(let object) = value else {
      throw FieldError("", .wrongType(expected: "an object", found: value.kindName))
    }
    self.object = object
  }

  func value(_ key: String) -> JSONValue? {
    let value = object[key]
    return value == .null ? nil : value
  }

  func optionalText(_ key: String) throws(FieldError) -> String? {
    guard let value = value(key) else { return nil }
    guard case .string(let text) = value else { throw wrongType(key, "a string", value) }
    return text
  }

  /// Returns a text that must not be empty.
  func text(_ key: String) throws(FieldError) -> String {
    guard let text = try optionalText(key), !text.isEmpty else { throw FieldError(key, .missing) }
    return text
  }

  func optionalNumber(_ key: String) throws(FieldError) -> Double? {
    guard let value = value(key) else { return nil }
    guard let number = value.coercedNumber else { throw wrongType(key, "a number", value) }
    return number
  }

  func number(_ key: String) throws(FieldError) -> Double {
    guard let number = try optionalNumber(key) else { throw FieldError(key, .missing) }
    return number
  }

  func flag(_ key: String, default absent: Bool) throws(FieldError) -> Bool {
    guard let value = value(key) else { return absent }
    guard let flag = value.coercedBool else { throw wrongType(key, "true or false", value) }
    return flag
  }

  func wrongType(_ path: String, _ expected: String, _ value: JSONValue) -> FieldError {
    FieldError(path, .wrongType(expected: expected, found: value.kindName))
  }
}

/// Why an untrusted object was refused: the field, and the expected value.
package struct FieldError: Error, Equatable, Sendable {
  /// The error of the field.
  package enum Problem: Equatable, Sendable {
    case missing
    case wrongType(expected: String, found: String)
    case outOfRange(expected: String)
    /// A key that is not known. `hint` names the one that may be meant, or is empty.
    case unknownKey(hint: String)
  }

  /// The path of the field, `vertices[2]`; empty for the object itself.
  package let path: String
  package let problem: Problem

  package init(_ path: String, _ problem: Problem) {
    self.path = path
    self.problem = problem
  }
}

extension FieldError: CustomStringConvertible {
  package var description: String {
    let field = path.isEmpty ? "the value" : path
    return switch problem {
    case .missing: "\(field) is missing"
    case .wrongType(let expected, let found): "\(field) must be \(expected), not \(found)"
    case .outOfRange(let expected): "\(field) must be \(expected)"
    case .unknownKey(let hint): "\(field): unknown key" + (hint.isEmpty ? "" : "; \(hint)")
    }
  }
}
