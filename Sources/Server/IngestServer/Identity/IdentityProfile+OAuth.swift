import Contract
import HTTP1
import JSON
import Store

/// Providers with a token endpoint of OAuth 2.0 (RFC 6749 §3.2).
extension IdentityProfile {
  /// Token endpoint, fields and errors: keycloak.org/docs/latest/server_admin, "Tokens"; the descriptions of refused refresh
  /// tokens: phasetwo.io/blog/keycloak-invalid-grant. By default a refresh token may be used again ("Revoke Refresh Token" is off).
  static let keycloak = IdentityProfile(
    provider: .keycloak, algorithm: .rs256, accessSeconds: 300, refreshSeconds: 1_800,
    policy: RefreshPolicy(rotates: false, graceSeconds: 0), issuerPath: "/realms/\(IdentityProvider.realm)",
    keysPath: "/realms/\(IdentityProvider.realm)/protocol/openid-connect/certs",
    tokenPath: "/realms/\(IdentityProvider.realm)/protocol/openid-connect/token",
    accessClaims: { grant, client in
      var claims = registered(grant)
      claims["jti"] = .string("onrtro:" + grant.session)
      claims["aud"] = .string("account")
      claims["typ"] = .string("Bearer")
      claims["azp"] = .string(client.name)
      claims["sid"] = .string(grant.session)
      claims["scope"] = .string(keycloakScope(of: client))
      claims["preferred_username"] = .string(grant.device.name)
      return claims
    },
    // An audience mapper adds to the audiences from the roles of the user (server_admin, "Audience support").
    audience: { chosen, _ in chosen.map { .array([.string($0), .string("account")]) } },
    identityClaims: { grant, client in
      guard client.mayHave("openid") else { return nil }
      var claims = registered(grant)
      claims["aud"] = .string(client.name)
      claims["typ"] = .string("ID")
      claims["azp"] = .string(client.name)
      claims["sid"] = .string(grant.session)
      return claims
    },
    interface: IdentityInterface(
      demand: { request in
        guard request.isForm else { return .refused(.oauth(415, "HTTP 415 Unsupported Media Type")) }
        guard request.field("client_id") != nil else {
          return .refused(.oauth(401, "invalid_client", "Invalid client or Invalid client credentials"))
        }
        return demand(
          request, user: "username", missing: .oauth(400, "invalid_request", "No refresh token"),
          wrongUser: .oauth(401, "invalid_grant", "Invalid user credentials"),
          unknown: request.field("grant_type") == nil
            ? .oauth(400, "invalid_request", "Missing form parameter: grant_type")
            : .oauth(400, "unsupported_grant_type", "Unsupported grant_type"))
      },
      answer: { grant, tokens, request in
        .object { writer in
          writer.member("access_token", tokens.access)
          writer.member("expires_in", grant.accessSeconds)
          writer.member("refresh_expires_in", grant.refreshSeconds)
          writer.member("refresh_token", grant.refreshToken)
          writer.member("token_type", "Bearer")
          if let identity = tokens.identity { writer.member("id_token", identity) }
          writer.member("not-before-policy", 0)
          writer.member("session_state", grant.session)
          writer.member("scope", keycloakScope(of: request.client))
        }.uncached
      },
      refusal: { refusal, _ in
        let description =
          switch refusal {
          case .unknown, .wrongDevice: "Invalid refresh token"
          case .expired: "Token is not active"
          case .revoked, .deviceDeleted: "Session not active"
          case .replayed: "Maximum allowed refresh token reuse exceeded"
          }
        return .oauth(400, "invalid_grant", description)
      }))

  /// docs.aws.amazon.com/cognito/latest/developerguide/token-endpoint.html, and InitiateAuth of
  /// docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference. Rotation is off by default; then a refresh answers without a
  /// refresh token (API_RefreshTokenRotationType.html). Refusals as clients have shown them: github.com/aws-amplify/amplify-swift/issues/3344
  /// (revoked, with its headers), github.com/aws-amplify/amplify-js/issues/1268 (invalid),
  /// github.com/amazon-archives/amazon-cognito-identity-js/issues/130 (a missing parameter) and auth-js/issues/118 (the token endpoint).
  static let cognito = IdentityProfile(
    provider: .cognito, algorithm: .rs256, accessSeconds: 3_600, refreshSeconds: 30 * 86_400,
    policy: RefreshPolicy(rotates: false, graceSeconds: 0), issuerPath: "/\(IdentityProvider.pool)",
    keysPath: "/\(IdentityProvider.pool)/.well-known/jwks.json", tokenPath: "/oauth2/token",
    accessClaims: { grant, client in
      var claims = registered(grant)
      claims["client_id"] = .string(client.name)
      claims["origin_jti"] = .string(grant.session)
      claims["token_use"] = .string("access")
      claims["scope"] = .string("aws.cognito.signin.user.admin")
      claims["auth_time"] = claims["iat"]
      claims["username"] = .string(grant.device.name)
      return claims
    },
    identityClaims: { grant, client in
      var claims = registered(grant)
      claims["aud"] = .string(client.name)
      claims["token_use"] = .string("id")
      claims["auth_time"] = claims["iat"]
      claims["cognito:username"] = .string(grant.device.name)
      return claims
    },
    interface: IdentityInterface(
      demand: { request in request.place == .service ? serviceDemand(request) : hostedDemand(request) },
      answer: { grant, tokens, request in
        request.place == .service ? authenticationResult(grant, tokens) : hostedAnswer(grant, tokens)
      },
      refusal: { refusal, request in
        guard request.place == .service else { return .oauth(400, "invalid_grant") }
        switch refusal {
        case .unknown, .wrongDevice: return cognitoError("NotAuthorizedException", "Invalid Refresh Token.")
        case .expired: return cognitoError("NotAuthorizedException", "Refresh Token has expired")
        case .revoked: return cognitoError("NotAuthorizedException", "Refresh Token has been revoked")
        case .replayed: return cognitoError("RefreshTokenReuseException", "Refresh token has been reused")
        case .deviceDeleted: return cognitoError("UserNotFoundException", "User does not exist.")
        }
      }))

  /// auth0.com/docs/api/authentication, "Get Token" and "Refresh Token"; 403 for a refused refresh token:
  /// support.auth0.com, "403: Unknown or invalid refresh token". Rotation with reuse detection and no leeway
  /// (auth0.com/docs/tokens/guides/configure-refresh-token-rotation).
  static let auth0 = IdentityProfile(
    provider: .auth0, algorithm: .rs256, accessSeconds: 86_400, refreshSeconds: 30 * 86_400,
    policy: RefreshPolicy(rotates: true, graceSeconds: 0), issuerPath: "/", keysPath: "/.well-known/jwks.json",
    tokenPath: "/oauth/token",
    accessClaims: { grant, client in
      var claims = registered(grant)
      claims["aud"] = .string("https://rollingroad.example/api")
      claims["azp"] = .string(client.name)
      claims["scope"] = .string(auth0Scope(of: client))
      claims["gty"] = .string("password")
      return claims
    },
    // The audience of the request, or the default of the tenant (auth0.com/docs, "Get Access Tokens").
    audience: { chosen, client in (client.audience ?? chosen).map { .string($0) } },
    identityClaims: { grant, client in
      guard client.mayHave("openid") else { return nil }
      var claims = registered(grant)
      claims["aud"] = .string(client.name)
      return claims
    },
    interface: IdentityInterface(
      demand: { request in
        guard request.field("client_id") != nil else {
          return .refused(.oauth(401, "access_denied", "Unauthorized"))
        }
        return demand(
          request, user: "username",
          missing: .oauth(400, "invalid_request", "Missing required parameter: refresh_token"),
          wrongUser: .oauth(403, "invalid_grant", "Wrong email or password."),
          unknown: .oauth(
            403, "unsupported_grant_type", "Unsupported grant type: \(request.field("grant_type") ?? "undefined")"))
      },
      answer: { grant, tokens, request in
        .object { writer in
          writer.member("access_token", tokens.access)
          if grant.isRefreshNew, request.client.mayHave("offline_access") {
            writer.member("refresh_token", grant.refreshToken)
          }
          if let identity = tokens.identity { writer.member("id_token", identity) }
          writer.member("scope", auth0Scope(of: request.client))
          writer.member("expires_in", grant.accessSeconds)
          writer.member("token_type", "Bearer")
        }.uncached
      },
      refusal: { _, _ in .oauth(403, "invalid_grant", "Unknown or invalid refresh token.") }))

  /// A client has the scopes `profile` and `email` by default; only `openid` must be requested.
  private static func keycloakScope(of client: IdentityClient) -> String {
    client.mayHave("openid") ? "openid profile email" : "profile email"
  }

  private static func auth0Scope(of client: IdentityClient) -> String {
    (client.scope ?? ["openid", "offline_access"]).joined(separator: " ")
  }

  /// Returns the registered claims of all tokens (RFC 7519 §4.1); the device is the user.
  static func registered(_ grant: TokenGrant) -> JSONObject {
    [
      "iss": .string(grant.issuer), "sub": .string(grant.device.name), "iat": grant.seconds(grant.issuedAt),
      "exp": grant.seconds(grant.expiresAt),
    ]
  }

  /// Reads the two grants of an app: its user's password, and a refresh token. Any password is accepted.
  private static func demand(
    _ request: IdentityRequest, user: String, missing: Response, wrongUser: Response, unknown: Response
  ) -> IdentityDemand {
    switch request.field("grant_type") {
    case "password":
      guard let name = request.field(user), request.field("password") != nil else { return .refused(wrongUser) }
      return .login(name)
    case "refresh_token": return request.field("refresh_token").map { .refresh($0) } ?? .refused(missing)
    default: return .refused(unknown)
    }
  }
}

/// The two interfaces of Cognito.
extension IdentityProfile {
  private static func hostedDemand(_ request: IdentityRequest) -> IdentityDemand {
    guard request.isForm else { return .refused(.oauth(400, "invalid_request")) }
    guard request.field("client_id") != nil else { return .refused(.oauth(400, "invalid_client")) }
    guard request.field("grant_type") == "refresh_token" else { return .refused(.oauth(400, "unsupported_grant_type")) }
    return request.field("refresh_token").map { .refresh($0) } ?? .refused(.oauth(400, "invalid_request"))
  }

  private static func hostedAnswer(_ grant: TokenGrant, _ tokens: IdentityTokens) -> Response {
    .object { writer in
      if let identity = tokens.identity { writer.member("id_token", identity) }
      writer.member("access_token", tokens.access)
      if grant.isRefreshNew { writer.member("refresh_token", grant.refreshToken) }
      writer.member("expires_in", grant.accessSeconds)
      writer.member("token_type", "Bearer")
    }.uncached
  }

  /// Each operation of the service is a POST to `/`, named by a header field (docs.aws.amazon.com, "Making API requests").
  private static func serviceDemand(_ request: IdentityRequest) -> IdentityDemand {
    guard case .object(let document)? = request.document else {
      return .refused(cognitoError("SerializationException"))
    }
    let service = "AWSCognitoIdentityProviderService."
    guard let target = request.amazonTarget, target.hasPrefix(service) else {
      return .refused(cognitoError("UnknownOperationException"))
    }
    guard case .string(let client)? = document["ClientId"], !client.isEmpty else {
      return .refused(
        cognitoError(
          "InvalidParameterException",
          "1 validation error detected: Value null at 'clientId' failed to satisfy constraint: Member must not be null")
      )
    }
    switch target.dropFirst(service.count) {
    case "InitiateAuth": return initiateAuth(document)
    case "GetTokensFromRefreshToken":
      return text("RefreshToken", in: document).map { .refresh($0) } ?? missing("RefreshToken")
    default: return .refused(cognitoError("UnknownOperationException"))
    }
  }

  private static func initiateAuth(_ document: JSONObject) -> IdentityDemand {
    guard let flow = text("AuthFlow", in: document) else { return missing("AuthFlow") }
    var parameters: JSONObject = [:]
    if case .object(let given)? = document["AuthParameters"] { parameters = given }
    switch flow {
    case "USER_PASSWORD_AUTH":
      guard let name = text("USERNAME", in: parameters) else { return missing("USERNAME") }
      return text("PASSWORD", in: parameters) == nil ? missing("PASSWORD") : .login(name)
    case "REFRESH_TOKEN_AUTH", "REFRESH_TOKEN":
      return text("REFRESH_TOKEN", in: parameters).map { .refresh($0) } ?? missing("REFRESH_TOKEN")
    default: return .refused(cognitoError("InvalidParameterException", "Initiate Auth method not supported."))
    }
  }

  /// Returns nil when it is missing or empty.
  private static func text(_ name: String, in object: JSONObject) -> String? {
    guard case .string(let text)? = object[name], !text.isEmpty else { return nil }
    return text
  }

  private static func missing(_ name: String) -> IdentityDemand {
    .refused(cognitoError("InvalidParameterException", "Missing required parameter \(name)"))
  }

  private static func authenticationResult(_ grant: TokenGrant, _ tokens: IdentityTokens) -> Response {
    amazon(200) { writer in
      writer.key("AuthenticationResult")
      writer.beginObject()
      writer.member("AccessToken", tokens.access)
      writer.member("ExpiresIn", grant.accessSeconds)
      if let identity = tokens.identity { writer.member("IdToken", identity) }
      if grant.isRefreshNew { writer.member("RefreshToken", grant.refreshToken) }
      writer.member("TokenType", "Bearer")
      writer.endObject()
      writer.key("ChallengeParameters")
      writer.beginObject()
      writer.endObject()
    }
  }

  private static func cognitoError(_ type: String, _ message: String? = nil) -> Response {
    let response = amazon(400) { writer in
      writer.member("__type", type)
      if let message { writer.member("message", message) }
    }.with("x-amzn-ErrorType", "\(type):")
    return message.map { response.with("x-amzn-ErrorMessage", $0) } ?? response
  }

  private static func amazon(_ status: Int, _ write: (inout JSONWriter) -> Void) -> Response {
    let response = Response.object(status, write)
    return Response(status, "application/x-amz-json-1.1", response.body).uncached
  }
}
