import Contract
import JSON
import Testing

@testable import IngestServer

/// What providers say to requests that they refuse, word for word.
@Suite struct IdentityErrorTests {
  private func answer(_ app: ProviderApp, _ path: String, _ type: String, _ body: String) throws -> String {
    let answer = try app.harness.request("POST", path, [("Content-Type", type)], body: body)
    return "\(answer.status) \(answer.text)"
  }

  @Test func keycloak() throws {
    let app = try ProviderApp(.keycloak)
    let path = "/realms/rollingroad/protocol/openid-connect/token"
    let form = "application/x-www-form-urlencoded"
    let cases = [
      ("", #"401 {"error":"invalid_client","error_description":"Invalid client or Invalid client credentials"}"#),
      ("client_id=a", #"400 {"error":"invalid_request","error_description":"Missing form parameter: grant_type"}"#),
      (
        "client_id=a&grant_type=magic",
        #"400 {"error":"unsupported_grant_type","error_description":"Unsupported grant_type"}"#
      ),
      (
        "client_id=a&grant_type=refresh_token",
        #"400 {"error":"invalid_request","error_description":"No refresh token"}"#
      ),
      (
        "client_id=a&grant_type=password&username=a",
        #"401 {"error":"invalid_grant","error_description":"Invalid user credentials"}"#
      ),
      (
        "client_id=a&grant_type=refresh_token&refresh_token=x",
        #"400 {"error":"invalid_grant","error_description":"Invalid refresh token"}"#
      ),
    ]
    for (body, expected) in cases { #expect(try answer(app, path, form, body) == expected, "\(body)") }
    // A phone whose refreshHeaders ask for JSON.
    let json = #"{"client_id":"a","grant_type":"refresh_token","refresh_token":"x"}"#
    #expect(try answer(app, path, "application/json", json) == #"415 {"error":"HTTP 415 Unsupported Media Type"}"#)

    _ = try app.logIn("phone-1")
    app.harness.advance(seconds: 1_800)
    #expect(try app.refresh().text == #"{"error":"invalid_grant","error_description":"Token is not active"}"#)
    _ = try app.logIn("phone-1")
    _ = try app.harness.request("POST", "/admin/v1/tokens/revoke", body: #"{"all":true}"#)
    #expect(try app.refresh().text == #"{"error":"invalid_grant","error_description":"Session not active"}"#)

    let strict = try ProviderApp(.keycloak) { $0.rotatesRefreshTokens = true }
    _ = try strict.logIn("phone-1")
    let first = strict.refreshToken
    _ = try strict.refresh()
    strict.harness.advance(milliseconds: 1)
    let replay = try strict.refresh(with: first)
    #expect(replay.status == 400)
    #expect(
      replay.text == #"{"error":"invalid_grant","error_description":"Maximum allowed refresh token reuse exceeded"}"#)
    // The session is over for the thief and the owner.
    #expect(try strict.refresh().text == #"{"error":"invalid_grant","error_description":"Session not active"}"#)
  }

  @Test func cognito() throws {
    let app = try ProviderApp(.cognito)
    let form = "application/x-www-form-urlencoded"
    let cases = [
      ("grant_type=refresh_token&refresh_token=x", "invalid_client"), ("client_id=a", "unsupported_grant_type"),
      ("client_id=a&grant_type=refresh_token", "invalid_request"),
      ("client_id=a&grant_type=refresh_token&refresh_token=x", "invalid_grant"),
    ]
    for (body, error) in cases {
      #expect(try answer(app, "/oauth2/token", form, body) == #"400 {"error":"\#(error)"}"#, "\(body)")
    }

    func service(_ body: String, _ target: String? = "InitiateAuth") throws -> TestAnswer {
      let named = target.map { [("X-Amz-Target", "AWSCognitoIdentityProviderService.\($0)")] } ?? []
      return try app.harness.request("POST", "/", [("Content-Type", "application/x-amz-json-1.1")] + named, body: body)
    }
    let client = #""ClientId":"app""#
    let wrong = try service(
      #"{\#(client),"AuthFlow":"REFRESH_TOKEN_AUTH","AuthParameters":{"REFRESH_TOKEN":"x"}}"#)
    #expect(wrong.status == 400 && wrong.field("x-amzn-ErrorType") == "NotAuthorizedException:")
    #expect(wrong.field("x-amzn-ErrorMessage") == "Invalid Refresh Token.")
    #expect(wrong.field("Content-Type") == "application/x-amz-json-1.1")
    // Of this length in amplify-js issue 1268.
    #expect(
      wrong.text == #"{"__type":"NotAuthorizedException","message":"Invalid Refresh Token."}"#
        && wrong.text.utf8.count == 70)
    for (body, name) in [
      (#"{\#(client),"AuthFlow":"REFRESH_TOKEN_AUTH","AuthParameters":{"REFRESH_TOKEN":""}}"#, "REFRESH_TOKEN"),
      (#"{\#(client),"AuthFlow":"USER_PASSWORD_AUTH","AuthParameters":{"PASSWORD":"a"}}"#, "USERNAME"),
      (#"{\#(client),"AuthFlow":"USER_PASSWORD_AUTH","AuthParameters":{"USERNAME":"a"}}"#, "PASSWORD"),
    ] {
      #expect(
        try service(body).text
          == #"{"__type":"InvalidParameterException","message":"Missing required parameter \#(name)"}"#)
    }
    #expect(try service("{\(client)}").text.contains("Missing required parameter AuthFlow"))
    let login = #""AuthFlow":"USER_PASSWORD_AUTH","AuthParameters":{"USERNAME":"phone-1","PASSWORD":"a"}"#
    for wrong in ["{\(login)}", #"{"ClientId":"",\#(login)}"#, #"{"ClientId":1,\#(login)}"#] {
      #expect(try service(wrong).text.contains("InvalidParameterException"), "\(wrong)")
      #expect(try service(wrong).text.contains("'clientId'"), "\(wrong)")
    }
    for target in [nil, "", "DeleteUser", "initiateAuth"] {
      let answer = try service("{\(client),\(login)}", target)
      #expect(answer.status == 400 && answer.text == #"{"__type":"UnknownOperationException"}"#, "\(target ?? "-")")
    }
    for wrong in ["{", "[]", ""] {
      #expect(try service(wrong).text == #"{"__type":"SerializationException"}"#, "\(wrong)")
    }

    _ = try app.logIn("phone-1")
    let refresh =
      #"{\#(client),"AuthFlow":"REFRESH_TOKEN_AUTH","AuthParameters":{"REFRESH_TOKEN":"\#(app.refreshToken)"}}"#
    #expect(try service(refresh).json()["AuthenticationResult"]?["RefreshToken"] == nil)
    let other = #"{\#(client),"RefreshToken":"\#(app.refreshToken)"}"#
    let again = try service(other, "GetTokensFromRefreshToken")
    #expect(again.status == 200 && again.text.hasPrefix(#"{"AuthenticationResult":{"AccessToken":""#))
    #expect(
      try service("{\(client)}", "GetTokensFromRefreshToken").text.contains("Missing required parameter RefreshToken"))
    _ = try app.harness.request("POST", "/admin/v1/tokens/revoke", body: #"{"all":true}"#)
    let revoked = try service(refresh)
    #expect(revoked.text == #"{"__type":"NotAuthorizedException","message":"Refresh Token has been revoked"}"#)
    // Of this length in amplify-swift issue 3344.
    #expect(revoked.text.utf8.count == 78)
  }

  @Test func auth0() throws {
    let app = try ProviderApp(.auth0)
    let json = "application/json"
    let cases = [
      ("{}", #"401 {"error":"access_denied","error_description":"Unauthorized"}"#),
      (
        #"{"client_id":"a"}"#,
        #"403 {"error":"unsupported_grant_type","error_description":"Unsupported grant type: undefined"}"#
      ),
      (
        #"{"client_id":"a","grant_type":"password","username":"a"}"#,
        #"403 {"error":"invalid_grant","error_description":"Wrong email or password."}"#
      ),
      (
        #"{"client_id":"a","grant_type":"refresh_token","refresh_token":"x"}"#,
        #"403 {"error":"invalid_grant","error_description":"Unknown or invalid refresh token."}"#
      ),
    ]
    for (body, expected) in cases { #expect(try answer(app, "/oauth/token", json, body) == expected, "\(body)") }
    // Form and JSON will do.
    _ = try app.logIn("phone-1")
    let payload = app.provider.requests(for: "").refreshPayload
    #expect(try app.refresh(payload: payload, headers: ["Content-Type": .string(json)]).status == 200)
    #expect(try app.refresh(payload: payload).status == 200)
  }

  @Test func firebase() throws {
    let app = try ProviderApp(.firebase)
    let form = "application/x-www-form-urlencoded"
    let cases = [
      ("", "MISSING_GRANT_TYPE"), ("grant_type=magic", "INVALID_GRANT_TYPE"),
      ("grant_type=refresh_token", "MISSING_REFRESH_TOKEN"),
      ("grant_type=refresh_token&refresh_token=x", "INVALID_REFRESH_TOKEN"),
    ]
    for (body, message) in cases {
      let expected = #"400 {"error":{"code":400,"message":"\#(message)","status":"INVALID_ARGUMENT"}}"#
      #expect(try answer(app, "/v1/token?key=a", form, body) == expected, "\(body)")
    }
    // As the emulator of Firebase has it in password.spec.ts.
    for (body, message) in [
      (#"{"password":"a"}"#, "MISSING_EMAIL"), (#"{"email":"","password":"a"}"#, "INVALID_EMAIL"),
      (#"{"email":"a"}"#, "MISSING_PASSWORD"),
    ] {
      #expect(
        try answer(app, "/v1/accounts:signInWithPassword?key=a", "application/json", body)
          == #"400 {"error":{"code":400,"message":"\#(message)","errors":[{"message":"\#(message)","domain":"global","reason":"invalid"}]}}"#
      )
    }
    _ = try app.logIn("phone-1")
    _ = try app.harness.request("DELETE", "/admin/v1/devices/phone-1")
    #expect(try app.refresh().text.contains("INVALID_REFRESH_TOKEN") || app.refresh().text.contains("USER_NOT_FOUND"))
  }

  @Test func supabase() throws {
    let app = try ProviderApp(.supabase)
    let (token, json) = ("/auth/v1/token?grant_type=refresh_token", "application/json")
    // The SDK's usual form: rejected, which `refreshHeaders` mends.
    #expect(
      try answer(app, token, "application/x-www-form-urlencoded", "refresh_token=x")
        == #"400 {"code":400,"error_code":"bad_json","msg":"Could not parse request body as JSON"}"#)
    #expect(
      try answer(app, token, json, #"{"refresh_token":"x"}"#)
        == #"400 {"code":400,"error_code":"refresh_token_not_found","msg":"Invalid Refresh Token: Refresh Token Not Found"}"#
    )
    #expect(try answer(app, token, json, "{}").contains("validation_failed"))
    #expect(try answer(app, "/auth/v1/token", json, "{}") == #"400 {"error":"unsupported_grant_type"}"#)
    #expect(try answer(app, "/auth/v1/signup", json, #"{"email":"a"}"#).contains("invalid_credentials"))
    #expect(try answer(app, "/auth/v1/signup", json, #"{"email":"a","password":"b"}"#).hasPrefix("200 "))
  }

  /// A provider does not hold a dead token off by itself.
  @Test func aDeadTokenIsRefusedAsOftenAsItIsShown() throws {
    let app = try ProviderApp(.keycloak)
    _ = try app.logIn("phone-1")
    _ = try app.harness.request("POST", "/admin/v1/tokens/revoke", body: #"{"all":true}"#)
    for _ in 0..<20 { #expect(try app.refresh().status == 400) }
  }

  @Test(arguments: IdentityProviderTests.foreign)
  func faultsOfRefreshesHoldForProvidersToo(provider: IdentityProvider) throws {
    let app = try ProviderApp(provider)
    _ = try app.logIn("phone-1")
    _ = try app.harness.request("PUT", "/admin/v1/tokens/break-refresh", body: #"{"next":1,"status":502}"#)
    #expect(try app.refresh().status == 502)
    _ = try app.harness.request("PUT", "/admin/v1/tokens/break-refresh", body: #"{"next":1,"shape":"nested"}"#)
    #expect(try app.refresh().json()["data"]?["tokens"] != nil)
    #expect(try app.upload(1).status == 200)
  }
}
