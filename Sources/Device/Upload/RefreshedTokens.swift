package import Base
package import Contract

/// What a refresh has changed in the authorization group, and when.
package struct RefreshedTokens: Equatable, Sendable {
  package let accessToken: String
  /// Nil: the old one stays (SDK §11.4).
  package let refreshToken: String?
  package let expires: Double
  /// From when on a relative `expires` counts.
  package let setAt: WallInstant

  package func apply(to settings: inout AuthorizationSettings) {
    settings.accessToken = accessToken
    if let refreshToken { settings.refreshToken = refreshToken }
    settings.expires = expires
  }
}
