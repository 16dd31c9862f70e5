/// Keys of the token answers. The two requests answer in different spellings (SDK §21, §11.4); clients that search
/// tolerantly read both.
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

/// What stands for a token in the configured headers and fields of the refresh request.
package enum TokenPlaceholder {
  package static let accessToken = "{accessToken}"
  package static let refreshToken = "{refreshToken}"
}

/// What stands before a token in the `Authorization` header.
package enum AuthorizationScheme {
  package static let bearerPrefix = "Bearer "
}

/// The content types of refresh requests.
package enum MediaType {
  package static let json = "application/json"
  package static let form = "application/x-www-form-urlencoded"
}
