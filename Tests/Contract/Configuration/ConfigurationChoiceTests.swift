import JSON
import Testing

@testable import Contract

/// SDK §2 and §4: keys whose values are a closed set. A wrong value gives the default, a wrong type nothing.
struct ConfigurationChoiceTests {
  struct Choice: Sendable {
    let path: String
    let allowed: [String]
    let fallback: String
    let refused: [String]
  }

  static let choices = [
    Choice(
      path: "http.method", allowed: [#""POST""#, #""PUT""#, #""PATCH""#], fallback: #""POST""#,
      refused: [#""GET""#, #""OPTIONS""#, #""post""#, #""""#]),
    Choice(
      path: "persistence.timestampFormat", allowed: [#""iso""#, #""epoch""#], fallback: #""iso""#,
      refused: [#""unix""#, #""ISO""#]),
    Choice(
      path: "persistence.locationsOrderDirection", allowed: [#""ASC""#, #""DESC""#], fallback: #""ASC""#,
      refused: [#""desc""#, #""-1""#]),
    Choice(
      path: "persistence.persistMode", allowed: ["2", "1", "-1", "0"], fallback: "2", refused: ["3", "-2", #""7""#]),
    Choice(
      path: "geolocation.locationAuthorizationRequest", allowed: [#""Always""#, #""WhenInUse""#, #""Any""#],
      fallback: #""Always""#, refused: [#""always""#, #""Never""#]),
    Choice(path: "geolocation.activityType", allowed: ["1", "2", "3", "4", "5"], fallback: "1", refused: ["0", "6"]),
    Choice(path: "logger.logLevel", allowed: ["0", "1", "2", "3", "4", "5"], fallback: "0", refused: ["-1", "6"]),
    Choice(
      path: "authorization.strategy", allowed: [#""JWT""#, #""SAS""#], fallback: #""JWT""#,
      refused: [#""BASIC""#, #""""#]),
  ]

  private func apply(_ text: String, _ path: String, to configuration: inout Configuration) throws
    -> ConfigurationChange
  {
    let value = try JSONValue(source: text)
    return configuration.apply(path.split(separator: ".").reversed().reduce(value) { .object([String($1): $0]) })
  }

  @Test(arguments: choices) func allowedValuesAreTaken(_ choice: Choice) throws {
    for text in choice.allowed {
      var configuration = Configuration(platform: .ios)
      #expect(try apply(text, choice.path, to: &configuration).warnings == [])
      #expect(try ConfigurationTable.key(path: choice.path)?.read(configuration) == JSONValue(source: text))
    }
  }

  @Test(arguments: choices) func otherValuesGiveTheDefault(_ choice: Choice) throws {
    for text in choice.refused {
      var configuration = Configuration(platform: .ios)
      _ = try apply(choice.allowed[1], choice.path, to: &configuration)
      let warnings = try apply(text, choice.path, to: &configuration).warnings
      #expect(try ConfigurationTable.key(path: choice.path)?.read(configuration) == JSONValue(source: choice.fallback))
      guard case .notAllowed(choice.path, expected: _, default: _)? = warnings.first, warnings.count == 1 else {
        Issue.record("\(choice.path) \(text): \(warnings)")
        continue
      }
    }
  }

  @Test(arguments: choices) func anotherTypeKeepsTheOldValue(_ choice: Choice) throws {
    for text in ["null", "[]", "{}", "true", choice.fallback.hasPrefix("\"") ? "1" : #""a""#] {
      var configuration = Configuration(platform: .ios)
      _ = try apply(choice.allowed[1], choice.path, to: &configuration)
      let before = configuration
      let change = try apply(text, choice.path, to: &configuration)
      #expect(configuration == before)
      #expect(change.changedKeys == [])
      #expect(change.warnings.count == 1)
    }
  }

  @Test(arguments: ["JWT", "jwt", "Jwt", "SAS", "sas", "sAS"]) func theStrategyIgnoresCase(text: String) throws {
    var configuration = Configuration(platform: .ios)
    #expect(try apply("\"\(text)\"", "authorization.strategy", to: &configuration).warnings == [])
    #expect(configuration.authorization.strategy.rawValue == text.uppercased())
  }

  @Test(arguments: [
    (#""""#, ""), (#""in_vehicle""#, "in_vehicle"), (#""in_vehicle, on_foot""#, "in_vehicle,on_foot"),
    (#"["on_bicycle","running","walking"]"#, "on_bicycle,running,walking"), ("[]", ""),
  ])
  func triggerActivitiesAreAListOrAString(text: String, expected: String) throws {
    var configuration = Configuration(platform: .ios)
    #expect(try apply(text, "activity.triggerActivities", to: &configuration).warnings == [])
    #expect(configuration.activity.triggerActivities == expected)
  }

  @Test(arguments: [#""still""#, #""in_vehicle,flying""#, "[1]", "5", "null", #"["in_vehicle",null]"#])
  func unknownTriggerActivitiesKeepTheOldOnes(text: String) throws {
    var configuration = Configuration(platform: .ios)
    _ = try apply(#""running""#, "activity.triggerActivities", to: &configuration)
    #expect(try apply(text, "activity.triggerActivities", to: &configuration).warnings.count == 1)
    #expect(configuration.activity.triggerActivities == "running")
  }

  @Test func theAlertNeedsAllFiveTexts() throws {
    var configuration = Configuration(platform: .ios)
    let change = try apply(
      #"{"titleWhenOff":"a","cancelButton":"b"}"#, "geolocation.locationAuthorizationAlert", to: &configuration)
    #expect(configuration == Configuration(platform: .ios))
    let missing = ["titleWhenNotEnabled", "instructions", "settingsButton"]
    #expect(change.warnings == [.incomplete("geolocation.locationAuthorizationAlert", missing: missing)])
  }
}
