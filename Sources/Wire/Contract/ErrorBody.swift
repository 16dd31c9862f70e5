package import JSON

/// The body of an error answer: `{"error":{"code":…,"message":…,"detail":…}}`.
package struct ErrorBody: Equatable, Sendable {
  private enum Key {
    static let error = "error"
    static let code = "code"
    static let message = "message"
    static let detail = "detail"
  }

  /// A stable code for programs, in snake case.
  package let code: String
  /// A message for people.
  package let message: String
  package let detail: JSONValue?

  package init(code: String, message: String, detail: JSONValue? = nil) {
    self.code = code
    self.message = message
    self.detail = detail
  }

  package init(_ value: JSONValue) throws(FieldError) {
    guard let error = try FieldReader(value).value(Key.error) else { throw FieldError(Key.error, .missing) }
    let fields = try FieldReader(error)
    code = try fields.text(Key.code)
    message = try fields.text(Key.message)
    detail = fields.value(Key.detail)
  }

  package var json: JSONValue {
    var error: JSONObject = [Key.code: .string(code), Key.message: .string(message)]
    error[Key.detail] = detail
    return .object([Key.error: .object(error)])
  }
}
