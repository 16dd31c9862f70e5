package import JSON

/// What registering at a demo server of the SDK's vendor, or at a server that speaks like it, gives an app
/// (SDK §3, §21).
package struct TransistorToken: Equatable, Sendable {
  package static let defaultURL = "https://tracker.transistorsoft.com"
  /// The access token that wrappers hand out when registering failed; the demo server answers it with 406.
  package static let dummyAccessToken = "DUMMY_TOKEN"

  package var accessToken: String
  package var refreshToken: String
  /// As received; see `TokenExpiry`.
  package var expires: Double
  /// Where records go.
  package var apiURL: String
  package var refreshURL: String

  /// The urls follow from that of the server.
  package init(accessToken: String, refreshToken: String, expires: Double, url: String = defaultURL) {
    let base = url.hasSuffix("/") ? String(url.dropLast()) : url
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.expires = expires
    apiURL = base + "/api/locations"
    refreshURL = base + "/api/refresh_token"
  }

  /// From an app's configuration document: both tokens, and `url` or the two urls that follow from it.
  package init(_ value: JSONValue) throws(FieldError) {
    let fields = try FieldReader(value)
    self.init(
      accessToken: try fields.text(TokenKey.accessToken), refreshToken: try fields.text(TokenKey.refreshToken),
      expires: try fields.optionalNumber(TokenKey.expires) ?? TokenExpiry.never,
      url: try fields.optionalText(TokenKey.url) ?? Self.defaultURL)
    apiURL = try fields.optionalText(TokenKey.apiURL) ?? apiURL
    refreshURL = try fields.optionalText(TokenKey.refreshURL) ?? refreshURL
  }

  package var json: JSONValue {
    .object([
      TokenKey.accessToken: .string(accessToken), TokenKey.refreshToken: .string(refreshToken),
      TokenKey.expires: .number(expires), TokenKey.apiURL: .string(apiURL), TokenKey.refreshURL: .string(refreshURL),
    ])
  }
}
