import Base
import Contract
import Testing

@testable import Scenario

@Suite struct OverrideTests {
  @Test func anOverrideSetsWhatItNames() throws {
    let overrides = [
      "clock.duration=2h", "fleets.vans.stages[0].target=7", "seed=0x10",
      #"thresholds["upload_duration{fleet:vans}"]=["p(95)<5"]"#,
      "sdk.config.http.autoSync=false",
    ].compactMap { Override(setting: $0) }
    let changed = try read(EveryKey.text, overrides: overrides)
    #expect(changed.clock.duration == .seconds(7_200) && changed.seed == 16)
    #expect(changed.thresholds.last?.selector.text == "upload_duration{fleet:vans}")
    #expect(!changed.configuration(of: changed.fleets[3].value.traits).http.autoSync)
    guard case .rampingDevices(let ramp) = changed.fleets[0].value.executor else {
      Issue.record("vans ramp")
      return
    }
    #expect(ramp.stages[0].target == 7)
  }

  @Test(arguments: [
    ("clock.duraton=1h", "--set clock.duraton=1h: clock.duraton: no key 'duraton'; did you mean 'duration'?"),
    (
      "seed=x",
      "--set seed=x: seed: \"x\" is not allowed here; write a whole number of at most 64 bits, as in 42 or \"0x5EED2026\""
    ),
    ("faults[99].at=1m", "--set faults[99].at=1m: faults[99].at: there is no element 99; the last one is 15"),
    ("name.first=x", "--set name.first=x: name.first: a string has no key 'first'; set the whole value"),
    ("a..b=1", "--set a..b=1: 'a..b' is not a path; write it as in fleets.couriers.stages[0].target"),
  ])
  func aMistakeNamesTheOverride(text: String, problem: String) throws {
    #expect(problems(in: EveryKey.text, overrides: [try #require(Override(setting: text))]) == [problem])
  }

  @Test func emptyBracketsAddToAList() throws {
    let overrides = [
      "outputs[]={ type: 'otlp-http', url: 'http://a' }", "outputs[]={ type: 'otlp-http', url: 'http://b' }",
    ]
    .compactMap { Override(setting: $0) }
    let before = try read(EveryKey.text).outputs.count
    #expect(try read(EveryKey.text, overrides: overrides).outputs.count == before + 2)
    // One that is not there yet.
    #expect(try read(scenario(""), overrides: overrides).outputs.count == 2)
    let wrong = try #require(Override(setting: "name[]=x"))
    #expect(
      problems(in: EveryKey.text, overrides: [wrong])
        == ["--set name[]=x: name[]: a string has no elements; name a list"])
  }

  @Test(arguments: ["", "=1", "novalue"])
  func whatSetsNothingIsNoOverride(text: String) {
    #expect(Override(setting: text) == nil)
  }

  @Test func variablesAreFilledIn() throws {
    let text = scenario(
      "target: { headers: { A: '${A}-${B:-b}-$${C}', D: '${device.id}' } }", fleet: "devices: '${N:-25}'")
    let found = try read(text, variables: ["A": "a"])
    #expect(found.target.headers["A"] == "a-b-${C}" && found.target.headers["D"] == "${device.id}")
    #expect(found.fleets[0].value.executor.peakDevices == 25)
    #expect(try read(text, variables: ["A": "", "N": "7"]).fleets[0].value.executor.peakDevices == 7)
  }

  @Test(arguments: [
    ("${A}", "the variable A is not set"), ("${a}", "is not a variable"), ("${A-b}", "is not a variable"),
    ("${A", "'${' without '}'"),
    ("${device.idd}", "did you mean 'device.id'?"), ("${}", "is not a variable"),
  ])
  func aVariableThatLeadsNowhereIsAMistake(text: String, words: String) {
    let found = problems(in: scenario("target: { headers: { A: '\(text)' } }"))
    #expect(found.count == 1 && found[0].contains(words) && found[0].contains("target.headers.A"), "\(found)")
  }

  @Test func aTextIsANumberOnlyOutOfTheEnvironment() {
    #expect(problems(in: scenario(fleet: "devices: '25'")).count == 1)
    #expect(problems(in: scenario(fleet: "devices: '${N}'"), variables: ["N": "many"]).count == 1)
  }
}
