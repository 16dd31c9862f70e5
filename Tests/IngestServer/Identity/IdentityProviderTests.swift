import Base
import Contract
import JSON
import Support
import Testing

@testable import IngestServer

/// The server as each of the providers, asked as an app and its SDK ask. What is expected stands in the documents that
/// `IdentityProfile` names.
@Suite struct IdentityProviderTests {
  static let foreign = IdentityProvider.allCases.filter { $0 != .own }

  /// The members of an answer in their order, with the kind of each value.
  private func shape(_ answer: TestAnswer) throws -> String {
    guard case .object(let object) = try answer.json() else { throw NoAnswer(request: answer.text) }
    return object.members.map { member in
      switch member.value {
      case .string(let text):
        member.key == "expires_in" || member.key == "expiresIn" ? "\(member.key)='\(text)'" : member.key
      case .integer(let number): "\(member.key)=\(number)"
      case .bool(let flag): "\(member.key)=\(flag)"
      case .object(let inner): "\(member.key){\(inner.members.map(\.key).joined(separator: " "))}"
      case .null, .double, .array: "\(member.key)?"
      }
    }.joined(separator: " ")
  }

  @Test(arguments: [
    (
      IdentityProvider.keycloak,
      "access_token expires_in=300 refresh_expires_in=1800 refresh_token token_type id_token not-before-policy=0 session_state scope",
      "access_token expires_in=300 refresh_expires_in=1800 refresh_token token_type id_token not-before-policy=0 session_state scope"
    ),
    (
      .cognito, "AuthenticationResult{AccessToken ExpiresIn IdToken RefreshToken TokenType} ChallengeParameters{}",
      "id_token access_token expires_in=3600 token_type"
    ),
    (
      .auth0, "access_token refresh_token id_token scope expires_in=86400 token_type",
      "access_token refresh_token id_token scope expires_in=86400 token_type"
    ),
    (
      .firebase, "kind localId email displayName idToken registered=true refreshToken expiresIn='3600'",
      "access_token expires_in='3600' token_type refresh_token id_token user_id project_id"
    ),
    (
      .supabase,
      "access_token token_type expires_in=3600 expires_at=1785267263 refresh_token user{id aud role email is_anonymous}",
      "access_token token_type expires_in=3600 expires_at=1785267263 refresh_token user{id aud role email is_anonymous}"
    ),
    (.own, "accessToken refreshToken expires=3600", "access_token refresh_token expires_in=3600"),
  ])
  func answersHaveTheShapeOfTheProvider(provider: IdentityProvider, login: String, refresh: String) throws {
    let app = try ProviderApp(provider)
    let first = try app.logIn("phone-1")
    #expect(first.status == 200)
    #expect(try shape(first) == login)
    let second = try app.refresh()
    #expect(second.status == 200, "\(second.text)")
    #expect(try shape(second) == refresh)
    #expect(second.field("Content-Type") == "application/json")
    if provider != .own { #expect(second.field("Cache-Control") == "no-store") }
  }

  /// A phone lives with it: what the SDK finds in the answers is taken by the server, and belongs to the device.
  @Test(arguments: IdentityProvider.allCases)
  func theTokensThatTheSDKFindsAreGood(provider: IdentityProvider) throws {
    let app = try ProviderApp(provider)
    _ = try app.logIn("phone-1")
    #expect(try app.upload(1).status == 200)
    #expect(try app.harness.request("GET", "/admin/v1/devices/phone-1").status == 200)
    app.harness.advance(seconds: 86_406)
    #expect(try app.upload(2).errorCode == "token_expired")
    _ = try app.logIn("phone-1")
    app.harness.advance(seconds: 200)
    #expect(try app.refresh().status == 200)
    #expect(try app.upload(3).status == 200)
  }

  /// By nothing but what the provider publishes.
  @Test(arguments: IdentityProvider.allCases)
  func thePublicKeysVerifyTheTokens(provider: IdentityProvider) throws {
    let app = try ProviderApp(provider)
    _ = try app.logIn("phone-1")
    let profile = IdentityProfile.of(provider)
    let discovery = try app.harness.request(
      "GET",
      profile.issuerPath == "/"
        ? "/.well-known/openid-configuration" : profile.issuerPath + "/.well-known/openid-configuration",
      host: "login.test")
    #expect(discovery.status == 200)
    #expect(try discovery.json()["issuer"] == .string("http://login.test" + profile.issuerPath))
    #expect(try discovery.json()["jwks_uri"] == .string("http://login.test" + profile.keysPath))
    let set = try JSONWebKeySet(parsing: app.harness.request("GET", profile.keysPath).body)
    #expect(set.count == 1)
    let token = try SignedToken(parsing: Array(app.accessToken.utf8))
    guard case .found(let key) = set.find(token.keyName, for: profile.algorithm) else { throw KeySetError("not found") }
    #expect(key.verifies(token.signature, of: token.signed, by: profile.algorithm))
    #expect(try token.claims()["sub"] == .string("phone-1"))
    #expect(try token.claims()["iss"] == .string("http://localhost" + profile.issuerPath))
  }

  @Test(arguments: IdentityProvider.allCases)
  func theRoutesOfOthersAreNotThere(provider: IdentityProvider) throws {
    let app = try ProviderApp(provider)
    for other in Self.foreign where other != provider {
      let requests = other.requests(for: "a")
      #expect(
        try app.harness.request("POST", requests.login.name, body: requests.login.value).status == 404, "\(other)")
      let keys = IdentityProfile.of(other).keysPath
      let isShared = keys == IdentityProfile.of(provider).keysPath
      #expect(try app.harness.request("GET", keys).status == (isShared ? 200 : 404), "\(other)")
    }
  }

  @Test func withoutAProviderNoneOfThemIsThere() throws {
    let harness = try SessionHarness()
    #expect(try harness.request("GET", "/.well-known/jwks.json").status == 404)
    #expect(try harness.request("POST", "/admin/v1/tokens/rotate-keys").errorCode == "no_identity")
    #expect(try harness.request("POST", "/oauth/token", body: "grant_type=password").status == 404)
  }

  /// RN#2376, RN#2444: an identity token in the place of an access token.
  @Test(arguments: [IdentityProvider.keycloak, .cognito, .auth0])
  func anIdentityTokenIsNoAccessToken(provider: IdentityProvider) throws {
    let app = try ProviderApp(provider)
    _ = try app.logIn("phone-1")
    let answer = try app.refresh()
    guard case .string(let token)? = try answer.json()["id_token"] else { throw NoAnswer(request: answer.text) }
    #expect(try app.harness.upload(1, bearer: token).errorCode == "token_wrongType")
  }

  @Test(arguments: IdentityProvider.allCases)
  func tokensCanBeExpiredAndRevoked(provider: IdentityProvider) throws {
    let app = try ProviderApp(provider)
    _ = try app.logIn("phone-1")
    _ = try app.harness.request("POST", "/admin/v1/tokens/expire", body: #"{"all":true}"#)
    #expect(try app.upload(1).errorCode == "token_expired")
    // In the same second: the claims of a provider have whole ones, the server counts finer.
    app.harness.advance(milliseconds: 2)
    _ = try app.refresh()
    #expect(try app.upload(1).status == 200)
    _ = try app.harness.request("POST", "/admin/v1/tokens/revoke", body: #"{"all":true}"#)
    #expect(try app.upload(2).errorCode == "token_revoked")
    #expect(try app.refresh().status >= 400)
  }

  @Test func firebaseKeepsTheRefreshToken() throws {
    let app = try ProviderApp(.firebase)
    _ = try app.logIn("phone-1")
    let first = app.refreshToken
    for _ in 0..<3 {
      #expect(try app.refresh().status == 200)
      #expect(app.refreshToken == first)
      app.harness.advance(seconds: 40 * 86_400)
    }
  }

  /// Auth0 has no leeway by default.
  @Test func reuseEndsTheFamilyWithoutGrace() throws {
    let app = try ProviderApp(.auth0)
    _ = try app.logIn("phone-1")
    let first = app.refreshToken
    #expect(try app.refresh().status == 200)
    app.harness.advance(milliseconds: 1)
    #expect(try app.refresh(with: first).status == 403)
    #expect(try app.refresh().status == 403)
  }

  @Test func graceAndRotationAreSettings() throws {
    let app = try ProviderApp(.auth0) { $0.refreshGraceSeconds = 5 }
    _ = try app.logIn("phone-1")
    let first = app.refreshToken
    _ = try app.refresh()
    let second = app.refreshToken
    app.harness.advance(seconds: 5)
    #expect(try app.refresh(with: first).status == 200)
    #expect(app.refreshToken == second)

    let stable = try ProviderApp(.auth0) { $0.rotatesRefreshTokens = false }
    _ = try stable.logIn("phone-1")
    #expect(try shape(stable.refresh()) == "access_token id_token scope expires_in=86400 token_type")
    let rotating = try ProviderApp(.cognito) { $0.rotatesRefreshTokens = true }
    _ = try rotating.logIn("phone-1")
    #expect(try shape(rotating.refresh()) == "id_token access_token refresh_token expires_in=3600 token_type")
  }

  /// supabase/auth, token_refresh.go: the parent of the token in use gets it again, whenever that is.
  @Test func supabaseForgivesALostAnswerForEver() throws {
    let app = try ProviderApp(.supabase)
    _ = try app.logIn("phone-1")
    let first = app.refreshToken
    _ = try app.refresh()
    app.harness.advance(seconds: 86_400)
    #expect(try app.refresh(with: first).status == 200)
    _ = try app.refresh()
    #expect(
      try app.refresh(with: first).text
        == #"{"code":400,"error_code":"refresh_token_already_used","msg":"Invalid Refresh Token: Already Used"}"#)
  }

  /// A provider whose clock is wrong issues tokens that begin later or end sooner than its clients believe.
  @Test func theClockOfAProviderCanBeWrong() throws {
    let ahead = try ProviderApp(.keycloak) { $0.identity?.clockOffset = .seconds(90) }
    _ = try ahead.logIn("phone-1")
    #expect(try ahead.upload(1).errorCode == "token_notYetValid")
    ahead.harness.advance(seconds: 86)
    #expect(try ahead.upload(1).status == 200)

    let behind = try ProviderApp(.keycloak) { $0.identity?.clockOffset = .seconds(-290) }
    _ = try behind.logIn("phone-1")
    #expect(try behind.upload(1).status == 200)
    behind.harness.advance(seconds: 16)
    #expect(try behind.upload(2).errorCode == "token_expired")
  }

  @Test func theIssuerCanHaveAnAddressOfItsOwn() throws {
    let app = try ProviderApp(.keycloak) { $0.identity?.url = "https://login.example/" }
    _ = try app.logIn("phone-1")
    let claims = try SignedToken(parsing: Array(app.accessToken.utf8)).claims()
    #expect(claims["iss"] == .string("https://login.example/realms/rollingroad"))
  }

  /// Of an access token or an ID token, unchecked.
  private static func claims(_ value: JSONValue?) throws -> JSONValue {
    guard case .string(let text)? = value, let part = text.split(separator: ".").dropFirst().first,
      let bytes = Base64URL.decode(Array(part.utf8)[...])
    else { throw NoAnswer(request: "a token") }
    return try JSONValue(parsing: bytes.span)
  }

  /// OpenID Connect Core 1.0 §2: `aud` of an ID token is the client, and `azp` the party to which it was issued. RFC 9068 §2.2:
  /// `client_id`.
  @Test func tokensNameTheClientThatAskedForThem() throws {
    let form = [("Content-Type", "application/x-www-form-urlencoded")]
    for (provider, path) in [
      (IdentityProvider.keycloak, "/realms/rollingroad/protocol/openid-connect/token"), (.auth0, "/oauth/token"),
    ] {
      let app = try ProviderApp(provider)
      var answer = try app.harness.request(
        "POST", path, form,
        body: "grant_type=password&client_id=my-app&username=phone-1&password=a&scope=openid+offline_access"
      ).json()
      for _ in 0..<2 {
        #expect(try Self.claims(answer["access_token"])["azp"] == .string("my-app"))
        #expect(try Self.claims(answer["id_token"])["aud"] == .string("my-app"))
        guard case .string(let token)? = answer["refresh_token"] else { throw NoAnswer(request: "refresh token") }
        answer = try app.harness.request(
          "POST", path, form, body: "grant_type=refresh_token&client_id=my-app&refresh_token=\(token)"
        ).json()
      }
    }
    let app = try ProviderApp(.cognito)
    let answer = try app.harness.request(
      "POST", "/",
      [
        ("Content-Type", "application/x-amz-json-1.1"),
        ("X-Amz-Target", "AWSCognitoIdentityProviderService.InitiateAuth"),
      ],
      body:
        #"{"ClientId":"my-app","AuthFlow":"USER_PASSWORD_AUTH","AuthParameters":{"USERNAME":"phone-1","PASSWORD":"a"}}"#
    ).json()["AuthenticationResult"]
    #expect(try Self.claims(answer?["AccessToken"])["client_id"] == .string("my-app"))
    #expect(try Self.claims(answer?["IdToken"])["aud"] == .string("my-app"))
  }

  /// An ID token takes `openid` (OpenID Connect Core 1.0 §3.1.2.1), a refresh token of Auth0 `offline_access` (auth0.com/docs, "Get refresh
  /// tokens").
  @Test func aScopeThatIsNotAskedForIsNotGiven() throws {
    let form = [("Content-Type", "application/x-www-form-urlencoded")]
    let login = "grant_type=password&client_id=a&username=phone-1&password=a"
    let keycloak = try ProviderApp(.keycloak).harness
    let plain = try keycloak.request(
      "POST", "/realms/rollingroad/protocol/openid-connect/token", form, body: login
    ).json()
    #expect(plain["id_token"] == nil && plain["scope"] == .string("profile email") && plain["refresh_token"] != nil)
    #expect(try Self.claims(plain["access_token"])["scope"] == .string("profile email"))
    let auth0 = try ProviderApp(.auth0).harness
    for (scope, hasIdentity, hasRefresh) in [
      ("openid", true, false), ("offline_access", false, true), ("read:points", false, false),
    ] {
      let answer = try auth0.request("POST", "/oauth/token", form, body: login + "&scope=\(scope)").json()
      #expect((answer["id_token"] != nil) == hasIdentity && (answer["refresh_token"] != nil) == hasRefresh, "\(scope)")
      #expect(answer["scope"] == .string(scope))
      #expect(try Self.claims(answer["access_token"])["scope"] == .string(scope))
    }
  }
}
