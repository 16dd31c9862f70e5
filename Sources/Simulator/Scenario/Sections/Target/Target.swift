package import Base
package import Contract

/// The server under test.
package struct Target: Equatable, Sendable {
  /// Nil: not given. Such a server is foreign, unless another setting declares it a Rolling Road server.
  package var preset: TargetPreset?
  /// Nil: the upload URL of the app, and in virtual time the in-process server.
  package var url: String?
  package var headers: [Named<String>] = []
  package var authorization = TargetAuthorization()
  package var connections = TargetConnections()
  package var security = TargetSecurity()
  package var verification = TargetVerification()

  /// Whether `--admin-token` was given.
  package var hasAdminToken = false

  package init() {}

  /// Whether it is declared to be a Rolling Road server. Others only receive what the app sends.
  package var isOurs: Bool { preset == .rollingroad || hasAdminToken || verification.method == .admin }

  /// The upload URL that overrides the app's. A target that names only the server gets the path of its preset.
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
      .key("tls", \.security, .section(), "TLS authentication of server and devices, under https."),
      .key("verify", \.verification, .section(), "How the oracle learns what the server stored."),
    ])
}

extension ValueCodec where Value == String {
  static var httpURL: ValueCodec {
    text(pattern: "^https?://[^/]", words: "an http or https URL with a host", where: isHTTPURL)
  }

  static func isHTTPURL(_ url: String) -> Bool {
    ["http://", "https://"].contains { url.hasPrefix($0) && !(url.dropFirst($0.count).first ?? "/" == "/") }
  }
}

/// How devices connect.
package struct TargetConnections: Equatable, Sendable {
  package var policy = ConnectionSharing.mobile
  package var keepAlive = Nanoseconds.seconds(300)
  package var http = HTTPChoice.version11
  package var sourceAddresses = SourceAddressRule.auto
  package var resolvedNames: [String] = []
  package var proxy: String?

  package init() {}
}

extension TargetConnections: ScenarioSection {
  static let table = Table<TargetConnections>(
    "connections", "How devices connect.",
    [
      .key("policy", \.policy, .choice, "Whether each device has its own connections."),
      .key("keepAlive", \.keepAlive, .duration, "How long an idle connection is kept."),
      .key("http", \.http, .choice, "The version of HTTP."),
      .key("sourceAddresses", \.sourceAddresses, .choice, "Source addresses of connections."),
      .key(
        "resolve", \.resolvedNames, .list(of: .resolvedName),
        "Addresses of host names, instead of asking a name server: NAME:PORT:ADDRESS."),
      .optional(
        "proxy", \.proxy, .httpURL, "Proxy of all connections; without it, HTTPS_PROXY and ALL_PROXY count under https."
      ),
    ])
}

/// TLS authentication of server and devices, under https.
package struct TargetSecurity: Equatable, Sendable {
  package var authorities: String?
  package var isUnchecked = false
  package var certificate: String?
  package var key: String?
  /// The pinned public keys of the server, in curl's notation.
  package var pinnedKey: String?

  package init() {}
}

extension TargetSecurity: ScenarioSection {
  static let table = Table<TargetSecurity>(
    "tls", "TLS authentication of server and devices, under https.",
    [
      .optional(
        "ca", \.authorities, .text, "PEM file of the authorities to trust, instead of those of the system."),
      .key("insecure", \.isUnchecked, .boolean, "Accept any certificate of the server."),
      .optional("clientCert", \.certificate, .text, "PEM file of the certificate that all devices show."),
      .optional("clientKey", \.key, .text, "PEM file of its key, if it is not in the same file."),
      .optional(
        "pinnedKey", \.pinnedKey, .pinnedKey,
        "The app pins the server's public key: `sha256//` and the base64 of its hash, several with `;` between them. Another key is refused. In virtual time any value will do."
      ),
    ])
}

extension ValueCodec where Value == String {
  /// https://curl.se/libcurl/c/CURLOPT_PINNEDPUBLICKEY.html
  static var pinnedKey: ValueCodec {
    let words = "sha256//BASE64, several with ; between them"
    return text(pattern: "^sha256//[A-Za-z0-9+/]{43}=(;sha256//[A-Za-z0-9+/]{43}=)*$", words: words) { text in
      text.split(separator: ";", omittingEmptySubsequences: false).allSatisfy { key in
        key.hasPrefix("sha256//") && Base64.bytes(String(key.dropFirst(8)))?.count == 32
      }
    }
  }

  static var resolvedName: ValueCodec {
    text(pattern: "^[^:]+:[0-9]+:.+$", words: "NAME:PORT:ADDRESS, such as backend.test:443:127.0.0.1") { text in
      let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      return parts.count == 3 && !parts[0].isEmpty && UInt16(parts[1]) != nil && !parts[2].isEmpty
    }
  }
}

/// How connections are shared.
package enum ConnectionSharing: String, CaseIterable, Sendable {
  /// Each device has its own and loses it with its network.
  case mobile
  /// Devices share.
  case pooled
}

/// The version of HTTP.
package enum HTTPChoice: String, CaseIterable, Sendable {
  case version11 = "1.1"
  /// Under https, if the server supports it.
  case version2 = "2"
}

/// The source addresses of connections.
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
  /// The share of devices that log in again when the server rejects their refresh token.
  package var loginShare = 1.0
  /// The provider of tokens; nil: the upload server, by its own routes.
  package var identity: IdentityProvider?

  package init() {}
}

extension TargetAuthorization: ScenarioSection {
  static let table = Table<TargetAuthorization>(
    "auth", "How devices get their tokens.",
    [
      .key("strategy", \.strategy, .choice, "Content of the Authorization header."),
      .key("tokenUrl", \.tokenURL, .text, "Where a device registers; relative to the target, or to its `/r/{run}`."),
      .key(
        "refreshUrl", \.refreshURL, .text, "Where a device refreshes; relative to the target, or to its `/r/{run}`."),
      .key("accessTokenTtl", \.accessTokenLifetime, .duration, "Lifetime of access tokens of the built-in server."),
      .key("refreshRotation", \.refreshRotation, .choice, "Whether a refresh token can be used once or repeatedly."),
      .key(
        "loginAgain", \.loginShare, .share,
        "Share of the devices whose user logs in again when the refresh token is refused; the others do so when the drives are over."
      ),
      .optional(
        "identity", \.identity, .choice,
        "Identity provider whose login and refresh requests devices use, instead of `tokenUrl` and `refreshUrl`; a Rolling Road server emulates it (`serve --identity`), and so does the built-in server."
      ),
    ])
}

/// How uploads are authorized.
package enum TargetAuthorizationStrategy: String, CaseIterable, Sendable {
  case none
  case jwt
}

/// How often a refresh token can be used.
package enum RefreshRotationRule: String, CaseIterable, Sendable {
  case singleUse = "single-use"
  case reusable
}
