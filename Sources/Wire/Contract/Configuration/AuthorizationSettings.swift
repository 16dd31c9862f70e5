package import JSON

/// Group `authorization`: the token of uploads and how a new one is got (SDK §2.8).
package struct AuthorizationSettings: Equatable, Sendable {
  package var strategy = AuthorizationStrategy.jwt
  /// Nil: requests carry no authorization header.
  package var accessToken: String?
  package var refreshToken: String?
  /// Nil: a 401 cannot be resolved.
  package var refreshUrl: String?
  /// Fields of the refresh request; `{refreshToken}` in a value stands for the token. Always an object.
  package var refreshPayload = JSONValue.emptyObject
  /// Headers of the refresh request; `{accessToken}` in a value stands for the token. Always an object.
  package var refreshHeaders = JSONValue.object([
    HeaderName.authorization.description: .string(AuthorizationScheme.bearerPrefix + TokenPlaceholder.accessToken)
  ])
  /// As received; `TokenExpiry` says which instant is meant.
  package var expires = -1.0
}
