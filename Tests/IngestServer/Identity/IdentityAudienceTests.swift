import Base
import Contract
import JSON
import Support
import Testing

@testable import IngestServer

/// Whom access tokens are for, at each provider as its own documents say.
@Suite struct IdentityAudienceTests {
  private static let form = [("Content-Type", "application/x-www-form-urlencoded")]
  private static let keycloak = "/realms/rollingroad/protocol/openid-connect/token"

  /// `aud` of a token, unchecked.
  private func audience(_ token: String) throws -> JSONValue? {
    guard let part = token.split(separator: ".").dropFirst().first,
      let bytes = Base64URL.decode(Array(part.utf8)[...])
    else { throw NoAnswer(request: "a token") }
    return try JSONValue(parsing: bytes.span)["aud"]
  }

  /// The default, and what the flag makes of it; nil: there is no `aud`.
  private static let audiences: [(IdentityProvider, JSONValue?, JSONValue?)] = [
    (.keycloak, .string("account"), .array([.string("points"), .string("account")])),
    (.auth0, .string("https://rollingroad.example/api"), .string("points")),
    (.supabase, .string("authenticated"), .string("points")),
    (.firebase, .string("rolling-road"), .string("rolling-road")),
    (.own, nil, .string("points")), (.cognito, nil, nil),
  ]

  @Test(arguments: audiences)
  func theServerSaysWhomTokensAreFor(provider: IdentityProvider, standard: JSONValue?, chosen: JSONValue?) throws {
    for (given, expected) in [(nil, standard), ("points", chosen)] {
      let app = try ProviderApp(provider) { $0.identity?.audience = given }
      _ = try app.logIn("phone-1")
      #expect(try audience(app.accessToken) == expected)
      _ = try app.refresh()
      #expect(try audience(app.accessToken) == expected, "and so does a refresh")
    }
  }

  /// auth0.com/docs: "Get Access Tokens". At Keycloak it belongs to the exchange of tokens alone (RFC 8693 §2.1).
  @Test func aLoginAtAuth0NamesItsAudience() throws {
    for (provider, path, expected) in [
      (IdentityProvider.auth0, "/oauth/token", JSONValue.string("https://mine")),
      (.keycloak, Self.keycloak, .array([.string("points"), .string("account")])),
    ] {
      let app = try ProviderApp(provider) { $0.identity?.audience = "points" }
      let answer = try app.harness.request(
        "POST", path, Self.form,
        body: "grant_type=password&client_id=a&username=p&password=a&audience=https%3A%2F%2Fmine&scope=openid"
      ).json()
      guard case .string(let token)? = answer["access_token"], case .string(let identity)? = answer["id_token"] else {
        throw NoAnswer(request: "tokens")
      }
      #expect(try audience(token) == expected)
      #expect(try audience(identity) == .string("a"), "an ID token is for the client")
    }
  }

  /// supabase.com/docs: the user of an answer has the same `aud`.
  @Test func theUserOfSupabaseHasTheAudience() throws {
    let answer = try ProviderApp(.supabase) { $0.identity?.audience = "points" }.logIn("phone-1").json()
    #expect(answer["user"]?["aud"] == .string("points"))
  }
}
