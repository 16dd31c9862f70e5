package import JSON

/// The answer to a refresh request (SDK §6, `authorization`).
package struct AuthorizationEvent: Equatable, Sendable {
  package let isSuccess: Bool
  /// 0 when no answer came.
  package let status: Int
  /// What the server answered, tokens included; nil unless it was a success.
  package let response: JSONValue?
  /// Nil when it was a success.
  package let error: String?
}
