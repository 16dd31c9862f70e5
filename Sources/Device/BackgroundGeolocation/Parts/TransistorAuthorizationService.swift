/// Registers an app with the demo server of the SDK's vendor, or with one that speaks like it, for `BGGeo.shared`.
/// Another instance has the same as methods.
public enum TransistorAuthorizationService {
  /// The token that was kept for the host of `url`, or a new one. Errors as of `BGGeo.findOrCreateToken`.
  public static func findOrCreateToken(
    org: String, username: String, url: String = "https://tracker.transistorsoft.com", framework: String = "Swift"
  ) async throws -> TransistorToken {
    try await BGGeo.shared.findOrCreateToken(org: org, username: username, url: url, framework: framework)
  }

  /// Forgets the token for the host of `url`.
  public static func destroyToken(url: String) { BGGeo.shared.destroyToken(url: url) }

  /// Whether a token is kept for this host.
  public static func hasToken(forHost host: String) -> Bool { BGGeo.shared.hasToken(forHost: host) }
}
