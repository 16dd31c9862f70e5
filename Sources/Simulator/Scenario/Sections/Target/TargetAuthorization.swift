package import Base

/// How devices get their tokens.
package struct TargetAuthorization: Equatable, Sendable {
  package var strategy = TargetAuthorizationStrategy.none
  package var tokenURL = "/api/register"
  package var refreshURL = "/api/refresh_token"
  package var accessTokenLifetime = Nanoseconds.seconds(3_600)
  package var refreshRotation = RefreshRotationRule.singleUse

  package init() {}
}

extension TargetAuthorization: ScenarioSection {
  static let table = Table<TargetAuthorization>(
    "auth", "How devices get their tokens.",
    [
      .key("strategy", \.strategy, .choice, "What stands in the Authorization header."),
      .key("tokenUrl", \.tokenURL, .text, "Where a device registers; relative to the target."),
      .key("refreshUrl", \.refreshURL, .text, "Where a device refreshes; relative to the target."),
      .key("accessTokenTtl", \.accessTokenLifetime, .duration, "How long our own server lets an access token live."),
      .key("refreshRotation", \.refreshRotation, .choice, "How often a refresh token serves."),
    ])
}
