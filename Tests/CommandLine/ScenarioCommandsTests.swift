import JSON
import Scenario
import Testing

@testable import CommandLine

@Suite struct ScenarioCommandsTests {
  private static let files = [
    "bad.json5": "{ version: 1, name: 'x',\n fleets: { a: { devices: -1, netwrk: 'lte' } } }",
    "mine.json5": "{ version: 1, name: 'x', fleets: { a: { devices: '${N}' } } }",
  ]

  private func run(_ words: String...) -> CommandCall {
    CommandCall(words, variables: ["N": "7", "JOB_COMPLETION_INDEX": "1"], files: Self.files)
  }

  @Test func scenariosListsAllAndPrintsOne() {
    let list = run("scenarios")
    #expect(list.code == .ok && list.output.split(separator: "\n").count == BuiltInScenario.all.count)
    #expect(run("scenarios", "stadium").output == BuiltInScenario.named("stadium").map { $0.text + "\n" })
    #expect(run("scenarios", "stadum").error.contains("did you mean 'stadium'?"))
  }

  @Test func schemaIsJSON() throws {
    let schema = try JSONValue(parsing: Array(run("schema").output.utf8).span)
    #expect(schema["$schema"] == .string("https://json-schema.org/draft/2020-12/schema"))
    #expect(run("schema", "--reference").output.hasPrefix("# Scenarios\n"))
  }

  @Test func aBadScenarioEndsWith104AndAllItsMistakes() {
    let result = run("simulate", "bad.json5", "--set", "clock.mode=fast", "--dry-run")
    #expect(result.code == .badScenario && result.code.rawValue == 104 && result.output == "")
    #expect(
      result.error.split(separator: "\n").map { $0.prefix { $0 != ";" } } == [
        "bad.json5:2:26: fleets.a.devices: -1 is out of range", "bad.json5:2:30: fleets.a.netwrk: no key 'netwrk'",
        "--set clock.mode=fast: clock.mode: no value 'fast'",
      ])
  }

  /// As one of a flag that is no part of the scenario.
  @Test(arguments: [
    ["--seed", "x"], ["--duration", "soon"], ["--mode", "fast"], ["--preset", "none"], ["--target", "nowhere"],
    ["--factor", "0"], ["--proxy", "x"], ["--resolve", "x"], ["--duration", "0s"],
  ])
  func aWrongValueOfAFlagIsAUsageError(words: [String]) {
    let result = CommandCall(["simulate", "first-drive"] + words)
    #expect(result.code == .usage && result.output == "")
    #expect(result.error.contains("rollingroad simulate: \(words.joined(separator: " ")): "), "\(result.error)")
  }

  /// What else is wrong is told as well.
  @Test func aWrongValueOfAFlagHidesNothing() {
    let result = run("simulate", "bad.json5", "--seed", "x", "--dry-run")
    #expect(result.code == .usage)
    for place in ["bad.json5:2:26: ", "bad.json5:2:30: ", "rollingroad simulate: --seed x: seed: "] {
      #expect(result.error.contains(place), "\(result.error)")
    }
  }

  @Test func aPlanIsPrintedAndNothingIsRun() {
    let result = run("simulate", "first-drive", "--dry-run", "--duration", "20m", "--seed=0xFF")
    #expect(result.code == .ok && result.error == "")
    #expect(result.output.hasPrefix("plan of first-drive: virtual, seed 255, 20m and 2m to settle\n"))
    #expect(run("simulate", "mine.json5", "--dry-run").output.contains("at most 7 devices"))
    #expect(
      run("simulate", "city-25", "--dry-run", "--devices", "100", "--fleet", "walkers").output.contains("at most 100 "))
  }

  /// Also in runs that are hardly longer than what a phone needs to set off.
  @Test(arguments: [
    ("first-drive", "60s"), ("first-drive", "10m"), ("city-25", "60s"), ("city-25", "10m"), ("commuters", "10m"),
  ])
  func aRunMakesAsManyRecordsAsItsPlanSays(name: String, duration: String) throws {
    let words = ["simulate", name, "--devices", "50", "--duration", duration]
    let plan = CommandCall(words + ["--dry-run"]).output
    let range = try #require(plan.firstMatch(of: /expected, without faults: ([0-9,]+) to ([0-9,]+) records/), "\(plan)")
    let output = CommandCall(words + ["--quiet"]).output
    let made = try #require(output.firstMatch(of: /records +created ([0-9,]+),/), "\(output)")
    func number(_ text: Substring) -> Int { Int(text.filter { $0 != "," }) ?? -1 }
    let (least, greatest) = (number(range.1), number(range.2))
    #expect(least <= number(made.1) && number(made.1) <= greatest, "\(least) \(made.1) \(greatest)")
  }

  private static let fault = "faults: [{ name: 'f', at: '1m', for: '1m', "

  /// The plan is refused as the run would be: all mistakes at once, those of files and of other parts of the program too.
  @Test(arguments: [
    ("routes: { r: { type: 'replay', file: '/nowhere.gpx' } }", "routes.r.file: cannot read the file '/nowhere.gpx'"),
    (
      fault + "http: { abort: { status: 500, headers: { 'a b': 'c' } } } }]",
      "faults[0].http.abort.headers.a b: 'a b' cannot be a header of an answer"
    ),
    ("target: { headers: { A: 'b\\nc' } }", "target.headers.A: 'A' cannot be a header of a request"),
    (fault + "auth: { rotateKeys: true } }]", "faults[0].auth: there are no tokens"),
    ("thresholds: { time_to_visible: ['max<1'] }", "thresholds.time_to_visible: the server in virtual time commits"),
    ("thresholds: { 'uploads{device:a-9}': ['count>1'] }", "'a-9' is not a device of this run; write one such as a-0"),
    (
      "sdk: { config: { app: { schedule: ['2-6 9:00-17:00', '1-8 09:00-17:00'] } } }",
      "sdk.config.app.schedule[1]: \"1-8 09:00-17:00\" is wrong at column 1; days are 1 (Sunday) to 7"
    ),
    (
      "clock: { mode: 'lockstep' }, target: { url: 'http://127.0.0.1:9' }, " + fault
        + "http: { answer: { kind: 'half' } } }]",
      "faults[0].http: only a Rolling Road server supports it; use --mode virtual"
    ),
    (
      "clock: { mode: 'lockstep' }, sdk: { config: { http: { url: 'http://127.0.0.1:9' } } }, " + fault
        + "tls: { problem: 'cut' } }]",
      "faults[0].tls: http://127.0.0.1:9 has no TLS; name a target with https"
    ),
    (
      "sdk: { config: { authorization: { accessToken: 'a', expires: 300, refreshUrl: 'https://id.test/token' } } }",
      "sdk.config.authorization.expires: the server of virtual time does not know the tokens of the app"
    ),
    ("outputs: [{ type: 'prometheus', listen: 'here' }]", "outputs[0].listen: \"here\" is not a valid listen address"),
  ])
  func aPlanIsRefusedAsTheRun(keys: String, words: String) throws {
    let text = "{ version: 1, name: 'x',\n fleets: { a: { devices: 2, routes: 'r' } },\n \(keys)"
    let routes = keys.hasPrefix("routes") ? " }" : ", routes: { r: { type: 'generate' } } }"
    let run = CommandCall(["simulate", "s.json5"], files: ["s.json5": text + routes])
    let plan = CommandCall(["simulate", "s.json5", "--dry-run"], files: ["s.json5": text + routes])
    #expect(run.code == .badScenario && plan.code == .badScenario && plan.output == "")
    let lines = plan.error.split(separator: "\n").filter { !$0.hasPrefix("note: ") }
    #expect(run.error == plan.error && lines.count == 1, "\(run.error)\(plan.error)")
    #expect(lines[0].wholeMatch(of: /s.json5:3:\d+: .+; .+/) != nil && lines[0].contains(words), "\(plan.error)")
    // Beside a key that cannot be read.
    let both = CommandCall(["simulate", "s.json5", "--set", "sede=1"], files: ["s.json5": text + routes])
    #expect(both.error.hasPrefix(lines[0] + "\n--set sede=1: sede: no key 'sede'"), "\(both.error)")
  }

  /// The files of the target too, all at once, before anything is sent.
  @Test func theFilesOfATargetAreReadForThePlan() {
    let text = """
      { version: 1, name: 'x', clock: { mode: 'realtime' }, fleets: { a: { devices: 1 } }, target: { url: 'https://127.0.0.1:9',
        tls: { ca: 'none.pem', clientCert: 'here.pem', clientKey: 'neither.pem' } } }
      """
    let plan = CommandCall(["simulate", "s.json5", "--dry-run"], files: ["s.json5": text, "here.pem": ""])
    #expect(plan.code == .badScenario && plan.output == "")
    let lines = plan.error.split(separator: "\n").filter { !$0.hasPrefix("note: ") }
    #expect(
      lines.map { $0.prefix { $0 != ";" } } == [
        "s.json5:2:14: target.tls.ca: cannot read the file 'none.pem'",
        "s.json5:2:61: target.tls.clientKey: cannot read the file 'neither.pem'",
      ], "\(plan.error)")
    let flags = ["--ca", "none.pem", "--client-key", "neither.pem"]
    let call = CommandCall(["simulate", "s.json5", "--dry-run"] + flags, files: ["s.json5": text, "here.pem": ""])
    #expect(call.code == .usage, "\(call.error)")
    #expect(call.error.contains("'none.pem'") && call.error.contains("'neither.pem'"), "\(call.error)")
  }

  /// A token that is valid beyond the drives, and one that the server of virtual time has issued.
  @Test(arguments: [
    ("expires: 999999", "none"), ("expires: -1", "none"), ("expires: 300", "jwt"),
  ])
  func tokensThatNeedNoOtherServerAreNoMistake(expiry: String, strategy: String) {
    let text = """
      { version: 1, name: 'x', fleets: { a: { devices: 1 } }, target: { auth: { strategy: '\(strategy)' } },
        sdk: { config: { authorization: { accessToken: 'a', \(expiry), refreshUrl: 'https://id.test/token' } } } }
      """
    let plan = CommandCall(["simulate", "s.json5", "--dry-run"], files: ["s.json5": text])
    #expect(plan.code == .ok, "\(plan.error)")
  }

  /// The place is that in the text, whatever part of the scenario runs.
  @Test func theFaultsOfAFleetAreNumberedAsInTheText() {
    let text = """
      { version: 1, name: 'x', fleets: { a: { devices: 1 }, b: { devices: 1 } }, faults: [
        { name: 'f', at: '1m', select: { fleet: 'a' }, lifecycle: { reboot: true } },
        { name: 'g', at: '1m', for: '1m', select: { fleet: 'b' }, http: { abort: { status: 500, headers: { 'a b': 'c' } } } }] }
      """
    let plan = CommandCall(["simulate", "s.json5", "--fleet", "b", "--dry-run"], files: ["s.json5": text])
    #expect(plan.code == .badScenario && plan.error.hasPrefix("s.json5:3:109: faults[1].http.abort."), "\(plan.error)")
  }

  /// A target implies real time before anything is judged by the mode.
  @Test func aPresetNeedsNoModeBesideATarget() {
    let plan = run("simulate", "first-drive", "--target", "http://127.0.0.1:9", "--preset", "traccar", "--dry-run")
    #expect(plan.code == .ok && plan.output.hasPrefix("plan of first-drive: realtime"), "\(plan.error)")
  }

  @Test func whatCannotBeRunIsSaid() {
    let lockstep = run("simulate", "first-drive", "--mode", "lockstep")
    #expect(lockstep.code == .badScenario)
    #expect(lockstep.error.contains("target: the mode lockstep needs a server; add url"))
  }

  @Test func aRunBeginsWithItsSeedAndEndsWithItsHash() {
    let run = run("simulate", "first-drive", "--seed", "0x2A", "--check-determinism")
    #expect(run.code == .ok, "\(run.error)")
    #expect(run.output.hasPrefix("seed 0x2a\n"))
    #expect(run.output.contains("lost 0, duplicate rows 0"))
    #expect(run.output.contains("✓ records_lost") && run.output.contains("first-drive passed"))
    #expect(run.output.hasSuffix("the second run was the same\n"))
  }

  @Test func aJobsIndexNamesItsShard() {
    let named = run("simulate", "first-drive", "--duration", "3m", "--shard", "1/2")
    #expect(named.code == .ok && named.output.contains(" 0 devices "))
    let indexed = run("simulate", "first-drive", "--duration", "3m", "--shard", "auto/2")
    func figures(_ output: String) -> [Substring] {
      // The command, and when it ran, differ.
      output.split(separator: "\n").filter { !$0.contains("rollingroad simulate") && !$0.contains(" by the clock") }
    }
    #expect(figures(indexed.output) == figures(named.output))
  }

  @Test(arguments: [
    ["nowhere.json5"], [], ["first-drive", "--scale", "0"], ["first-drive", "--scale", "1e20"],
    ["first-drive", "--devices", "0"],
    ["first-drive", "--set", "seed"],
    ["first-drive", "--fleet", "phone"], ["first-drive", "--shard", "2/2"], ["first-drive", "--shard", "auto/2"],
  ])
  func wrongWordsAreUsageErrors(words: [String]) {
    for more: [String] in [[], ["--dry-run"]] {
      let call = CommandCall(["simulate"] + words + more)
      #expect(call.code == .usage && !call.error.isEmpty)
    }
  }
}
