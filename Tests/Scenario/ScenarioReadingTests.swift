import Base
import Contract
import Testing

@testable import Scenario

@Suite struct ScenarioReadingTests {
  @Test func everySectionIsRead() throws {
    let result = try ScenarioReader().read(EveryKey.text)
    let scenario = result.scenario
    #expect(scenario.seed == 0xC0FFEE && scenario.clock.mode == .lockstep && scenario.clock.settle == .seconds(1_200))
    #expect(scenario.clock.start == WallInstant(iso8601: Array("2026-05-04T04:00:00Z".utf8).span))
    #expect(scenario.target.headers["X-Run"] == "none" && scenario.target.authorization.refreshRotation == .reusable)
    #expect(scenario.routes.map(\.name) == ["recorded", "drive", "town", "pauses"])
    #expect(scenario.fleets.map(\.value.executor.peakDevices) == [40, 100, 1_000, 3])
    #expect(scenario.faults.count == 16 && scenario.faults[12].perDeviceHour == 0.1)
    #expect(scenario.invariants.checked == [.conservation])
    #expect(scenario.outputs.count == 11)
  }

  @Test func aMissingKeyHasItsDefault() throws {
    let text = try read(scenario())
    #expect(text.clock == Clock() && text.target == Target() && text.seed == 1)
    #expect(text.fleets[0].value.traits.network == "lte")
  }

  @Test(arguments: ["10", "10.0", "10.", "1e1", "0xA"]) func aWholeNumberHasManyForms(text: String) throws {
    #expect(try read(scenario(fleet: "devices: \(text)")).fleets[0].value.executor.peakDevices == 10)
  }

  @Test func everyFileHasANameOfItsOwn() throws {
    let outputs =
      "outputs: [{ type: 'junit', file: 'b/c' }, { type: 'csv', file: 'junit.xml' }]"
    let plan = OutputPlan(try read(scenario(outputs)).outputs)
    #expect(plan.timeline == "junit.xml" && plan.junit == "b/c" && plan.summary == "summary.json")
    let same = "outputs: [{ type: 'csv', file: 'x' }, { type: 'junit', file: 'x' }]"
    #expect(problems(in: scenario(same)).count == 2)
    // Figures may go to several receivers.
    let receivers = "outputs: [{ type: 'otlp-http', url: 'http://a' }, { type: 'otlp-http', url: 'http://b' }]"
    #expect(problems(in: scenario(receivers)) == [])
  }

  /// A tag of that name would be asked for in vain.
  @Test(arguments: ["fleet", "status", "phase"]) func aTagOfMetricsIsNoneOfAFleet(name: String) {
    let found = problems(in: scenario(fleet: "devices: 1, tags: { \(name): 'a' }"))
    #expect(found.count == 1 && found[0].contains("fleets.cars.tags.\(name): every metric has a tag"), "\(found)")
  }

  @Test func allMistakesAreToldInTheOrderOfTheText() {
    let text = """
      { version: 1, name: "x",
        sed: 7, clock: { mode: "fast", duration: 90 },
        fleets: { cars: { devices: -1, network: "ltee" } },
        faults: [ { name: "f", at: "1m", for: "1s", netwrk: "none" } ] }
      """
    #expect(
      problems(in: text) == [
        "f:2:3: sed: no key 'sed'; did you mean 'seed'?",
        "f:2:26: clock.mode: no value 'fast'; there is: virtual, lockstep, accelerated, realtime",
        "f:2:44: clock.duration: a number without unit; write a duration, as in \"90s\" (ms, s, m, h, d)",
        "f:3:30: fleets.cars.devices: -1 is out of range; write a whole number from 0 to 10000000",
        "f:3:43: fleets.cars.network: no network 'ltee'; did you mean 'lte'?",
        "f:4:13: faults[0]: the fault has no action; add one of network, toxic, tls, http, auth, storage, device, lifecycle, remote",
        "f:4:47: faults[0].netwrk: no key 'netwrk'; did you mean 'network'?",
      ])
  }

  @Test(arguments: [
    ("clock: { duration: '1000000h' }", "\"1000000h\" is out of range; write a duration of at most 37037d53m20s"),
    ("clock: { factor: Infinity }", "out of range"), ("clock: { factor: NaN }", "out of range"),
    ("seed: 1.5", "is not allowed here"), ("seed: '0x10000000000000000'", "is not allowed here"),
    ("clock: { mode: 'realtime' }", "needs a server"), ("target: { preset: 'traccar' }", "the built-in server"),
    (
      "target: { verify: { fields: { 'coords.latitud': '$.y' } } }",
      "target.verify.fields[\"coords.latitud\"]: no field of a record 'coords.latitud'; did you mean 'coords.latitude'?"
    ),
    (
      "target: { verify: { fields: { latitude: '$.y' } } }",
      "no field of a record 'latitude'; there is: coords.latitude"
    ),
    ("target: { tls: { clientKey: 'a.pem' } }", "target.tls.clientKey: a key without its certificate"),
    (
      "target: { tls: { insecure: true, ca: 'a.pem' } }", "target.tls.insecure: insecure and ca cannot be used together"
    ),
    ("clock: { start: '9899-12-31T23:59:30Z' }", "f:1:76: clock.start: clocks of the run would leave"),
    ("clock: { start: '0100-12-31T00:00:00Z' }", "f:1:76: clock.start: clocks of the run would leave"),
    (
      """
      clock: { start: '0230-01-01T00:00:00Z' }, faults: [
        { name: 'a', at: '1m', device: { clockOffset: '-30000d' } },
        { name: 'b', at: '1m', device: { clockOffset: '-30000d' } }]
      """, "f:1:76: clock.start: clocks of the run would leave"
    ),
    ("motion: { a: { extends: 'b' }, b: { extends: 'a' } }", "cannot extend itself"),
    ("motion: { a: { activity: { still: 0.5 } } }", "add up to 0.5"),
    ("motion: { a: { activity: { sleeping: 1 } } }", "no activity 'sleeping'"),
    ("networks: { n: { markov: { lte: { edge: '1m' } }, start: 'lte' } }", "'edge' has no change to another link"),
    ("networks: { n: { markov: { lte: { moon: '1m' }, moon: {} }, start: 'lte' } }", "no network 'moon'"),
    ("geofences: { g: { type: 'list', fences: [{ identifier: 'a' }] } }", "latitude"),
    (
      "geofences: { g: { type: 'list', fences: [{ identifier: 'a', notifyOnEnter: true }] } }",
      "no key 'notifyOnEnter'; did you mean 'notifyOnEntry'?"
    ),
    (
      """
      geofences: { g: { type: 'list', fences: [
        { identifier: 'a', latitude: 1, longitude: 1, radius: 200 }, { identifier: 'a', latitude: 2, longitude: 2, radius: 200 }] } }
      """, "f:2:64: geofences.g.fences[1]: a second geofence 'a'; give it a unique identifier"
    ),
    ("geofences: { g: { type: 'grid', radius: '0m' } }", "write a length above 0"),
    ("target: { auth: { strategy: 'sas' } }", "no value 'sas'"),
    (
      "target: { auth: { identity: 'own' } }", "target.auth.identity: an identity provider without tokens; add strategy"
    ),
    (
      "target: { auth: { strategy: 'jwt', tokenUrl: '/x' } }",
      "target.auth.tokenUrl: the built-in server has no path '/x'; write one of /api/register"
    ),
    ("target: { url: 'http://a' }", "target.url: mode virtual always uses the built-in server"),
    ("target: { connections: { policy: 'pooled' } }", "target.connections.policy: in mode virtual each device"),
    ("clock: { timestamps: 'shift-to-now' }", "clock.timestamps: mode virtual keeps the date"),
    ("clock: { mode: 'fast' }, target: { url: 'http://a', preset: 'traccar' }", "no value 'fast'"),
    ("requests: [{ path: '/a' }]", "fleets: both fleets and requests; keep one of them"),
    ("requests: [{ body: 'a', bodyBase64: 'YQ==' }]", "requests[0].bodyBase64: both body and bodyBase64"),
    (
      "networks: { n: { markov: { lte: { lte: '1m' } }, start: 'lte' } }",
      "markov.lte.lte: a link cannot change to itself"
    ),
    (
      "networks: { n: { markov: { lte: { wifi: '1m' }, wifi: {} }, start: 'edge' } }",
      "networks.n.start: 'edge' has no change to another link; add edge with its changes to markov"
    ),
    (
      "routes: { r: { type: 'generate', block: '10m' } }",
      "routes.r.block: 10m is out of range; write a length from 50m"
    ),
    ("routes: { r: { type: 'generate', extent: '0m' } }", "routes.r.extent: the city has 0 blocks a side"),
    ("routes: { r: { type: 'generate', center: [81, 0] } }", "routes.r.center: the city is too close to a pole"),
    (
      "routes: { r: { type: 'generate', model: 'gauss-markov', meanSpeed: '0m/s' } }",
      "routes.r.meanSpeed: the walk stands still; write a speed above 0"
    ),
    (
      "faults: [{ name: 'f', at: '1m', for: '1m', tls: { problem: 'cut', delay: '3s' } }]",
      "faults[0].tls.delay: only a slow handshake has a delay; remove it"
    ),
    (
      "faults: [{ name: 'f', at: '1m', for: '1m', storage: { error: 'SQLITE_FULL', crash: 'between-2xx-and-delete' } }]",
      "faults[0].storage.crash: error and crash in one fault; write a fault for each"
    ),
    (
      "faults: [{ name: 'f', at: '1m', remote: { background_geolocation: [] } }]",
      "a list of 0; list at least 1 command"
    ),
    ("faults: [{ name: 'f', at: '1m', auth: { revokeAllTokens: true } }]", "faults[0].auth: there are no tokens"),
    ("outputs: [{ type: 'otlp-http', url: 'here' }]", "an http or https URL with a host, or an empty text"),
    (
      "outputs: [{ type: 'prometheus-remote-write', url: 'http://a', labels: { 'a b': 'c' } }]",
      "outputs[0].labels.a b: 'a b' cannot be a label of Prometheus"
    ),
    (
      "outputs: [{ type: 'prometheus-remote-write', url: 'http://a', labels: { job: 'c' } }]",
      "outputs[0].labels.job: every series has a label 'job' already"
    ),
    ("geofences: { g: { type: 'grid', count: 1.5 } }", "is not allowed here"),
    ("faults: [{ name: 'f', at: '1m', network: 'none' }]", "say for how long"),
    ("faults: [{ name: 'f', at: '11m', for: '1m', network: 'none' }]", "after the end of the run"),
    ("faults: [{ name: 'f', for: '1m', network: 'none' }]", "the start time is missing"),
    ("faults: [{ name: 'f', at: '1m', http: {}, for: '1m' }]", "an empty http"),
    (
      "faults: [{ name: 'f', at: '1m', occurrences: [], lifecycle: { reboot: true } }]", "both at and occurrences"
    ),
    (
      "faults: [{ name: 'f', occurrences: [], select: { count: 1 }, lifecycle: { reboot: true } }]",
      "both select and occurrences"
    ),
    (
      "faults: [{ name: 'f', occurrences: [{ fleet: 'vans', member: 0, at: '1m' }], lifecycle: { reboot: true } }]",
      "no fleet 'vans'"
    ),
    (
      "faults: [{ name: 'f', occurrences: [{ fleet: 'cars', member: 99, at: '1m' }], lifecycle: { reboot: true } }]",
      "no device 99"
    ),
    (
      "faults: [{ name: 'f', occurrences: [{ fleet: 'cars', member: 0, at: '9h' }], lifecycle: { reboot: true } }]",
      "after the end of the run"
    ),
    ("faults: [{ name: 'f', at: '1m', for: '1m', network: 'none', http: { abort: { status: 503 } } }]", "in one fault"),
    ("faults: [{ name: 'f', at: '1m', remote: { background_geolocation: [['strat']] } }]", "did you mean start"),
    (
      "faults: [{ name: 'f', at: '1m', for: '1m', http: { abort: { status: 503, when: 'response.status > 1' } } }]",
      "write"
    ),
    ("checks: { c: 'response.status in [200' }", "is not allowed here"),
    ("checks: { c: 'response.stats == 1' }", "write"),
    ("sdk: { config: { http: { maxBatchSise: 5 } } }", "did you mean 'http.maxBatchSize'"),
    ("sdk: { config: { reset: true } }", "only in ready"), ("invariants: { enable: ['I99'] }", "no value 'I99'"),
    (
      "routes: { r: { type: 'generate', trips: { dwell: { dist: 'uniform', min: '5m', max: '1m' } } } }",
      "larger than max"
    ),
    ("routes: { r: { type: 'generate', center: [91, 0] } }", "[91, 0] is not allowed here"),
    ("outputs: [{ type: 'junit' }]", "'file'"), ("acts: [{ end: 'stop' }]", "'at'"),
    ("networks: { n: { markov: { lte: {} } } }", "'start'"),
    ("networks: { n: { start: 'lte', markov: 1 } }", "an object"),
    (
      "outputs: [{ type: 'html', file: '../up.html' }]",
      "outputs[0].file: '../up.html' is not a file name inside --out"
    ),
    ("outputs: [{ type: 'sdk-log', dir: '/logs' }]", "outputs[0].dir: '/logs' is not a file name inside --out"),
    (
      "outputs: [{ type: 'csv', file: 'summary.json' }]",
      "outputs[0].file: another file has the name 'summary.json', too"
    ),
    (
      "clock: { mode: 'realtime' }, target: { url: 'http://a', verify: { query: 'SELECT 1' } }",
      "f:1:124: target.verify: database and query belong together; give both"
    ),
    (
      "clock: { mode: 'realtime' }, target: { url: 'http://a', verify: { url: '/list' } }",
      "f:1:131: target.verify.url: the URL does not ask for a device"
    ),
    ("clock: { duration: '0s' }", "clock.duration: the duration of the run is 0"),
    (
      "target: { verify: { method: 'journal', file: 'x' } }",
      "target.verify: the method journal reads no url, database, command, file or stream; remove one of them"
    ),
    ("target: { verify: { method: 'query' } }", "target.verify: a query needs a place"),
    (
      "target: { verify: { url: '/list?device={device}&after={cursor}' } }",
      "target.verify.url: without 'next' nothing is filled in for {cursor}; add next"
    ),
    (
      "target: { verify: { url: '/list?device={device}', quarantinedUrl: '/q?device={device}&after={cursor}' } }",
      "target.verify.quarantinedUrl: without 'next' nothing is filled in for {cursor}; add next"
    ),
    (
      "outputs: [{ type: 'csv', file: 'a' }, { type: 'junit', file: 'b' }, { type: 'csv', file: 'c' }]",
      "outputs[2]: a second output of the type of outputs[0]; remove it"
    ),
    (
      "outputs: [{ type: 'prometheus', listen: ':1' }, { type: 'prometheus', listen: ':2' }]",
      "outputs[1]: a second output of the type of outputs[0]"
    ),
    ("outputs: [{ type: 'otlp-http' }]", "'url'"),
    ("outputs: [{ type: 'otlp-http', url: 'http://a', interval: '1ms' }]", "a duration from 100ms to 24h"),
    ("outputs: [{ type: 'otlp-http', url: 'http://a', encoding: 'xml' }]", "no value 'xml'"),
    ("outputs: [{ type: 'prometheus-remote-write', url: 'here' }]", "an http or https URL with a host"),
  ])
  func mistakesAreNamed(keys: String, words: String) {
    let found = problems(in: scenario(keys))
    #expect(!found.isEmpty && found.allSatisfy { $0.contains(words) }, "\(found)")
  }

  @Test(arguments: [
    ("devices: 1, lifecycle: { battery: { start: [0.9, 0.5] } }", "battery.start: 0.9 is above 0.5; swap them"),
    ("executor: 'constant-arrival-rate', rate: 1, timeUnit: '0s'", "fleets.cars.timeUnit: \"0s\" is not allowed here"),
    ("devices: 3, members: [0, 2, 1]", "fleets.cars.members[2]: 1 follows 2; write each number once"),
    ("devices: 3, trip: { distance: '2km' }", "fleets.cars.trip: the executor of the fleet starts no trips; remove it"),
  ])
  func mistakesOfFleetsAreNamed(fleet: String, words: String) {
    let found = problems(in: scenario(fleet: fleet))
    #expect(found.count == 1 && found[0].contains(words), "\(found)")
  }

  /// Each once, in the order of the text; what depends on a value that was not read is left out.
  @Test func whatContradictsIsToldBesideWhatCannotBeRead() {
    let text = """
      { version: 1, name: "x", target: { auth: { identity: "own" } },
        fleets: { cars: { devices: 2, network: "ltee", startTime: "11m" } },
        faults: [
          { name: "a", at: "1m", for: "1s", netwrk: "none" },
          { name: "b", at: "1m", for: "1m", tls: { problem: "cut", delay: "1s" } },
          { name: "a", at: "99m", for: "1m", tls: { problem: "slo", delay: "1s" } } ],
        acts: [ { at: "1m" }, { at: "1h", end: "stop" } ], outputs: [ { type: "pdf" }, { type: "csv", file: "../x" } ] }
      """
    let error = #expect(throws: ScenarioErrors.self) {
      try ScenarioReader().read(text) { _ in
        [
          ScenarioProblem("fleets.cars", "not said", remedy: "read it"),
          ScenarioProblem("fleets.cars.devices", "said", remedy: "read it"),
          ScenarioProblem("faults[1].name", "not said either", remedy: "read it", reading: ["fleets"]),
        ]
      }
    }
    #expect(
      error?.all.map { "\($0.position.line) \($0.path)" } == [
        "1 target.auth.identity", "2 fleets.cars.devices", "2 fleets.cars.network", "2 fleets.cars.startTime",
        "4 faults[0]", "4 faults[0].netwrk", "5 faults[1].tls.delay", "6 faults[2].name", "6 faults[2].at",
        "6 faults[2].tls.problem", "7 acts[0]", "7 acts[1].at", "7 outputs[0].type", "7 outputs[1].file",
      ])
  }

  /// Devices are named after their fleet: a server has limits for names, and a field takes no control character.
  @Test(arguments: [
    ("c\\u0007", "a name with a control character"),
    (String(repeating: "é", count: 127), "a device's name would have 256 bytes"),
  ])
  func aNameThatNoDeviceCanHaveIsRefused(name: String, message: String) {
    let found = problems(in: "{ version: 1, name: 'x', fleets: { \"\(name)\": { devices: 1 } } }")
    #expect(found.count == 1 && found[0].contains(message), "\(found)")
    #expect(problems(in: "{ version: 1, name: 'x', fleets: { 'a/../b': { devices: 1 } } }") == [])
  }

  @Test func whatADeviceWouldChangeIsANote() throws {
    let result = try ScenarioReader().read(scenario("sdk: { config: { geolocation: { stationaryRadius: 5 } } }"))
    #expect(result.notes.map(\.path) == ["sdk.config.geolocation.stationaryRadius"])
  }

  /// A misspelt name adds a fleet; that is allowed, and told.
  @Test func anOverrideThatAddsAFleetIsANote() throws {
    func notes(_ setting: String) throws -> [String] {
      let override = try #require(Override(setting: setting))
      let result = try ScenarioReader(overrides: [override]).read(
        "{ version: 1, name: 'a', fleets: { drivers: { devices: 2 } } }")
      return result.notes.map { $0.text(sources: ["file", override.origin]) }
    }
    #expect(try notes("fleets.drivers.devices=3") == [])
    #expect(
      try notes("fleets.driver.devices=3")
        == ["--set fleets.driver.devices=3: fleets.driver: this adds a fleet; did you mean 'drivers'?"])
  }

  @Test func configurationsMergeFromTheWholeToTheFleet() throws {
    let text = try read(EveryKey.text)
    let vans = text.configuration(of: text.fleets[0].value.traits)
    #expect(vans.platform == .android && vans.geolocation.distanceFilterMetres == 25)
    #expect(vans.geolocation.desiredAccuracy == 10 && vans.http.autoSyncThreshold == 3 && !vans.app.stopOnTerminate)
    #expect(text.configuration(of: text.fleets[3].value.traits).platform == .ios)
  }

  @Test func aMotionTakesOverWhatItDoesNotSay() throws {
    let text = try read(EveryKey.text)
    let van = try #require(text.motion(named: "van"))
    #expect(van.activity.map(\.name) == ["in_vehicle", "still"])
    let child = try read(
      scenario(
        "motion: { a: { extends: 'walking', gps: { sigma: '9m' } }, b: { extends: 'a', speed: { model: 'idm' } } }"))
    let b = try #require(child.motion(named: "b"))
    #expect(b.gps.sigmaMetres == 9 && b.gps.correlationTime == .seconds(90) && b.speed == .driver(DriverSpeed()))
    #expect(child.motion(named: "a")?.cruisingMetresPerSecond == 1.35)
  }
}
