import Contract
import JSON
import Testing

/// SDK §21.
struct RegistrationTests {
  private let full = """
    {"org":"o","uuid":"u","model":"m","manufacturer":"f","version":"17","platform":"iOS","framework":"native",\
    "device_id":"d","device_model":"x"}
    """

  @Test func aFullRequestIsReadAndWritten() throws {
    let value = try JSONValue(source: full)
    let request = try RegisterRequest(value)
    #expect(request.org == "o" && request.uuid == "u" && request.model == "m" && request.manufacturer == "f")
    #expect(request.version == "17" && request.platform == "iOS" && request.framework == "native")
    #expect(request.deviceID == "d" && request.deviceModel == "x")
    #expect(request.json == value)
  }

  @Test(arguments: ["org", "uuid", "model", "manufacturer", "version"])
  func fiveFieldsMustBeThere(name: String) throws {
    for replacement in [nil, JSONValue.null, .string("")] {
      guard case .object(var object) = try JSONValue(source: full) else { return }
      object[name] = replacement
      #expect(throws: FieldError(name, .missing)) { try RegisterRequest(.object(object)) }
    }
  }

  @Test func theOrganisationIsLookedAtFirst() {
    #expect(throws: FieldError("org", .missing)) { try RegisterRequest(.emptyObject) }
  }

  @Test(arguments: ["platform", "framework", "device_id", "device_model"])
  func theOtherFieldsMayBeMissing(name: String) throws {
    guard case .object(var object) = try JSONValue(source: full) else { return }
    object[name] = nil
    object["username"] = .string("whoever")
    #expect(throws: Never.self) { try RegisterRequest(.object(object)) }
    object[name] = .integer(5)
    #expect(throws: FieldError(name, .wrongType(expected: "a string", found: "a number"))) {
      try RegisterRequest(.object(object))
    }
  }

  @Test(arguments: ["5", "null", "[]", #""a""#]) func whatIsNoObjectIsRefused(text: String) throws {
    let value = try JSONValue(source: text)
    #expect(throws: FieldError.self) { try RegisterRequest(value) }
    #expect(throws: FieldError.self) { try TransistorToken(value) }
  }

  @Test func theAnswersAreSpelledAsTheirClientsExpect() throws {
    let answer = TokenAnswer(accessToken: "a", refreshToken: "r", expiresInSeconds: 3_600)
    #expect(
      answer.registrationJSON == (try JSONValue(source: #"{"accessToken":"a","refreshToken":"r","expires":3600}"#)))
    #expect(
      answer.refreshJSON == (try JSONValue(source: #"{"access_token":"a","refresh_token":"r","expires_in":3600}"#)))
  }

  @Test func theURLsOfATokenFollowFromItsServer() throws {
    for url in ["https://demo.example", "https://demo.example/"] {
      let token = try TransistorToken(
        try JSONValue(source: #"{"accessToken":"a","refreshToken":"r","expires":5,"url":"\#(url)"}"#))
      #expect(token.apiURL == "https://demo.example/api/locations")
      #expect(token.refreshURL == "https://demo.example/api/refresh_token")
      #expect(token.expires == 5)
      #expect(try TransistorToken(token.json) == token)
    }
  }

  @Test func theDefaultServerIsTheVendors() throws {
    let token = try TransistorToken(try JSONValue(source: #"{"accessToken":"a","refreshToken":"r"}"#))
    #expect(token.apiURL == "https://tracker.transistorsoft.com/api/locations")
    #expect(token.refreshURL == "https://tracker.transistorsoft.com/api/refresh_token")
    #expect(token.expires == -1)
  }

  @Test func givenURLsWin() throws {
    let text = #"{"accessToken":"a","refreshToken":"r","apiUrl":"https://x/l","refreshUrl":"https://y/r"}"#
    let token = try TransistorToken(try JSONValue(source: text))
    #expect(token.apiURL == "https://x/l")
    #expect(token.refreshURL == "https://y/r")
  }
}
