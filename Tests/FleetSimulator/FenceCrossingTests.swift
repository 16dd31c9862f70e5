import Base
import Contract
import Engine
import Host
import Scenario
import Testing
import Vocabulary
import World

@testable import FleetSimulator

/// A phone on a line through a circle: geometry says when it crosses.
@Suite struct FenceCrossingTests {
  /// North along a meridian, at an even speed, through the middle of the fence; then it stays where it is.
  private static let drive = """
    lat,lon,time
    48.10,11.50,2026-03-02T07:00:00Z
    48.13,11.50,2026-03-02T07:05:00Z
    48.13,11.50,2026-03-02T07:20:00Z

    """
  private static let center = (latitude: 48.115, radiusMetres: 300.0)
  private static let loiteringSeconds = 20.0

  /// When the body comes to the rim, and leaves the margin around it in which no phone can be sure; in seconds of the run.
  private static func crossings() throws -> (entry: Double, exit: Double) {
    func place(_ latitude: Double) throws -> Coordinate {
      try #require(Coordinate(latitude: latitude, longitude: 11.5))
    }
    let way = try place(48.10).distanceMetres(to: place(48.13))
    let middle = try place(48.10).distanceMetres(to: place(center.latitude))
    let outside = center.radiusMetres + SimulatedDevice.networkAccuracy
    return ((middle - center.radiusMetres) / way * 300, (middle + outside) / way * 300)
  }

  private func watch(_ profile: String) throws -> Crossings {
    let text = """
      { version: 1, name: "fence", seed: 4,
        clock: { start: "2026-03-02T07:00:00Z", duration: "12m", settle: "1m" },
        sdk: { profile: "\(profile)" },
        routes: { line: { type: "replay", file: "line.csv" } },
        geofences: { gate: { type: "list", fences: [{
          identifier: "gate", latitude: \(Self.center.latitude), longitude: 11.5, radius: \(Self.center.radiusMetres),
          notifyOnEntry: true, notifyOnExit: true, notifyOnDwell: true,
          loiteringDelay: \(Int(Self.loiteringSeconds * 1_000)) }] } },
        fleets: { a: { devices: 1, routes: "line", network: "wifi", geofences: "gate" } } }
      """
    let files = RouteFiles(beside: nil, read: { $0 == "line.csv" ? Array(Self.drive.utf8) : nil }, list: { _ in nil })
    let setup = try RunSetup(ScenarioReader().read(text).scenario, files: files)
    let crossings = Crossings()
    let report = try FleetRun(setup, store: Runs.store(), watchers: [crossings]).run()
    #expect(report.isRight)
    return crossings
  }

  @Test(arguments: ["android-5.1", "ios-5.1"])
  func aPhoneCrossesWhenGeometrySaysSo(profile: String) throws {
    let (entry, exit) = try Self.crossings()
    let seen = try watch(profile)
    #expect(seen.true.map(\.isEntry) == [true, false])
    #expect(abs(seen.true[0].seconds - entry) < 0.05 && abs(seen.true[1].seconds - exit) < 0.05, "\(seen.true)")
    // What the app hears comes behind the truth: by the next test of the circle, and the platform's delay.
    #expect(seen.told.map(\.action) == [.enter, .dwell, .exit], "\(seen.told)")
    let latest = CrossingTest.tick.seconds + 10
    #expect((entry...entry + latest).contains(seen.told[0].seconds))
    #expect(abs(seen.told[1].seconds - seen.told[0].seconds - Self.loiteringSeconds) < 1)
    #expect((exit...exit + latest).contains(seen.told[2].seconds))
  }
}

/// The true crossings, and those that the app was told of.
private final class Crossings: Watcher {
  private(set) var `true`: [(isEntry: Bool, seconds: Double)] = []
  private(set) var told: [(action: GeofenceTrigger.Action, seconds: Double)] = []

  func see(_ happening: Happening, _ sighting: Sighting) {
    let seconds = sighting.now.monotonic.seconds
    switch happening {
    case .crossed(fence: "gate", let isEntry): `true`.append((isEntry, seconds))
    case .told(.engine(.geofence(let record, _))):
      if let action = record.geofence?.action { told.append((action, seconds)) }
    default: break
    }
  }
}
