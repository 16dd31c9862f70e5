import JSON
import Upload

/// A request for new tokens has ended.
public struct AuthorizationEvent: Sendable {
  /// Whether new tokens are in use.
  public let isSuccess: Bool
  /// Of the answer; 0 when none came.
  public let status: Int
  /// What went wrong; nil when nothing did.
  public let error: String?
  private let answer: JSONValue?

  /// What the server answered, tokens included; nil unless it was a success.
  public var response: [String: Any]? {
    if case .object(let object)? = answer { object.dictionary } else { nil }
  }

  init(_ event: Upload.AuthorizationEvent) {
    isSuccess = event.isSuccess
    status = event.status
    error = event.error
    answer = event.response
  }
}
