package import JSON

/// An identity provider from an app's point of view: its login, and the refresh configuration for the SDK.
package enum IdentityProvider: String, CaseIterable, Sendable {
  case keycloak, cognito, auth0, firebase, supabase
  /// The routes of this server itself, whose tokens anyone can verify with its public keys.
  case own
}

/// The requests of an app, relative to the provider's address.
package struct IdentityRequests: Sendable {
  /// The request for the first tokens, always a POST.
  package let login: NameValuePair
  package let loginHeaders: [NameValuePair]
  /// For `authorization.refreshUrl`.
  package let refreshPath: String
  /// For `authorization.refreshPayload`; the SDK replaces `{refreshToken}` by the token (SDK §11.2).
  package let refreshPayload: JSONObject
  /// For `authorization.refreshHeaders`.
  package let refreshHeaders: JSONObject
}

extension IdentityProvider {
  /// The server's values for names that a provider's customers choose.
  package static let realm = "rollingroad"
  package static let pool = "us-east-1_rollroad1"
  package static let project = "rolling-road"
  package static let client = "phones"

  /// Returns the requests of an app for a device, which is also the user.
  package func requests(for device: String) -> IdentityRequests {
    switch self {
    case .keycloak:
      let place = "/realms/\(Self.realm)/protocol/openid-connect/token"
      let fields: JSONObject = [
        "grant_type": .string("password"), "client_id": .string(Self.client), "username": .string(device),
        "password": .string("secret"), "scope": .string("openid"),
      ]
      return requests(form: place, fields, place, Self.grant)
    case .cognito:
      // An app that signs in with InitiateAuth may refresh at the token endpoint
      // (docs.aws.amazon.com/cognito/latest/developerguide/token-endpoint.html), which accepts what an SDK can send.
      let login: JSONObject = [
        "AuthFlow": .string("USER_PASSWORD_AUTH"), "ClientId": .string(Self.client),
        "AuthParameters": .object(["USERNAME": .string(device), "PASSWORD": .string("secret")]),
      ]
      let headers = [
        NameValuePair(HeaderName.contentType, "application/x-amz-json-1.1"),
        NameValuePair(HeaderName.amazonTarget, "AWSCognitoIdentityProviderService.InitiateAuth"),
      ]
      return IdentityRequests(
        login: NameValuePair("/", Self.text(login)), loginHeaders: headers, refreshPath: "/oauth2/token",
        refreshPayload: Self.grant, refreshHeaders: [:])
    case .auth0:
      let fields: JSONObject = [
        "grant_type": .string("password"), "client_id": .string(Self.client), "username": .string(device),
        "password": .string("secret"), "scope": .string("openid offline_access"),
      ]
      return requests(form: "/oauth/token", fields, "/oauth/token", Self.grant)
    case .firebase:
      let login: JSONObject = [
        "email": .string(device), "password": .string("secret"), "returnSecureToken": .bool(true),
      ]
      return requests(
        json: "/v1/accounts:signInWithPassword?key=\(Self.client)", login, "/v1/token?key=\(Self.client)",
        ["grant_type": .string("refresh_token"), "refresh_token": .string(TokenPlaceholder.refreshToken)], [:])
    case .supabase:
      let login: JSONObject = ["email": .string(device), "password": .string("secret")]
      return requests(
        json: "/auth/v1/token?grant_type=password", login, "/auth/v1/token?grant_type=refresh_token",
        ["refresh_token": .string(TokenPlaceholder.refreshToken)],
        [HeaderName.contentType.description: .string(ContentType.json), "apikey": .string(Self.client)])
    case .own:
      var form = RegisterRequest(
        org: "rolling-road", uuid: device, model: "Simulated", manufacturer: "Rolling Road", version: "15")
      form.deviceID = device
      return IdentityRequests(
        login: NameValuePair("/api/register", form.json.serializedText),
        loginHeaders: [NameValuePair(HeaderName.contentType, ContentType.json)], refreshPath: "/api/refresh_token",
        refreshPayload: ["refresh_token": .string(TokenPlaceholder.refreshToken)],
        refreshHeaders: [
          HeaderName.authorization.description: .string(
            AuthorizationScheme.bearerPrefix + TokenPlaceholder.accessToken)
        ])
    }
  }

  /// RFC 6749 §6.
  private static let grant: JSONObject = [
    "grant_type": .string("refresh_token"), "client_id": .string(client),
    "refresh_token": .string(TokenPlaceholder.refreshToken),
  ]

  private func requests(
    form place: String, _ fields: JSONObject, _ refreshPath: String, _ refreshPayload: JSONObject
  ) -> IdentityRequests {
    let body = FormEncoding.encode(NameValuePair.list(.object(fields)))
    return IdentityRequests(
      login: NameValuePair(place, String(decoding: body, as: UTF8.self)),
      loginHeaders: [NameValuePair(HeaderName.contentType, ContentType.form)], refreshPath: refreshPath,
      refreshPayload: refreshPayload, refreshHeaders: [:])
  }

  private func requests(
    json place: String, _ login: JSONObject, _ refreshPath: String, _ refreshPayload: JSONObject,
    _ refreshHeaders: JSONObject
  ) -> IdentityRequests {
    IdentityRequests(
      login: NameValuePair(place, Self.text(login)),
      loginHeaders: [NameValuePair(HeaderName.contentType, ContentType.json)], refreshPath: refreshPath,
      refreshPayload: refreshPayload, refreshHeaders: refreshHeaders)
  }

  private static func text(_ object: JSONObject) -> String { JSONValue.object(object).serializedText }
}
