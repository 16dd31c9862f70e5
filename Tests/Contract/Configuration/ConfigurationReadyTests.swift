import Contract
import JSON
import Testing

/// SDK §1, "ready / reset semantics", rules 1 to 5.
struct ConfigurationReadyTests {
  private let document = #"{"reset":RESET,"url":"https://new.example","autoSync":false}"#
  private let token = #"{"accessToken":"a","refreshToken":"r","expires":-1,"url":"https://demo.example"}"#

  private func persisted() throws -> Configuration {
    var configuration = Configuration(platform: .ios)
    _ = configuration.apply(
      try JSONValue(source: #"{"url":"https://old.example","autoSync":false,"distanceFilter":99,"isMoving":true}"#))
    return configuration
  }

  private func ready(_ persisted: Configuration?, _ document: String) throws -> (Configuration, ConfigurationChange) {
    let result = Configuration.ready(
      platform: .ios, persisted: persisted, document: try JSONValue(source: document))
    return (result.configuration, result.change)
  }

  private func document(reset: String) -> String { document.replacing("RESET", with: reset) }

  /// Rule 1.
  @Test(arguments: ["true", "false"]) func theFirstLaunchAppliesTheDocumentToTheDefaults(reset: String) throws {
    let (configuration, change) = try ready(nil, document(reset: reset))
    #expect(configuration.http.url == "https://new.example")
    #expect(change == ConfigurationChange(changedKeys: ["http.url", "http.autoSync"], warnings: []))
  }

  /// Rules 2 and 5: autoSync is false before and after, so no listener may hear of a change.
  @Test func aLaterLaunchWithResetStartsFromTheDefaults() throws {
    let (configuration, change) = try ready(try persisted(), document(reset: "true"))
    #expect(configuration.http.url == "https://new.example")
    #expect(configuration.geolocation.distanceFilterMetres == 10)
    #expect(configuration.isMoving)
    #expect(change == ConfigurationChange(changedKeys: ["geolocation.distanceFilter", "http.url"], warnings: []))
  }

  @Test func resetIsTheDefault() throws {
    let with = try ready(try persisted(), #"{"reset":true,"debug":true}"#)
    let without = try ready(try persisted(), #"{"debug":true}"#)
    #expect(with.0 == without.0)
    #expect(with.1 == without.1)
  }

  /// Rule 3.
  @Test(arguments: ["false", "0"]) func aLaterLaunchWithoutResetIgnoresTheDocument(reset: String) throws {
    let (configuration, change) = try ready(try persisted(), document(reset: reset))
    #expect(configuration == (try persisted()))
    #expect(change == ConfigurationChange(changedKeys: [], warnings: []))
  }

  /// Rule 4.
  @Test(arguments: ["true", "false"]) func theTokenComesLastInEveryCase(reset: String) throws {
    for old in [nil, try persisted()] {
      let document = """
        {"transistorAuthorizationToken":\(token),"reset":\(reset),"url":"https://new.example",
        "authorization":{"strategy":"SAS","accessToken":"x","refreshHeaders":{"A":"1"}}}
        """
      let (configuration, change) = try ready(old, document)
      #expect(configuration.http.url == "https://demo.example/api/locations")
      #expect(configuration.authorization.strategy == .jwt)
      #expect(configuration.authorization.accessToken == "a")
      #expect(configuration.authorization.refreshToken == "r")
      #expect(configuration.authorization.refreshUrl == "https://demo.example/api/refresh_token")
      let payload = try JSONValue(source: #"{"refresh_token":"{refreshToken}"}"#)
      #expect(configuration.authorization.refreshPayload == payload)
      #expect(configuration.authorization.expires == -1)
      #expect(change.warnings == [])
      let isKept = old != nil && reset == "false"
      #expect(configuration.geolocation.distanceFilterMetres == (isKept ? 99 : 10))
    }
  }

  @Test func anUnusableTokenIsIgnoredWithAWarning() throws {
    let (configuration, change) = try ready(nil, #"{"transistorAuthorizationToken":{"accessToken":"a"},"debug":true}"#)
    #expect(configuration.authorization.accessToken == nil)
    #expect(configuration.logger.debug)
    #expect(change.warnings == [.unusableToken(FieldError("refreshToken", .missing))])
  }

  @Test(arguments: ["5", "null", "[]"]) func whatIsNoObjectChangesNothing(document: String) throws {
    for old in [nil, try persisted()] {
      let (configuration, change) = try ready(old, document)
      #expect(configuration == old ?? Configuration(platform: .ios))
      #expect(change.changedKeys == [])
      #expect(change.warnings.count == 1)
    }
  }

  @Test func codeIsTreatedLikeADocument() throws {
    let token = TransistorToken(accessToken: "a", refreshToken: "r", expires: -1)
    let first = Configuration.ready(platform: .ios, persisted: nil, reset: false, token: token) {
      $0.http.url = "https://new.example"
      $0.geolocation.filter.rollingWindow = 99
    }
    #expect(first.configuration.http.url == "https://tracker.transistorsoft.com/api/locations")
    #expect(first.configuration.geolocation.filter.rollingWindow == 20)
    #expect(first.change.warnings == [.clamped("geolocation.filter.rollingWindow", to: 20)])

    let later = Configuration.ready(platform: .ios, persisted: try persisted(), reset: false) { $0.http.url = "x" }
    #expect(later.configuration == (try persisted()))
  }

  @Test func resettingKeepsThePace() throws {
    var configuration = try persisted()
    let change = configuration.reset()
    var defaults = Configuration(platform: .ios)
    defaults.isMoving = true
    #expect(configuration == defaults)
    #expect(change.changedKeys == ["geolocation.distanceFilter", "http.url", "http.autoSync"])
  }
}
