/// What happens to tokens.
package struct AuthorizationFault: Equatable, Sendable {
  package var expireAllAccessTokens = false
  package var revokeAllTokens = false
  /// Refresh requests are answered with it.
  package var refreshStatus: Int?

  package init() {}
}

extension AuthorizationFault: ScenarioSection {
  static let table = Table<AuthorizationFault>(
    "auth-fault", "What happens to tokens.",
    [
      .key("expireAllAccessTokens", \.expireAllAccessTokens, .boolean, "Every access token is out of date at once."),
      .key("revokeAllTokens", \.revokeAllTokens, .boolean, "Refresh tokens are worth nothing either."),
      .optional(
        "refreshStatus", \.refreshStatus, .integer(200...599), "Refresh requests are answered with this status."),
    ])
}
