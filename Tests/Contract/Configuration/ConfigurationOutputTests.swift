import JSON
import Testing

@testable import Contract

/// SDK §1: the state holds the groups and, once more, their keys outside them.
struct ConfigurationOutputTests {
  private func keys(_ object: JSONObject) -> [String] { object.members.map(\.key) }

  private func keys(_ value: JSONValue?) -> [String] {
    guard case .object(let object)? = value else { return [] }
    return keys(object)
  }

  /// The keys of a configuration dump of a real iOS device, group by group, plus what it lacks by being unset.
  @Test func theStateOfIOSHasTheKeysOfARealOne() {
    let state = Configuration(platform: .ios).stateDictionary
    let groups = ["geolocation", "app", "http", "persistence", "activity", "authorization", "logger"]
    #expect(Array(keys(state).prefix(7)) == groups)
    #expect(
      keys(state["activity"]) == [
        "activityRecognitionInterval", "minimumActivityRecognitionConfidence", "disableStopDetection",
        "stopOnStationary", "stopDetectionDelay", "triggerActivities", "disableMotionActivityUpdates",
      ])
    #expect(
      keys(state["app"]) == ["stopOnTerminate", "startOnBoot", "heartbeatInterval", "preventSuspend", "schedule"])
    #expect(keys(state["geolocation"]).last == "filter")
    #expect(keys(state["geolocation"]?["filter"]).count == 13)
    #expect(keys(state["authorization"]) == ["strategy", "refreshPayload", "refreshHeaders", "expires"])
    #expect(state["includeDeprecatedPropertiesInDictionary"] == .bool(true))
    #expect(state["isMoving"] == nil && state["filter"] == nil && state["strategy"] == nil)
    for name in ["httpRootProperty", "httpTimeout", "method", "url", "locationAuthorizationAlert", "logLevel"] {
      #expect(state[name] != nil, "\(name)")
    }
    for name in ["httpMethod", "rootProperty", "timeout", "desiredOdometerAccuracy", "notification", "deferTime"] {
      #expect(state[name] == nil, "\(name)")
    }
  }

  @Test func theStateOfAndroidHasItsOwnKeys() {
    let state = Configuration(platform: .android).stateDictionary
    for name in ["notification", "deferTime", "enableHeadless", "motionTriggerDelay", "speedJumpFilter"] {
      #expect(state[name] != nil, "\(name)")
    }
    for name in ["preventSuspend", "activityType", "stopDetectionDelay", "locationAuthorizationAlert"] {
      #expect(state[name] == nil, "\(name)")
    }
  }

  @Test(arguments: DevicePlatform.allCases) func everyFlatKeyRepeatsItsGroup(platform: DevicePlatform) {
    let state = Configuration(platform: platform).stateDictionary
    for key in ConfigurationTable.all where key.group != .root && key.group != .filter {
      guard let name = key.flatName else { continue }
      #expect(state[name] == state[key.group.rawValue]?[key.name], "\(name)")
    }
  }

  /// What is persisted must be found again, through text as through trees.
  @Test(arguments: DevicePlatform.allCases) func groupsGiveTheConfigurationAgain(platform: DevicePlatform) throws {
    for sample in [\ExpectedKey.samples.0, \.samples.1] {
      var configuration = Configuration(platform: platform)
      for expected in ExpectedKeys.all where expected.platform == nil || expected.platform == platform {
        let value = try JSONValue(source: expected[keyPath: sample])
        let document = expected.path.split(separator: ".").reversed().reduce(value) { .object([String($1): $0]) }
        _ = configuration.apply(document)
      }
      for object in [configuration.groups, configuration.changedGroups, configuration.stateDictionary] {
        var writer = JSONWriter()
        JSONValue.object(object).write(to: &writer)
        var again = Configuration(platform: platform)
        let change = again.apply(try JSONValue(parsing: writer.bytes.span))
        #expect(again == configuration)
        #expect(change.warnings.filter { if case .withoutEffect = $0 { false } else { true } } == [])
      }
    }
  }
}
