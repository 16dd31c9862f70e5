import Contract
import HTTP1
import JSON
import Support
import Testing

@testable import Contract

/// SDK §11.2 and §2.8: the request a device sends, and how a server reads it (§22 row 7).
struct RefreshRequestTests {
  private func request(_ authorization: String, headers: String = "{}") throws -> RefreshRequest? {
    var configuration = Configuration(platform: .ios)
    _ = configuration.apply(try JSONValue(source: #"{"authorization":\#(authorization),"headers":\#(headers)}"#))
    return RefreshRequest(configuration.authorization, uploadHeaders: configuration.http.headers)
  }

  private func text(_ request: RefreshRequest?) -> String { String(decoding: request?.body ?? [], as: UTF8.self) }

  private let form = NameValuePair("Content-Type", "application/x-www-form-urlencoded")
  private let json = NameValuePair("Content-Type", "application/json")

  /// §11.1
  @Test func theStrategySaysHowTheTokenStandsInTheHeader() {
    var configuration = Configuration(platform: .ios)
    #expect(configuration.authorization.headerValue == nil)
    configuration.authorization.accessToken = "a"
    #expect(configuration.authorization.headerValue == "Bearer a")
    configuration.authorization.strategy = .sas
    #expect(configuration.authorization.headerValue == "a")
  }

  @Test func withoutARefreshURLThereIsNoRequest() throws {
    #expect(try request(#"{"accessToken":"a","refreshToken":"r"}"#) == nil)
  }

  @Test func theFormIsTheDefault() throws {
    let found = try request(
      """
      {"accessToken":"a b","refreshToken":"r/1+2=","refreshUrl":"https://a.example/r",
      "refreshPayload":{"refresh_token":"{refreshToken}","both":"<{refreshToken}|{refreshToken}>","n":5,"f":true,
      "none":null,"deep":{"x":[1]},"grant type":"refresh_token"}}
      """)
    #expect(found?.url == "https://a.example/r")
    #expect(found?.headers == [form, NameValuePair("Authorization", "Bearer a b")])
    let token = "r%2F1%2B2%3D"
    #expect(
      text(found) == "refresh_token=\(token)&both=%3C\(token)%7C\(token)%3E&n=5&f=true"
        + "&deep=%7B%22x%22%3A%5B1%5D%7D&grant+type=refresh_token")
    #expect(found?.refusedContentType == nil)
  }

  @Test(arguments: ["Content-Type", "content-type", "CONTENT-TYPE"]) func aContentTypeOfJSONMakesJSON(name: String)
    throws
  {
    for type in ["application/json", "Application/JSON; charset=utf-8", "application/json ;charset=utf-8"] {
      let found = try request(
        """
        {"refreshToken":"r","refreshUrl":"u","refreshPayload":{"t":"{refreshToken}","n":5},
        "refreshHeaders":{"\(name)":"\(type)"}}
        """)
      #expect(found?.headers == [json])
      #expect(text(found) == #"{"t":"r","n":"5"}"#)
    }
  }

  @Test func anotherContentTypeBecomesAForm() throws {
    let found = try request(
      #"{"refreshUrl":"u","refreshPayload":{"a":"b"},"refreshHeaders":{"Content-Type":"text/plain","X":"1"}}"#)
    #expect(found?.headers == [form, NameValuePair("X", "1")])
    #expect(found?.refusedContentType == "text/plain")
    #expect(text(found) == "a=b")
  }

  @Test func aConfiguredFormIsNoReasonToWarn() throws {
    let found = try request(
      #"{"refreshUrl":"u","refreshHeaders":{"Content-Type":"application/x-www-form-urlencoded"}}"#)
    #expect(found?.refusedContentType == nil)
    #expect(found?.headers == [form])
  }

  @Test func uploadHeadersAreAddedUnlessTheyAreThere() throws {
    let found = try request(
      #"{"accessToken":"a","refreshUrl":"u"}"#,
      headers: #"{"authorization":"Basic x","content-type":"text/xml","X-Tenant":"7","X-Literal":"{accessToken}"}"#)
    #expect(
      found?.headers == [
        form, NameValuePair("Authorization", "Bearer a"), NameValuePair("X-Tenant", "7"),
        NameValuePair("X-Literal", "{accessToken}"),
      ])
  }

  @Test func noRefreshHeadersMeansNone() throws {
    #expect(try request(#"{"accessToken":"a","refreshUrl":"u","refreshHeaders":{}}"#)?.headers == [form])
  }

  @Test func withoutAnAccessTokenItsHeaderIsLeftOut() throws {
    let found = try request(#"{"refreshUrl":"u","refreshHeaders":{"Authorization":"Bearer {accessToken}","X":"1"}}"#)
    #expect(found?.headers == [form, NameValuePair("X", "1")])
  }

  @Test func aMissingRefreshTokenIsEmpty() throws {
    #expect(text(try request(#"{"refreshUrl":"u","refreshPayload":{"t":"{refreshToken}"}}"#)) == "t=")
  }

  @Test func anEmptyPayloadIsAnEmptyBody() throws {
    #expect(text(try request(#"{"refreshUrl":"u"}"#)) == "")
  }

  @Test(arguments: ["refresh_token", "refreshToken", "RefreshToken", "refresh-token", "token"])
  func aServerFindsTheTokenUnderAnySpelling(name: String) throws {
    let fields = [NameValuePair("grant_type", "refresh_token"), NameValuePair(name, "r")]
    #expect(RefreshFields.refreshToken(in: fields) == "r")
    let body = NameValuePair.list(try JSONValue(source: #"{"grant_type":"refresh_token","\#(name)":"r"}"#))
    #expect(RefreshFields.refreshToken(in: body) == "r")
  }

  @Test func aServerPrefersTheFullName() {
    let fields = [NameValuePair("token", "t"), NameValuePair("refresh_token", ""), NameValuePair("refreshToken", "r")]
    #expect(RefreshFields.refreshToken(in: fields) == "r")
    #expect(
      RefreshFields.refreshToken(in: [NameValuePair("access_token", "a"), NameValuePair("refresh_token", "")]) == nil)
  }
}

/// The URL standard of the WHATWG, §5, held against the reader that a server uses.
struct FormEncodingTests {
  @Test(arguments: [
    ([], ""), ([NameValuePair("a", "b")], "a=b"), ([NameValuePair("", "")], "="),
    ([NameValuePair("a b", "c&d=e"), NameValuePair("f", "+%")], "a+b=c%26d%3De&f=%2B%25"),
    ([NameValuePair("é", "*-._~")], "%C3%A9=*-._%7E"),
  ])
  func formsAreWritten(fields: [NameValuePair], expected: String) {
    #expect(String(decoding: FormEncoding.encode(fields), as: UTF8.self) == expected)
  }

  @Test func everyByteOfATextSurvives() throws {
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<500 {
      let fields = (0..<generator.index(below: 4)).map { _ in
        NameValuePair(randomText(&generator) + "n", randomText(&generator))
      }
      let bytes = FormEncoding.encode(fields)
      let read = try FormItem.parse(bytes.span, limits: HTTPLimits())
      #expect(read.map { NameValuePair($0.name, $0.value) } == fields)
      #expect(bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    }
  }

  private func randomText(_ generator: inout SeededGenerator) -> String {
    let characters = Array("ab&=+% %é漢😀\0\n\"/~*-._")
    return String((0..<generator.index(below: 8)).map { _ in characters[generator.index(below: characters.count)] })
  }
}
