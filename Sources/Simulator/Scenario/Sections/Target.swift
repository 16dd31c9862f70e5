package import Base

/// The server that is driven at.
package struct Target: Equatable, Sendable {
  /// Nil: not given. Such a server is foreign, unless it is known as ours in another way.
  package var preset: TargetPreset?
  /// Nil: where the app uploads to, and in virtual time a server of ours inside the process.
  package var url: String?
  package var headers: [Named<String>] = []
  package var authorization = TargetAuthorization()
  package var connections = TargetConnections()
  package var verification = TargetVerification()

  /// `--admin-token` was given.
  package var hasAdminToken = false

  package init() {}

  /// Whether it is declared to be a Rolling Road server. Others get nothing but what the app sends.
  package var isOurs: Bool { preset == .rollingroad || hasAdminToken || verification.method == .admin }

  /// Where uploads go that are not to go where the app says. A target that names only the server gets the path of its preset.
  package var uploadURL: String? { url.map((preset ?? .rollingroad).uploads) }
}

extension Target: ScenarioSection {
  static let table = Table<Target>(
    "target", "The server under test.",
    [
      .optional(
        "preset", \.preset, .choice,
        "Dialect of the server; by default, that of the app configuration."),
      .optional(
        "url", \.url, .httpURL,
        "Where records go, instead of http.url; in virtual time a server inside the process takes them."),
      .key("headers", \.headers, .map(of: .text), "Headers of every request, over those of the app."),
      .key("auth", \.authorization, .section(), "How devices get their tokens."),
      .key("connections", \.connections, .section(), "How devices connect."),
      .key("verify", \.verification, .section(), "How the oracle learns what the server stored."),
    ])
}

extension ValueCodec where Value == String {
  static var httpURL: ValueCodec {
    text(pattern: "^https?://[^/]", words: "an http or https URL with a host") { url in
      ["http://", "https://"].contains { url.hasPrefix($0) && !(url.dropFirst($0.count).first ?? "/" == "/") }
    }
  }
}

/// How devices connect.
package struct TargetConnections: Equatable, Sendable {
  package var policy = ConnectionSharing.mobile
  package var keepAlive = Nanoseconds.seconds(300)
  package var http = HTTPChoice.version11
  package var sourceAddresses = SourceAddressRule.auto

  package init() {}
}

extension TargetConnections: ScenarioSection {
  static let table = Table<TargetConnections>(
    "connections", "How devices connect.",
    [
      .key("policy", \.policy, .choice, "Whether each device has connections of its own."),
      .key("keepAlive", \.keepAlive, .duration, "How long an idle connection is kept."),
      .key("http", \.http, .choice, "The version of HTTP."),
      .key("sourceAddresses", \.sourceAddresses, .choice, "From which addresses connections come."),
    ])
}

/// Who shares connections.
package enum ConnectionSharing: String, CaseIterable, Sendable {
  /// Each device has its own and loses it with its network.
  case mobile
  /// Devices share.
  case pooled
}

/// The version of HTTP.
package enum HTTPChoice: String, CaseIterable, Sendable {
  case version11 = "1.1"
}

/// From which addresses connections come.
package enum SourceAddressRule: String, CaseIterable, Sendable {
  /// As many loopback addresses as the ports need.
  case auto
  case single
}

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
      .key("strategy", \.strategy, .choice, "Content of the Authorization header."),
      .key("tokenUrl", \.tokenURL, .text, "Where a device registers; relative to the target."),
      .key("refreshUrl", \.refreshURL, .text, "Where a device refreshes; relative to the target."),
      .key("accessTokenTtl", \.accessTokenLifetime, .duration, "Lifetime of access tokens of the built-in server."),
      .key("refreshRotation", \.refreshRotation, .choice, "Whether a refresh token can be used once or repeatedly."),
    ])
}

/// How uploads are authorized.
package enum TargetAuthorizationStrategy: String, CaseIterable, Sendable {
  case none
  case jwt
  case sas
}

/// How often a refresh token serves.
package enum RefreshRotationRule: String, CaseIterable, Sendable {
  case singleUse = "single-use"
  case reusable
}
