import JSON
import Testing

@testable import Contract

/// SDK §1: what JSON from the field is taken for, and what is left alone.
struct ConfigurationReadingTests {
  private func applying(_ document: String, to platform: DevicePlatform = .ios) throws -> (
    Configuration, ConfigurationChange
  ) {
    var configuration = Configuration(platform: platform)
    let change = configuration.apply(try JSONValue(source: document))
    return (configuration, change)
  }

  @Test(arguments: [("true", true), ("false", false), ("1", true), ("0", false), ("1.0", true), ("0.0", false)])
  func booleansMayBeNumbers(text: String, expected: Bool) throws {
    let (configuration, change) = try applying(#"{"batchSync":\#(text),"autoSync":\#(text)}"#)
    #expect(configuration.http.batchSync == expected)
    #expect(configuration.http.autoSync == expected)
    #expect(change.warnings == [])
  }

  @Test(arguments: ["2", "-1", "0.5", #""true""#, #""1""#, "null", "[]", "{}", "[true]"])
  func otherValuesAreNoBooleans(text: String) throws {
    let (configuration, change) = try applying(#"{"autoSync":\#(text)}"#)
    #expect(configuration == Configuration(platform: .ios))
    #expect(change.changedKeys == [])
    guard case .wrongType("http.autoSync", expected: "true or false", found: _)? = change.warnings.first else {
      Issue.record("\(change.warnings)")
      return
    }
  }

  @Test(arguments: [("42", 42.0), ("4.5", 4.5), ("-3", -3), (#""42""#, 42), (#""4.5""#, 4.5), (#""-1e2""#, -100)])
  func numbersMayBeStrings(text: String, expected: Double) throws {
    let (configuration, change) = try applying(#"{"distanceFilter":\#(text)}"#)
    #expect(configuration.geolocation.distanceFilterMetres == expected)
    #expect(change.warnings == [])
  }

  @Test(arguments: [
    "true", "null", "[]", "{}", #""""#, #"" 4""#, #""4 m""#, #""nan""#, #""inf""#, #""0x10""#, #""1e999""#, #""-""#,
  ])
  func otherValuesAreNoNumbers(text: String) throws {
    let (configuration, change) = try applying(#"{"geolocation":{"distanceFilter":\#(text)}}"#)
    #expect(configuration == Configuration(platform: .ios))
    #expect(change.warnings.count == 1)
  }

  @Test(arguments: [("50", 50), ("50.0", 50), (#""50""#, 50), (#""50.0""#, 50), ("-1", -1)])
  func integersMayBeWrittenWithAFraction(text: String, expected: Int) throws {
    #expect(try applying(#"{"maxBatchSize":\#(text)}"#).0.http.maxBatchSize == expected)
  }

  @Test(arguments: ["2.5", #""2.5""#, "1e300", #""99999999999999999999""#, "true", "null"])
  func aFractionIsNoInteger(text: String) throws {
    let (configuration, change) = try applying(#"{"maxBatchSize":\#(text)}"#)
    #expect(configuration.http.maxBatchSize == -1)
    #expect(change.warnings.count == 1)
  }

  @Test(arguments: ["5", "true", "null", "[]", "{}"]) func textsAreStrings(text: String) throws {
    let (configuration, change) = try applying(#"{"url":\#(text),"httpRootProperty":\#(text)}"#)
    #expect(configuration == Configuration(platform: .ios))
    #expect(change.warnings.count == 2)
  }

  @Test(arguments: ["null", #""""#]) func tokensCanBeTakenAway(text: String) throws {
    var (configuration, _) = try applying(#"{"authorization":{"accessToken":"a","refreshToken":"r"}}"#)
    let change = configuration.apply(try JSONValue(source: #"{"authorization":{"accessToken":\#(text)}}"#))
    #expect(configuration.authorization.accessToken == nil)
    #expect(configuration.authorization.refreshToken == "r")
    #expect(change == ConfigurationChange(changedKeys: ["authorization.accessToken"], warnings: []))
  }

  @Test(arguments: ["headers", "params", "extras", "locationAuthorizationAlert", "notification"])
  func objectsOfAnotherTypeKeepTheOldValue(name: String) throws {
    for text in ["5", "true", "null", #""a""#, "[]"] {
      let (configuration, change) = try applying(#"{"\#(name)":\#(text)}"#)
      #expect(configuration == Configuration(platform: .ios))
      #expect(change.warnings.count == 1)
    }
  }

  /// SDK §16.1.2: it hides none of the others.
  @Test func anEntryOfAListThatIsNoTextIsLeftOut() throws {
    let (configuration, change) = try applying(#"{"schedule":["1 9:00-10:00",5,"2 9:00-10:00",null]}"#)
    #expect(configuration.app.schedule == ["1 9:00-10:00", "2 9:00-10:00"])
    #expect(change.changedKeys == ["app.schedule"])
    #expect(change.warnings.map(\.description) == ["app.schedule[1, 3] must be a string, not a number"])
  }

  @Test(arguments: ["[5]", "[null,{}]", #""1 9:00-10:00""#, "{}", "null"]) func aListWithoutTextsKeepsTheOldOne(
    text: String
  ) throws {
    var (configuration, _) = try applying(#"{"schedule":["1 9:00-10:00"]}"#)
    let change = configuration.apply(try JSONValue(source: #"{"schedule":\#(text)}"#))
    #expect(configuration.app.schedule == ["1 9:00-10:00"] && change.warnings.count == 1)
  }

  @Test(arguments: ["5", "null", #""http""#, "[]"]) func groupsAreObjects(text: String) throws {
    let (configuration, change) = try applying(#"{"http":\#(text),"geolocation":{"filter":\#(text)}}"#)
    #expect(configuration == Configuration(platform: .ios))
    let value = try JSONValue(source: text)
    #expect(
      change.warnings == [
        .wrongType("http", expected: "an object", found: value.kindName),
        .wrongType("geolocation.filter", expected: "an object", found: value.kindName),
      ])
  }

  @Test(arguments: ["5", "null", #""stop""#, "[]", "true"]) func aDocumentIsAnObject(text: String) throws {
    let (configuration, change) = try applying(text)
    #expect(configuration == Configuration(platform: .ios))
    #expect(change.changedKeys == [])
    #expect(change.warnings == [.notAnObject(found: try JSONValue(source: text).kindName)])
  }

  @Test func unknownKeysAreNamedWithTheNearestKnownOne() throws {
    let document = """
      {"distanceFliter":1,"http":{"urll":"a"},"geolocation":{"filter":{"polizy":1}},"policy":1,"zzz":{},
      "authorisation":{},"timeout":1}
      """
    let (configuration, change) = try applying(document)
    #expect(configuration == Configuration(platform: .ios))
    #expect(
      change.warnings == [
        .unknownKey("distanceFliter", nearest: "distanceFilter"), .unknownKey("http.urll", nearest: "http.url"),
        .unknownKey("geolocation.filter.polizy", nearest: "geolocation.filter.policy"),
        .unknownKey("policy", nearest: nil), .unknownKey("zzz", nearest: nil),
        .unknownKey("authorisation", nearest: "authorization"), .unknownKey("timeout", nearest: nil),
      ])
    #expect(change.warnings.first?.description == "Unknown configuration key: distanceFliter")
    let explanation = "Unknown configuration key: distanceFliter (did you mean distanceFilter?)"
    #expect(change.warnings.first?.explanation == explanation)
  }

  @Test func whatIsWrongDoesNotStopTheRest() throws {
    let (configuration, change) = try applying(#"{"autoSync":"no","url":"https://a.example","nonsense":1,"debug":1}"#)
    #expect(!configuration.http.url.isEmpty && configuration.logger.debug && configuration.http.autoSync)
    #expect(change.changedKeys == ["http.url", "logger.debug"])
    #expect(change.warnings.count == 2)
  }

  @Test func readyKeysCountOnlyInReady() throws {
    let (configuration, change) = try applying(#"{"reset":true,"transistorAuthorizationToken":{}}"#)
    #expect(configuration == Configuration(platform: .ios))
    #expect(change.warnings == [.readyOnly("reset"), .readyOnly("transistorAuthorizationToken")])
  }
}
