import Base
import Oracle
import Scenario
import Testing

@testable import FleetSimulator

/// Phones that do what the documents say, and servers that take what they can: neither is blamed (docs/rules.md).
@Suite struct RightPhoneTests {
  private static let platforms = ["ios-5.1", "android-5.1"]

  private func run(
    _ config: String = "{}", on profile: String, faults: String = "[]", settle: String = "5m", more: String = "",
    minutes: Int = 60
  ) throws -> RunReport {
    let text = """
      { version: 1, name: "right", clock: { duration: "\(minutes)m", settle: "\(settle)" }, faults: \(faults),
        sdk: { profile: "\(profile)", config: \(config) }, invariants: { onViolation: "continue" },
        routes: { town: { type: "generate", extent: "2km", trips: { dwell: "4m" } } },
        networks: { dead: { connectionType: "none", up: "0mbit", down: "0mbit" } },
        fleets: { a: { devices: 2, routes: "town"\(more) } } }
      """
    return try FleetRun(RunSetup(ScenarioReader().read(text).scenario), store: Runs.store()).run()
  }

  /// What a fault puts into the queue as a window ends is no position that wakes the phone: with the next one it looks at its schedule
  /// (AppConfig `schedule`).
  @Test func aRecordOfAFaultAtTheEndOfAWindowIsNotTheFirst() throws {
    let text = """
      { version: 1, name: "torture", seed: "0x13a61", invariants: { onViolation: "continue" },
        clock: { duration: "64s", settle: "1s", start: "2026-03-02T16:36:00Z" },
        sdk: { profile: "ios-5.1", config: { app: { schedule: ["1-7 16:52-16:37 location"] } } },
        faults: [{ name: "poison", at: "1m", device: { poisonRecord: "text-latitude" } }],
        fleets: { first: { devices: 4 } } }
      """
    let report = try FleetRun(RunSetup(ScenarioReader().read(text).scenario), store: Runs.store()).run()
    #expect(report.violations.isEmpty && report.sums.quarantined > 0, "\(report.violations.prefix(3))")
  }

  /// What the app writes in the instant in which it crashes is written by a running app: a record of a fault, beside an upload that
  /// arrives, as the app began to track by its schedule.
  @Test func anAppMayWriteInTheInstantOfItsEnd() throws {
    let text = """
      { version: 1, name: "torture", invariants: { onViolation: "continue" },
        clock: { duration: "15m", settle: "1m", start: "2026-03-02T10:00:00Z" },
        sdk: { config: { app: { schedule: ["1-7 10:00-10:05 location", "1-7 10:10-10:14 location"], scheduleUseAlarmManager: true } } },
        faults: [{ name: "deaf", at: "0s", for: "6m", http: { answer: { kind: "drop" } } },
                 { name: "poison", at: "7m", device: { poisonRecord: "text-latitude" } },
                 { name: "crash", at: "7m", storage: { crash: "between-send-and-answer" } }],
        fleets: { first: { devices: 4 } } }
      """
    let report = try FleetRun(RunSetup(ScenarioReader().read(text).scenario), store: Runs.store()).run()
    #expect(report.violations.isEmpty && report.sums.quarantined > 0, "\(report.violations.prefix(3))")
  }

  /// Of a time that comes twice in autumn the first is meant (SDK §16.1.3): a window that has begun then is open for an app that is
  /// installed in the hour that comes again.
  @Test func aPhoneMayStartInAnHourThatComesTwice() throws {
    let text = """
      { version: 1, name: "right", invariants: { onViolation: "continue" },
        clock: { duration: "75m", settle: "1m", start: "2026-10-25T02:20:00+02:00", zoneChanges: ["2026-10-25T02:00:00+01:00"] },
        sdk: { config: { app: { schedule: ["1-7 02:53-03:31"], scheduleUseAlarmManager: true } } },
        fleets: { a: { devices: 2, startTime: "61m" } } }
      """
    let report = try FleetRun(RunSetup(ScenarioReader().read(text).scenario), store: Runs.store()).run()
    #expect(report.violations.isEmpty && report.sums.stored > 100, "\(report.violations.prefix(3))")
  }

  private static func order(_ commands: String, at time: String) -> String {
    #"{ name: "at \#(time)", at: "\#(time)", remote: { background_geolocation: [\#(commands)] } }"#
  }

  /// The odometer goes to where a command sets it, also to less than another one has set before (SDK §17).
  @Test(
    arguments: platforms,
    [
      [(#"["setOdometer", 123456.789], ["resetOdometer"]"#, "10m")],
      [(#"["setOdometer", 1000], ["setOdometer", 10]"#, "10m")],
      [(#"["setOdometer", 1000]"#, "10m"), (#"["setOdometer", 10]"#, "14m")], [(#"["setOdometer", -5]"#, "10m")],
    ])
  func anOdometerIsSetAsOftenAsCommandsSay(profile: String, orders: [(String, String)]) throws {
    let faults = orders.map { Self.order($0.0, at: $0.1) }.joined(separator: ", ")
    let report = try run(on: profile, faults: "[\(faults)]")
    #expect(report.violations.isEmpty && report.sums.stored > 100, "\(report.violations.prefix(3))")
  }

  /// A record of a template may have nothing that a record is known by; it is found under any root, also one that a command
  /// has set.
  @Test(arguments: platforms, [#""data""#, #""location""#, #"".""#])
  func aTemplateWithoutPlaceAndTimeHasAnyRoot(profile: String, root: String) throws {
    let template = #""geofenceTemplate": "{\"id\":\"<%= geofence.identifier %>\",\"uuid\":\"<%= uuid %>\"}""#
    let fence = #"["addGeofence", { "identifier": "A", "latitude": 48.137, "longitude": 11.575, "radius": 700 }]"#
    let orders = [
      Self.order(fence, at: "1m"), Self.order(#"["setConfig", { "http": { "rootProperty": "later" } }]"#, at: "20m"),
    ]
    let report = try run(
      #"{ "http": { "rootProperty": \#(root) }, "persistence": { \#(template) } }"#, on: profile,
      faults: "[\(orders.joined(separator: ", "))]")
    #expect(report.violations.isEmpty && report.sums.stored > 100, "\(report.violations.prefix(3))")
  }

  /// A limit that has passed already stops the phone at once, inside a window of its schedule too, and one that follows in the
  /// same answer starts nothing (SDK §1.4, §16.3.5).
  @Test(
    arguments: platforms,
    [
      #"["setConfig", { "geolocation": { "stopAfterElapsedMinutes": 5 } }]"#,
      #"["setConfig", { "geolocation": { "stopAfterElapsedMinutes": 5 } }], ["setConfig", { "geolocation": { "stopAfterElapsedMinutes": -1 } }]"#,
    ])
  func aTimeLimitOfACommandMayHavePassed(profile: String, commands: String) throws {
    let fences = (0..<9).map {
      #"["addGeofence", { "identifier": "\#($0)", "latitude": \#(48.129 + 0.002 * Double($0)), "longitude": 11.575, "radius": 200 }]"#
    }
    let faults = "[\(Self.order(fences.joined(separator: ", "), at: "1m")), \(Self.order(commands, at: "20m"))]"
    for config in ["{}", #"{ "app": { "schedule": ["1-7 00:00-23:59"], "scheduleUseAlarmManager": true } }"#] {
      let report = try run(config, on: profile, faults: faults)
      #expect(report.violations.isEmpty && report.sums.stored > 50, "\(report.violations.prefix(3))")
    }
  }

  /// For "never" a server may send any number.
  @Test(
    arguments: platforms,
    [
      #"["setConfig", { "geolocation": { "stopTimeout": 1e300 }, "activity": { "stopDetectionDelay": 1e300 } }]"#,
      #"["setConfig", { "geolocation": { "stopTimeout": -1e300 }, "activity": { "stopDetectionDelay": -1e300 } }]"#,
      #"["setConfig", { "persistence": { "maxRecordsToPersist": 9223372036854775807 } }]"#,
      #"["addGeofence", { "identifier": "A", "latitude": 48.137, "longitude": 11.575, "radius": 9e6, "notifyOnDwell": true, "loiteringDelay": 1e300 }]"#,
    ])
  func aNumberOfACommandMayBeBeyondEveryRun(profile: String, command: String) throws {
    let report = try run(on: profile, faults: "[\(Self.order(command, at: "1m"))]")
    #expect(report.violations.isEmpty && report.sums.stored > 20, "\(report.violations.prefix(3))")
  }

  /// A request to the server inside queues a hundred.
  @Test func moreCommandsThanARequestTakesAreQueuedInSeveral() throws {
    let commands = (0..<150).map { #"["setConfig", { "heartbeatInterval": \#(60 + $0) }]"# }.joined(separator: ", ")
    let report = try run(on: "ios-5.1", faults: "[\(Self.order(commands, at: "10m"))]", minutes: 30)
    #expect(report.violations.isEmpty, "\(report.violations.prefix(3))")
  }

  /// A schedule that begins inside its window finds a phone that tracks, and leaves it so (SDK §16.3).
  @Test(arguments: platforms) func aScheduleMayBeginOnAPhoneThatTracks(profile: String) throws {
    let commands =
      #"["setConfig", { "schedule": ["1-7 00:00-23:59"], "scheduleUseAlarmManager": true }], ["startSchedule"]"#
    let report = try run(on: profile, faults: "[\(Self.order(commands, at: "10m"))]")
    #expect(report.violations.isEmpty && report.sums.stored > 100, "\(report.violations.prefix(3))")
  }

  /// A time of tracking that is over as a command sets it ends inside a window, and with fences whose exits are to come (SDK §1.4,
  /// §19.6).
  @Test(arguments: platforms, [#""1-7 00:00-23:59""#, ""])
  func aTimeOfTrackingMayBeOverAsItIsSet(profile: String, window: String) throws {
    let order = Self.order(#"["setConfig", { "geolocation": { "stopAfterElapsedMinutes": 5 } }]"#, at: "10m")
    let fences = #", geofences: "g" } }, geofences: { g: { type: "grid", count: 30, radius: "200m" "#
    let report = try run(
      "{ app: { schedule: [\(window)] } }", on: profile, faults: "[\(order)]", more: fences, minutes: 30)
    #expect(report.violations.isEmpty && report.sums.stored > 20, "\(report.violations.prefix(3))")
  }

  /// The commands of one answer take effect one after the other (SDK §10.1.2): what the last one sets is not set for the others.
  @Test(arguments: platforms) func commandsTakeEffectInTheirOrder(profile: String) throws {
    let commands = """
      ["setConfig", { "distanceFilter": 20 }],
      ["addGeofence", { "identifier": "A", "latitude": 48.137, "longitude": 11.575, "radius": 9000 }],
      ["setConfig", { "geofenceInitialTriggerEntry": true }]
      """
    let report = try run(
      "{ geolocation: { geofenceInitialTriggerEntry: false } }", on: profile,
      faults: "[\(Self.order(commands, at: "10m"))]", minutes: 30)
    #expect(report.violations.isEmpty && report.sums.stored > 50, "\(report.violations.prefix(3))")
  }

  /// No document says which configuration refuses a start by the system: the one that a command has saved, or that of the app.
  @Test func aPhoneMayStartWithTheConfigurationOfItsApp() throws {
    let faults = """
      [\(Self.order(#"["setConfig", { "stopOnTerminate": true }]"#, at: "5m")),
       { name: "absence", at: "20m", lifecycle: { reboot: true, relaunchAfter: "60m" } }]
      """
    let report = try run("{ app: { stopOnTerminate: false } }", on: "ios-5.1", faults: faults, minutes: 90)
    #expect(report.violations.isEmpty && report.sums.stored > 100, "\(report.violations.prefix(3))")
  }

  /// What a command sets is asked for, or holds, from the next start on; what the user has allowed stays (SDK §19.3, §19.5).
  @Test(
    arguments: platforms,
    [
      ("app: { stopOnTerminate: true, startOnBoot: true }", #""stopOnTerminate": false"#),
      ("app: { stopOnTerminate: false, startOnBoot: true }", #""stopOnTerminate": true"#),
      (#"geolocation: { locationAuthorizationRequest: "Always" }"#, #""locationAuthorizationRequest": "WhenInUse""#),
      (#"geolocation: { locationAuthorizationRequest: "WhenInUse" }"#, #""locationAuthorizationRequest": "Always""#),
    ])
  func aPermissionOrAnEndIsWhatItWas(profile: String, change: (config: String, command: String)) throws {
    let faults = """
      [\(Self.order(#"["setConfig", { \#(change.command) }]"#, at: "5m")),
       { name: "swipe", at: "15m", lifecycle: { terminate: true, relaunchAfter: "10m" } },
       { name: "again", at: "55m", lifecycle: { terminate: true, relaunchAfter: "10m" } }]
      """
    let fences = #", geofences: "g" } }, geofences: { g: { type: "grid", count: 30, radius: "200m" "#
    let report = try run("{ \(change.config) }", on: profile, faults: faults, more: fences, minutes: 90)
    #expect(report.violations.isEmpty && report.sums.stored > 100, "\(report.violations.prefix(3))")
  }

  /// A phone that is switched off again as it starts has begun with the configuration of its app, and so does its next start
  /// (SDK §1.5).
  @Test func aPhoneThatIsSwitchedOffAtOnceHasItsConfiguration() throws {
    let change = #"["setConfig", { "app": { "heartbeatInterval": 90 }, "http": { "params": { "phone": "another" } } }]"#
    let faults = """
      [\(Self.order(change, at: "5m")),
       { name: "absence", at: "20m", lifecycle: { reboot: true, relaunchAfter: "15m" } }]
      """
    let report = try run(
      "{ app: { stopOnTerminate: false, startOnBoot: true } }", on: "android-5.1", faults: faults,
      more: ", lifecycle: { reboot: { perHour: 12 } }")
    #expect(report.violations.isEmpty && report.sums.stored > 100, "\(report.violations.prefix(3))")
  }

  /// What the run puts into its uploads stays, so that the server inside knows its devices; to a reader of JSON 1.0 is 1.
  @Test(
    arguments: platforms,
    [
      #"{ "headers": { "X-N": "1" } }"#, #"{ "http": { "headers": {}, "params": { "v": 1E5 } } }"#,
      #"{ "url": "https://elsewhere.example/of/its/own?a=b" }"#, #"{ "url": "https://elsewhere.example" }"#,
    ])
  func aCommandChangesWhatIsTheAppsAlone(profile: String, document: String) throws {
    let report = try run(
      "{ http: { params: { v: 1.0, list: [{ a: 2.0 }] } } }", on: profile,
      faults: "[\(Self.order(#"["setConfig", \#(document)]"#, at: "10m"))]")
    #expect(report.violations.isEmpty && report.sums.pending == 0, "\(report.violations.prefix(3)) \(report.sums)")
    #expect(report.sums.lost == 0 && report.sums.stored > 100)
  }

  /// A configured field replaces the SDK's own (HttpConfig headers).
  @Test(arguments: [
    #"{ "Content-Type": "application/vnd.api+json" }"#, #"{ "X-a": "1", "x-A": "2" }"#,
  ])
  func fieldsOfTheAppAreSentAsTheyAre(headers: String) throws {
    let report = try run("{ http: { headers: \(headers) } }", on: "android-5.1", minutes: 20)
    #expect(report.violations.isEmpty && report.sums.stored > 50, "\(report.violations.prefix(3))")
  }

  /// Without a URL a manual `sync()` gives the rows to its caller and deletes them (SDK §7.4): no server has acknowledged these.
  @Test(arguments: platforms) func whatIsHandedToTheAppIsNotLost(profile: String) throws {
    let report = try run(on: profile, faults: "[\(Self.order(#"["setConfig", { "url": "" }]"#, at: "10m"))]")
    #expect(report.violations.isEmpty && report.sums.lost == 0, "\(report.violations.prefix(3))")
    #expect(report.sums.destroyed > 50 && report.sums.stored > 10, "\(report.sums)")
  }

  /// The server in the process takes bodies of 10 MB at most, and what is refused stays at the head of the queue (SDK §9.1.3).
  @Test(arguments: platforms) func aQueueThatIsTooLongForOneBodyIsAFinding(profile: String) throws {
    let records = (0..<12).map {
      #"{ name: "\#($0)", at: "\#(90 + 20 * $0)s", device: { poisonRecord: "oversized-extras" } }"#
    }
    let faults = [#"{ name: "out", at: "1m", for: "8m", network: "none" }"#] + records
    let report = try run(
      "{ http: { batchSync: true } }", on: profile, faults: "[\(faults.joined(separator: ", "))]", minutes: 15)
    #expect(
      report.violations.isEmpty && report.findings.map(\.name) == ["not-drained"], "\(report.violations.prefix(3))")
    let drain = try #require(report.invariants.first { $0.invariant == .drain })
    #expect(
      drain.verdict
        == .notJudged(
          "uploads are longer than the server takes, or than their time limit; see the findings about the server"))
  }

  /// What is taken record by record to the last second of a phase that is too short for it blocks nothing.
  @Test(arguments: platforms) func aShortSettlePhaseProvesNothing(profile: String) throws {
    let report = try run(on: profile, settle: "20s", more: #", network: "dead""#, minutes: 120)
    #expect(report.violations.isEmpty && report.sums.pending > 0, "\(report.violations.prefix(3))")
    let drain = try #require(report.invariants.first { $0.invariant == .drain })
    #expect(
      drain.verdict == .notJudged("2 devices still uploaded when the settle phase ended: set a longer clock.settle"))
  }
}
