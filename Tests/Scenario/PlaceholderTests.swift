import Contract
import JSON
import Testing

@testable import Scenario

/// What devices fill in, and where.
@Suite struct PlaceholderTests {
  private let device = DevicePlaceholders(fleet: "cars", index: 7, seed: 31)

  @Test(arguments: [
    ("${device.id}", "cars-7"), ("a ${device.index}/${device.fleet} ${run.seed}!", "a 7/cars 0x1f!"),
    ("${device.id}${device.id}", "cars-7cars-7"), ("$${device.id}", "${device.id}"),
    ("$$${device.id}", "$${device.id}"),
    ("${device.idd} ${A} $ { ${", "${device.idd} ${A} $ { ${"), ("", ""),
  ])
  func eachStandsForSomethingOfTheDevice(text: String, filled: String) {
    #expect(device.fill(text) == filled)
    #expect(DevicePlaceholders.stand(in: text) == (text != filled))
  }

  @Test func everyTextOfAConfigurationIsFilledIn() throws {
    let text =
      #"{"http":{"params":{"id":"${device.id}","n":[1,true,null,"${device.index}"]},"url":"http://a/${run.seed}"}}"#
    let filled = #"{"http":{"params":{"id":"cars-7","n":[1,true,null,"7"]},"url":"http://a/0x1f"}}"#
    #expect(try device.fill(JSONValue(parsing: text.utf8.span)) == JSONValue(parsing: filled.utf8.span))
  }

  @Test func aDeviceIsFoundByItsName() {
    let named = DevicePlaceholders(named: "night-shift-12", seed: 1)
    #expect(named.fill("${device.fleet} ${device.index} ${device.id}") == "night-shift 12 night-shift-12")
  }

  @Test(arguments: [
    "sdk: { config: { http: { headers: { A: '${device.id}' }, params: { a: ['${run.seed}'] } } } }",
    "sdk: { config: { persistence: { locationTemplate: '{\"d\":\"${device.id}\"}' } } }",
    "target: { headers: { A: '${device.fleet}' } }",
    "clock: { mode: 'realtime' }, target: { url: 'http://a/${device.id}' }",
  ])
  func theyStandWhereDevicesSpeak(section: String) {
    #expect(problems(in: scenario(section)) == [])
  }

  @Test(arguments: [
    "config: { http: { params: { a: '${device.id}' } } }", "tags: { a: '${device.fleet}-${run.seed}' }",
  ])
  func fleetsHaveThemToo(keys: String) {
    #expect(problems(in: scenario(fleet: "devices: 1, " + keys)) == [])
  }

  @Test(arguments: [
    (
      scenario("description: 'of ${device.id}'"),
      "description: ${device.id} cannot be used here; it belongs in sdk.config"
    ),
    (
      scenario("target: { verify: { url: '/{device}/${run.seed}' } }"),
      "target.verify.url: ${run.seed} cannot be used here"
    ),
    (
      scenario(fleet: "devices: 1, tags: { a: '${device.id}' }"),
      "tags.a: ${device.id} cannot be used here; this is the same for a whole fleet: ${device.fleet} or ${run.seed}"
    ),
    (scenario("target: { headers: { A: '${device.id:-x}' } }"), "a placeholder has no default; write ${device.id}"),
    (scenario("sdk: { config: { http: { params: { a: '${device.name}' } } } }"), "no placeholder 'device.name'"),
  ])
  func elsewhereTheyAreMistakes(text: String, words: String) {
    let found = problems(in: text)
    #expect(found.count == 1 && found[0].contains(words), "\(found)")
  }

  /// A document that is written and read again is the same for the devices.
  @Test func theyOutliveTheDocument() throws {
    let text = scenario("sdk: { config: { http: { params: { a: '${device.id} $${device.id}' } } } }")
    let first = try ScenarioReader().read(text)
    let second = try ScenarioReader.read(first.document)
    for result in [first, second] {
      let params = result.scenario.configuration(of: result.scenario.fleets[0].value.traits).http.params
      #expect(device.fill(params)["a"] == .string("cars-7 ${device.id}"))
    }
  }

  @Test func inRealTimeFleetsNeedAServer() {
    #expect(problems(in: scenario("clock: { mode: 'realtime' }")).count == 1)
    let own = "clock: { mode: 'realtime' }, sdk: { config: { http: { url: 'https://app.example/in' } } }"
    #expect(problems(in: scenario(own)) == [])
  }
}
