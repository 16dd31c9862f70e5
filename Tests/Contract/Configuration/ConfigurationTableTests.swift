import JSON
import Testing

@testable import Contract

/// SDK §1 and §2: every key, under all its names, with its defaults.
struct ConfigurationTableTests {
  private func set(_ path: String, _ value: JSONValue) -> JSONValue {
    path.split(separator: ".").reversed().reduce(value) { .object([String($1): $0]) }
  }

  @Test func theTableHasTheKeysOfTheReferenceInItsOrder() {
    #expect(ConfigurationTable.all.map(\.path) == ["isMoving"] + ExpectedKeys.all.map(\.path))
  }

  @Test func namesOutsideTheGroupsAreThoseOfVersionFour() {
    for expected in ExpectedKeys.all {
      guard let key = ConfigurationTable.key(path: expected.path) else {
        Issue.record("no key \(expected.path)")
        continue
      }
      #expect([key.flatName].compactMap(\.self) + key.aliases == expected.flat, "\(expected.path)")
      #expect(key.platform == expected.platform, "\(expected.path)")
    }
  }

  @Test(arguments: DevicePlatform.allCases) func defaultsAreThoseOfThePlatform(platform: DevicePlatform) throws {
    let configuration = Configuration(platform: platform)
    #expect(!configuration.isMoving)
    for expected in ExpectedKeys.all {
      let text = platform == .ios ? expected.iosDefault : expected.androidDefault
      let value = try text.map { try JSONValue(source: $0) }
      #expect(ConfigurationTable.key(path: expected.path)?.read(configuration) == value, "\(expected.path)")
    }
  }

  @Test(arguments: DevicePlatform.allCases)
  func everyKeyIsReadInItsGroupAndOutsideUnderEachName(platform: DevicePlatform) throws {
    for expected in ExpectedKeys.all {
      for sample in [expected.samples.0, expected.samples.1] {
        let value = try JSONValue(source: sample)
        var grouped = Configuration(platform: platform)
        let change = grouped.apply(set(expected.path, value))
        let isNew = grouped != Configuration(platform: platform)
        #expect(change.changedKeys == (isNew ? [expected.path] : []), "\(expected.path) \(sample)")
        for name in expected.flat {
          var flat = Configuration(platform: platform)
          #expect(flat.apply(set(name, value)) == change, "\(name) \(sample)")
          #expect(flat == grouped, "\(name) \(sample)")
        }
      }
    }
  }

  @Test func everyKeyTakesOneOfTwoSamplesAsAChange() throws {
    for expected in ExpectedKeys.all {
      var configuration = Configuration(platform: .android)
      let first = configuration.apply(set(expected.path, try JSONValue(source: expected.samples.0)))
      let second = configuration.apply(set(expected.path, try JSONValue(source: expected.samples.1)))
      #expect(first.changedKeys == [expected.path])
      #expect(second.changedKeys == [expected.path])
    }
  }

  @Test func everyKeyReadsBackWhatItWrote() throws {
    for expected in ExpectedKeys.all where !expected.path.hasPrefix("app.n") && !expected.path.hasPrefix("app.b") {
      for sample in [expected.samples.0, expected.samples.1] {
        let value = try JSONValue(source: sample)
        var configuration = Configuration(platform: .ios)
        _ = configuration.apply(set(expected.path, value))
        #expect(ConfigurationTable.key(path: expected.path)?.read(configuration) == value, "\(expected.path)")
      }
    }
  }

  @Test func theFilterMayStandOutsideItsGroup() throws {
    var flat = Configuration(platform: .ios)
    var grouped = flat
    _ = flat.apply(try JSONValue(source: #"{"filter":{"rollingWindow":7}}"#))
    _ = grouped.apply(try JSONValue(source: #"{"geolocation":{"filter":{"rollingWindow":7}}}"#))
    #expect(flat == grouped)
    #expect(flat.geolocation.filter.rollingWindow == 7)
  }

  @Test func theInitialPaceStandsOutsideEveryGroup() throws {
    var configuration = Configuration(platform: .ios)
    let change = configuration.apply(try JSONValue(source: #"{"isMoving":true}"#))
    #expect(configuration.isMoving)
    #expect(change == ConfigurationChange(changedKeys: ["isMoving"], warnings: []))
  }
}
