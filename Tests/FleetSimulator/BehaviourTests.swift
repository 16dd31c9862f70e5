import Base
import Contract
import Engine
import Host
import Oracle
import Scenario
import Testing
import Vocabulary

@testable import FleetSimulator

/// What is told of a drive by devices with the habits of real ones, and by devices that follow the documents.
@Suite struct BehaviourTests {
  /// North along a meridian, twice, with a rest of ten minutes between.
  private static let drive = """
    lat,lon,time
    48.00,11.50,2026-03-02T07:00:00Z
    48.00,11.50,2026-03-02T07:10:00Z
    48.10,11.50,2026-03-02T07:20:00Z
    48.10,11.50,2026-03-02T07:40:00Z
    48.20,11.50,2026-03-02T07:50:00Z
    48.20,11.50,2026-03-02T08:10:00Z

    """

  /// What the odometer says with each position.
  private func odometers(_ sdk: String, fleet: String = "{}") throws -> [Double] {
    let text = """
      { version: 1, name: "behaviour", seed: 4,
        clock: { start: "2026-03-02T07:00:00Z", duration: "65m", settle: "1m" },
        sdk: \(sdk), routes: { line: { type: "replay", file: "line.csv" } },
        fleets: { a: { devices: 1, routes: "line", network: "wifi", sdk: \(fleet) } } }
      """
    let files = RouteFiles(beside: nil, read: { $0 == "line.csv" ? Array(Self.drive.utf8) : nil }, list: { _ in nil })
    let told = Told()
    let setup = try RunSetup(ScenarioReader().read(text).scenario, files: files)
    let report = try FleetRun(setup, store: Runs.store(), watchers: [told]).run()
    #expect(report.isRight && report.violations.isEmpty)
    return told.records.map(\.odometer)
  }

  /// SDK §25: what the fleet says goes over what the scenario says, and observed is what holds without a word.
  @Test func aFleetIsAsObservedUnlessItFollowsTheDocuments() throws {
    let observed = try odometers(#"{ behaviour: "observed" }"#)
    let documented = try odometers(#"{ behaviour: "documented" }"#)
    #expect(observed != documented)
    #expect(try odometers("{}") == observed)
    #expect(try odometers("{}", fleet: #"{ behaviour: "documented" }"#) == documented)
    #expect(try odometers(#"{ behaviour: "documented" }"#, fleet: #"{ behaviour: "observed" }"#) == observed)
  }

  /// A record says what the battery had at its time, not at the launch of the app; both ways of making one, by a position and by a beat.
  @Test func theBatteryDrainsFromRecordToRecord() throws {
    let text = """
      { version: 1, name: "battery", seed: 4,
        clock: { start: "2026-03-02T07:00:00Z", duration: "65m", settle: "1m" },
        sdk: { config: { app: { heartbeatInterval: 60, preventSuspend: true } } },
        routes: { line: { type: "replay", file: "line.csv" } },
        fleets: {
          a: {
            devices: 1, routes: "line", network: "wifi",
            lifecycle: { battery: { start: [0.9, 0.9], drainPerHour: 0.3 } },
          },
        } }
      """
    let files = RouteFiles(beside: nil, read: { $0 == "line.csv" ? Array(Self.drive.utf8) : nil }, list: { _ in nil })
    let told = Told()
    let setup = try RunSetup(ScenarioReader().read(text).scenario, files: files)
    let report = try FleetRun(setup, store: Runs.store(), watchers: [told]).run()
    #expect(report.isRight && report.violations.isEmpty)
    #expect(told.records.count > 5 && told.made.count > told.records.count + 5)
    // What tells of the last position has the time of that, and the battery as it is.
    let levels = try told.made.map { instant, record in
      let hours = Double(instant.milliseconds(since: setup.start)) / 3_600_000
      let level = try #require(record.battery.level)
      #expect(abs(level - (0.9 - 0.3 * hours)) < 0.012, "\(level) after \(hours) hours: \(record)")
      return level
    }
    #expect(levels.min() ?? 1 < 0.65 && levels.max() ?? 0 > 0.85)
  }

  /// Whatever the habits, the way from fence to fence counts as it is, and a fence around the start is entered.
  @Test(arguments: [("ios-5.1", 1), ("ios-5.1", 7), ("android-5.1", 2), ("android-5.1", 10)])
  func aFleetOfGeofencesOnlyCountsEachWayOnce(profile: String, seed: Int) throws {
    let text = """
      { version: 1, name: "fences", seed: \(seed), clock: { duration: "30m", settle: "5m" },
        sdk: { profile: "\(profile)" }, routes: { w: { type: "generate" } },
        geofences: { g: { type: "grid", count: 60, radius: "250m" } },
        fleets: { c: { devices: 12, routes: "w", geofences: "g", mode: "geofences" } } }
      """
    let files = RouteFiles(beside: nil, read: { _ in nil }, list: { _ in nil })
    let report = try FleetRun(RunSetup(ScenarioReader().read(text).scenario, files: files), store: Runs.store()).run()
    #expect(report.isRight && report.violations.isEmpty, "\(report.violations)")
  }

  @Test func tortureDrawsBoth() throws {
    let drawn = try (1...20 as ClosedRange<UInt64>).map { seed in
      try ScenarioReader.read(ScenarioGenerator(seed: seed).document).scenario.sdk.behaviour
    }
    #expect(drawn.contains(.observed) && drawn.contains(.documented) && !drawn.contains(nil))
  }
}

private final class Told: Watcher {
  private(set) var records: [LocationRecord] = []
  /// With those of beats, and when each was told.
  private(set) var made: [(WallInstant, LocationRecord)] = []

  func see(_ event: SimulationEvent, _ context: EventContext) {
    switch event {
    case .told(.engine(.location(let record))) where !record.isSample:
      records.append(record)
      made.append((context.now.wall, record))
    case .told(.engine(.heartbeat(let record))): made.append((context.now.wall, record))
    default: break
    }
  }
}
