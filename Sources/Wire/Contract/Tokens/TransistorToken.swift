package import JSON

/// The result of registering at a demo server of the SDK's vendor, or at a server with the same interface (SDK §3, §21).
package struct TransistorToken: Equatable, Sendable {
  package static let defaultURL = "https://tracker.transistorsoft.com"
  /// The access token that wrappers return when registering failed; the demo server answers it with 406.
  package static let dummyAccessToken = "DUMMY_TOKEN"

  package var accessToken: String
  package var refreshToken: String
  /// As received; see `TokenExpiry`.
  package var expires: Double
  /// The URL for records.
  package var apiURL: String
  package var refreshURL: String

  /// Derives the urls from that of the server.
  package init(accessToken: String, refreshToken: String, expires: Double, url: String = defaultURL) {
    let base = url.hasSuffix("/") ? String(url.dropLast()) : url
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.expires = expires
    apiURL = base + "/api/locations"
    refreshURL = base + "/api/refresh_token"
  }

  /// Reads an app's configuration document: both tokens, and `url` or the two urls derived from it.
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

/// Keys of the token answers. The two requests answer in different spellings (SDK §21, §11.4); tolerant clients read both.
package enum TokenKey {
  package static let accessToken = "accessToken"
  package static let refreshToken = "refreshToken"
  package static let expires = "expires"
  package static let url = "url"
  package static let apiURL = "apiUrl"
  package static let refreshURL = "refreshUrl"

  package static let refreshedAccessToken = "access_token"
  package static let refreshedRefreshToken = "refresh_token"
  package static let refreshedExpiresIn = "expires_in"
}

/// Keys of the registration request.
package enum RegisterKey {
  package static let org = "org"
  package static let uuid = "uuid"
  package static let model = "model"
  package static let manufacturer = "manufacturer"
  package static let version = "version"
  package static let platform = "platform"
  package static let framework = "framework"
  package static let deviceID = "device_id"
  package static let deviceModel = "device_model"
}

/// Placeholders for tokens in the configured headers and fields of the refresh request.
package enum TokenPlaceholder {
  package static let accessToken = "{accessToken}"
  package static let refreshToken = "{refreshToken}"
}

/// The prefix of a token in the `Authorization` header.
package enum AuthorizationScheme {
  package static let bearerPrefix = "Bearer "
}

/// The body with which a device registers (SDK §21).
package struct RegisterRequest: Equatable, Sendable {
  package var org: String
  package var uuid: String
  package var model: String
  package var manufacturer: String
  package var version: String
  package var platform: String?
  package var framework: String?
  package var deviceID: String?
  package var deviceModel: String?

  package init(org: String, uuid: String, model: String, manufacturer: String, version: String) {
    self.org = org
    self.uuid = uuid
    self.model = model
    self.manufacturer = manufacturer
    self.version = version
  }

  /// The first five fields are required; the organization is checked first.
  package init(_ value: JSONValue) throws(FieldError) {
    let fields = try FieldReader(value)
    self.init(
      org: try fields.text(RegisterKey.org), uuid: try fields.text(RegisterKey.uuid),
      model: try fields.text(RegisterKey.model), manufacturer: try fields.text(RegisterKey.manufacturer),
      version: try fields.text(RegisterKey.version))
    platform = try fields.optionalText(RegisterKey.platform)
    framework = try fields.optionalText(RegisterKey.framework)
    deviceID = try fields.optionalText(RegisterKey.deviceID)
    deviceModel = try fields.optionalText(RegisterKey.deviceModel)
  }

  package var json: JSONValue {
    var object: JSONObject = [
      RegisterKey.org: .string(org), RegisterKey.uuid: .string(uuid), RegisterKey.model: .string(model),
      RegisterKey.manufacturer: .string(manufacturer), RegisterKey.version: .string(version),
    ]
    object[RegisterKey.platform] = platform.map { .string($0) }
    object[RegisterKey.framework] = framework.map { .string($0) }
    object[RegisterKey.deviceID] = deviceID.map { .string($0) }
    object[RegisterKey.deviceModel] = deviceModel.map { .string($0) }
    return .object(object)
  }
}

/// The pair of tokens that a server issues. A device reads it with `FoundTokens`, like the answer of any server.
package struct TokenAnswer: Equatable, Sendable {
  package var accessToken: String
  package var refreshToken: String
  /// Seconds from now; `TokenExpiry.never` for a token without expiry.
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
