import Contract
import Engine
import Host
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

  func see(_ event: SimulationEvent, _ context: EventContext) {
    if case .told(.engine(.location(let record))) = event, !record.isSample { records.append(record) }
  }
}
