import Contract
import JSON
import Testing

/// SDK §1, §2.4, §22 row 9: groups merge; what is inside an app's own objects is replaced.
struct ConfigurationMergeTests {
  private func apply(_ documents: String..., platform: DevicePlatform = .android) throws -> Configuration {
    var configuration = Configuration(platform: platform)
    for document in documents { _ = configuration.apply(try JSONValue(source: document)) }
    return configuration
  }

  @Test func absentKeysKeepTheirValues() throws {
    let configuration = try apply(
      #"{"http":{"url":"https://a.example","batchSync":true},"geolocation":{"filter":{"rollingWindow":9}}}"#,
      #"{"http":{"maxBatchSize":50},"geolocation":{"filter":{"policy":0},"distanceFilter":25},"debug":true}"#)
    #expect(configuration.http.url == "https://a.example")
    #expect(configuration.http.batchSync && configuration.http.maxBatchSize == 50 && configuration.logger.debug)
    #expect(configuration.geolocation.filter.rollingWindow == 9)
    #expect(configuration.geolocation.filter.policy == .passThrough)
    #expect(configuration.geolocation.distanceFilterMetres == 25)
  }

  @Test func aPartialAuthorizationKeepsTheOtherFields() throws {
    let configuration = try apply(
      #"{"authorization":{"accessToken":"a","refreshToken":"r","refreshUrl":"https://a.example/r","expires":5}}"#,
      #"{"authorization":{"accessToken":"b"}}"#)
    #expect(configuration.authorization.accessToken == "b")
    #expect(configuration.authorization.refreshToken == "r")
    #expect(configuration.authorization.refreshUrl == "https://a.example/r")
    #expect(configuration.authorization.expires == 5)
  }

  @Test func headersParamsAndExtrasAreReplaced() throws {
    let configuration = try apply(
      #"{"headers":{"A":"1","B":"2"},"params":{"a":1,"b":2},"extras":{"x":1,"y":{"z":2}}}"#,
      #"{"headers":{"B":"3"},"params":{},"extras":{"y":{"w":1}}}"#)
    #expect(configuration.http.headers == (try JSONValue(source: #"{"B":"3"}"#)))
    #expect(configuration.http.params == .emptyObject)
    #expect(configuration.persistence.extras == (try JSONValue(source: #"{"y":{"w":1}}"#)))
  }

  @Test func noRefreshHeadersMeansNone() throws {
    let configuration = try apply(#"{"authorization":{"refreshHeaders":{}}}"#)
    #expect(configuration.authorization.refreshHeaders == .emptyObject)
  }

  @Test func aPartialNotificationMerges() throws {
    let configuration = try apply(
      #"{"notification":{"title":"A","strings":{"a":"1","b":"2"},"actions":["x","y"],"color":"red"}}"#,
      #"{"app":{"notification":{"text":"T","strings":{"b":"3"},"actions":["z"]}}}"#)
    let expected = """
      {"title":"A","text":"T","smallIcon":"mipmap/ic_launcher","priority":-1,"sticky":false,
      "channelName":"BackgroundGeolocation","channelId":"bggeo","strings":{"a":"1","b":"3"},"actions":["z"],
      "color":"red"}
      """
    #expect(configuration.app.notification == (try JSONValue(source: expected)))
  }

  @Test func aPartialRationaleMerges() throws {
    let configuration = try apply(#"{"backgroundPermissionRationale":{"title":"A"}}"#)
    #expect(configuration.app.backgroundPermissionRationale["title"] == .string("A"))
    #expect(configuration.app.backgroundPermissionRationale["negativeAction"] == .string("Cancel"))
  }

  @Test func theScheduleIsReplaced() throws {
    let configuration = try apply(#"{"schedule":["1 10:00-11:00","2 10:00-11:00"]}"#, #"{"schedule":["3 9:00-10:00"]}"#)
    #expect(configuration.app.schedule == ["3 9:00-10:00"])
  }

  @Test func ofOneKeyGivenTwiceTheLastCounts() throws {
    let flatLast = try apply(#"{"http":{"timeout":1},"httpTimeout":2}"#)
    let groupLast = try apply(#"{"httpTimeout":2,"http":{"timeout":1}}"#)
    #expect(flatLast.http.timeoutMilliseconds == 2)
    #expect(groupLast.http.timeoutMilliseconds == 1)
  }

  @Test func changesAreListedInTheOrderOfTheTable() throws {
    var configuration = Configuration(platform: .ios)
    let document = #"{"debug":true,"batchSync":true,"url":"https://a.example","stopTimeout":1,"filter":{"policy":1}}"#
    let change = configuration.apply(try JSONValue(source: document))
    let expected = [
      "geolocation.stopTimeout", "geolocation.filter.policy", "http.url", "http.batchSync", "logger.debug",
    ]
    #expect(change.changedKeys == expected)
    #expect(configuration.apply(try JSONValue(source: document)).changedKeys == [])
  }
}

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
