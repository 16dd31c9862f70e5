import Contract
import JSON
import Testing

/// SDK §11.3, §11.4, §21, §22 row 8: tokens in anybody's answer.
struct FoundTokensTests {
  private func find(_ text: String) throws -> FoundTokens { FoundTokens(searching: try JSONValue(source: text)) }

  @Test(arguments: [
    "accessToken", "access_token", "access-token", "AccessToken", "ACCESS_TOKEN", "accesstoken", "id_token", "idToken",
    "token", "Token",
  ])
  func namesOfAccessTokens(name: String) throws {
    #expect(try find(#"{"\#(name)":"a"}"#).accessToken == "a")
    #expect(try find(#"{"data":{"auth":{"\#(name)":"a"}}}"#).accessToken == "a")
  }

  @Test(arguments: ["refreshToken", "refresh_token", "refresh-token", "RefreshToken", "REFRESH_TOKEN"])
  func namesOfRefreshTokens(name: String) throws {
    #expect(try find(#"{"\#(name)":"r"}"#).refreshToken == "r")
    #expect(try find(#"{"\#(name)":"r"}"#).accessToken == nil)
  }

  @Test(arguments: [
    "expires", "expires_at", "expiresAt", "expires_in", "expiresIn", "expires-in", "expiry", "expiration", "exp",
    "EXPIRES",
  ])
  func namesOfExpiries(name: String) throws {
    #expect(try find(#"{"\#(name)":3600}"#).expires == 3_600)
    #expect(try find(#"{"\#(name)":"3600"}"#).expires == 3_600)
    #expect(try find(#"{"\#(name)":-1}"#).expires == -1)
  }

  @Test(arguments: [
    "token_type", "tokens", "accessTokenExpires", "refreshExpiresIn", "refresh_expires_in", "refresh_token_expires_in",
    "not-before-policy", "session_state", "csrfToken", "refresh", "access", "expired",
  ])
  func otherNamesMeanNothing(name: String) throws {
    for value in [#""x""#, "5", #""5""#] { #expect(try find(#"{"\#(name)":\#(value)}"#) == (try find("{}"))) }
  }

  @Test func theBestNameCountsWhereverItIs() throws {
    #expect(try find(#"{"token":"c","id_token":"b","access_token":"a"}"#).accessToken == "a")
    #expect(try find(#"{"access_token":"a","id_token":"b","token":"c"}"#).accessToken == "a")
    #expect(try find(#"{"token":"c","deep":{"er":{"idToken":"b"}}}"#).accessToken == "b")
    #expect(try find(#"{"id_token":"b","deep":{"accessToken":"a"}}"#).accessToken == "a")
  }

  @Test func ofEqualNamesTheFirstCountsDepthFirst() throws {
    #expect(try find(#"{"x":{"access_token":"a"},"accessToken":"b"}"#).accessToken == "a")
    #expect(try find(#"{"refresh_token":"r","x":{"refreshToken":"s"},"expires":1,"expires_in":2}"#).refreshToken == "r")
    #expect(try find(#"{"x":{"expires_in":2},"expires":1}"#).expires == 2)
  }

  @Test func arraysAreNotEntered() throws {
    #expect(try find(#"{"a":[{"access_token":"a"}]}"#) == (try find("{}")))
    #expect(try find(#"[{"access_token":"a"}]"#) == (try find("{}")))
  }

  @Test(arguments: ["5", "true", "null", "[]", #"["a"]"#, #""""#]) func tokensAreTextsThatSaySomething(text: String)
    throws
  {
    let found = try find(#"{"access_token":\#(text),"refresh_token":\#(text),"token":"t"}"#)
    #expect(found.accessToken == "t")
    #expect(found.refreshToken == nil)
  }

  @Test(arguments: [#""tomorrow""#, "true", "null", "[]", "{}", #""2026-01-01T00:00:00Z""#])
  func aNonNumericExpiryIsPassedOver(text: String) throws {
    let found = try find(#"{"access_token":"a","expires":\#(text),"expires_in":60}"#)
    #expect(found.expires == 60)
    #expect(found.nonNumericExpiries == ["expires"])
  }

  @Test(arguments: ["5", "null", #""a""#, "[]", "{}", "true"]) func otherAnswersHaveNoTokens(text: String) throws {
    #expect(try find(text).accessToken == nil)
  }

  @Test func opaqueTokensAreAccepted() throws {
    #expect(try find(#"{"access_token":"not a jwt"}"#).accessToken == "not a jwt")
  }

  /// Cognito sends an identity token before or behind the access token.
  @Test func cognito() throws {
    let answer = """
      {"AuthenticationResult":{"AccessToken":"aaa","ExpiresIn":3600,"IdToken":"iii","TokenType":"Bearer"},
      "ChallengeParameters":{}}
      """
    let found = try find(answer)
    #expect(found.accessToken == "aaa")
    #expect(found.refreshToken == nil)
    #expect(found.expires == 3_600)
    let oauth = #"{"id_token":"iii","access_token":"aaa","expires_in":3600,"token_type":"Bearer"}"#
    #expect(try find(oauth).accessToken == "aaa")
  }

  /// Keycloak's refresh token is a JWT too, and has a lifetime of its own.
  @Test func keycloak() throws {
    let answer = """
      {"refresh_token":"rrr","refresh_expires_in":1800,"access_token":"aaa","expires_in":300,"token_type":"Bearer",
      "not-before-policy":0,"session_state":"s","scope":"openid"}
      """
    let found = try find(answer)
    #expect(found.accessToken == "aaa")
    #expect(found.refreshToken == "rrr")
    #expect(found.expires == 300)
    #expect(found.nonNumericExpiries == [])
  }

  @Test func demoServer() throws {
    let found = try find(#"{"accessToken":"a","refreshToken":"r","expires":-1,"refreshExpiresIn":12341234}"#)
    #expect(found.accessToken == "a")
    #expect(found.refreshToken == "r")
    #expect(found.expires == -1)
  }

  @Test func ourOwnAnswersAreUnderstood() {
    let answer = TokenAnswer(accessToken: "a", refreshToken: "r", expiresInSeconds: 3_600)
    for json in [answer.registrationJSON, answer.refreshJSON] {
      let found = FoundTokens(searching: json)
      #expect(found.accessToken == "a" && found.refreshToken == "r" && found.expires == 3_600)
    }
  }
}
