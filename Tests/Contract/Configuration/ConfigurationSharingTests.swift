import Contract
import JSON
import Testing

/// A simulator holds ten thousand configurations.
struct ConfigurationSharingTests {
  @Test func aConfigurationIsAFewPointers() {
    #expect(MemoryLayout<Configuration>.size <= 80)
  }

  @Test func copiesAreIndependent() throws {
    let original = Configuration(platform: .ios)
    var copy = original
    _ = copy.apply(try JSONValue(source: #"{"debug":true,"geolocation":{"filter":{"policy":0}}}"#))
    #expect(original == Configuration(platform: .ios))
    #expect(copy != original)
    #expect(copy.http == original.http)
  }

  @Test func equalValuesAreEqualConfigurationsHoweverTheyCameAbout() throws {
    var there = Configuration(platform: .ios)
    _ = there.apply(try JSONValue(source: #"{"distanceFilter":99}"#))
    #expect(there != Configuration(platform: .ios))
    _ = there.apply(try JSONValue(source: #"{"distanceFilter":10}"#))
    #expect(there == Configuration(platform: .ios))
    #expect(there != Configuration(platform: .android))
  }
}
