import Contract
import JSON
import Testing

@testable import Scenario

@Suite struct TargetPresetTests {
  @Test(arguments: [
    (TargetPreset.rollingroad, "http://a:1", "http://a:1/locations"), (.rollingroad, "http://a/", "http://a/locations"),
    (.traccar, "http://a", "http://a/"), (.dawarich, "https://a", "https://a/api/v1/traccar/points"),
    (.transistorConsole, "http://a", "http://a/api/locations"), (.rollingroad, "http://a/x?y=1", "http://a/x?y=1"),
    (.rollingroad, "http://a?y=1", "http://a?y=1"), (.rollingroad, "http://a/r/x", "http://a/r/x/locations"),
    (.rollingroad, "http://a/r/x/", "http://a/r/x/locations"), (.rollingroad, "http://a/r/", "http://a/r/"),
    (.rollingroad, "http://a/r/x/v2/locations", "http://a/r/x/v2/locations"),
    (.traccar, "http://a/r/x", "http://a/r/x"),
  ])
  func aPresetKnowsWhereUploadsGo(preset: TargetPreset, target: String, url: String) {
    #expect(preset.uploads(to: target) == url)
  }

  private func http(_ preset: TargetPreset, params: JSONObject = [:]) -> (json: HTTPSettings, template: String) {
    var configuration = Configuration(platform: .ios)
    configuration.http.headers = .object(["X-A": .string("1")])
    configuration.http.params = .object(params)
    configuration.http.batchSync = true
    configuration.speak(preset)
    configuration.identify("car", to: preset)
    return (configuration.http, configuration.persistence.locationTemplate)
  }

  @Test func oursKnowsADeviceByItsHeader() {
    let http = http(.rollingroad).json
    #expect(
      http.headers == .object(["X-A": .string("1"), "X-Device-Id": .string("car")]) && http.params == .object([:]))
    #expect(http.batchSync)
  }

  @Test(arguments: [TargetPreset.traccar, .dawarich, .transistorConsole])
  func othersKnowItByAParameter(preset: TargetPreset) {
    let (http, template) = http(preset)
    #expect(http.headers == .object(["X-A": .string("1")]) && http.params == .object(["device_id": .string("car")]))
    #expect(http.rootProperty == "location" && http.batchSync == (preset == .transistorConsole))
    #expect(template.contains("\"latitude\"") == (preset == .dawarich))
    #expect(
      self.http(preset, params: ["device_id": .string("mine")]).json.params == .object(["device_id": .string("mine")]))
  }
}
