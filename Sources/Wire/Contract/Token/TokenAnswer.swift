package import JSON

/// The pair of tokens that a server hands out. A device reads it with `FoundTokens`, as it reads anybody's.
package struct TokenAnswer: Equatable, Sendable {
  package var accessToken: String
  package var refreshToken: String
  /// Seconds from now; `TokenExpiry.never` for a token without end.
  package var expiresInSeconds: Double

  package init(accessToken: String, refreshToken: String, expiresInSeconds: Double) {
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.expiresInSeconds = expiresInSeconds
  }

  /// The answer to a registration.
  package var registrationJSON: JSONValue {
    .object([
      TokenKey.accessToken: .string(accessToken), TokenKey.refreshToken: .string(refreshToken),
      TokenKey.expires: .number(expiresInSeconds),
    ])
  }

  /// The answer to a refresh, in the shape that every version of the SDK understands (SDK §11.4).
  package var refreshJSON: JSONValue {
    .object([
      TokenKey.refreshedAccessToken: .string(accessToken), TokenKey.refreshedRefreshToken: .string(refreshToken),
      TokenKey.refreshedExpiresIn: .number(expiresInSeconds),
    ])
  }
}
