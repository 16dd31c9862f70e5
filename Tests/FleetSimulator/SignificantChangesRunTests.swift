import Contract
import Engine
import Host
import Oracle
import Scenario
import Testing
import Vocabulary
import World

@testable import FleetSimulator

/// A phone that reports significant changes only: half an hour on the road, then a place to stay (SDK §12.7).
@Suite struct SignificantChangesRunTests {
  /// North along a meridian at 22 m/s, then it stays where it is.
  private static let drive = """
    lat,lon,time
    48.00,11.50,2026-03-02T07:00:00Z
    48.00,11.50,2026-03-02T07:10:00Z
    48.36,11.50,2026-03-02T07:40:00Z
    48.36,11.50,2026-03-02T09:00:00Z

    """

  private func watch(_ profile: String) throws -> Telling {
    let text = """
      { version: 1, name: "significant", seed: 4,
        clock: { start: "2026-03-02T07:00:00Z", duration: "85m", settle: "1m" },
        sdk: { profile: "\(profile)", config: { geolocation: { useSignificantChangesOnly: true } } },
        routes: { line: { type: "replay", file: "line.csv" } },
        fleets: { a: { devices: 1, routes: "line", network: "wifi" } } }
      """
    let files = RouteFiles(beside: nil, read: { $0 == "line.csv" ? Array(Self.drive.utf8) : nil }, list: { _ in nil })
    let setup = try RunSetup(ScenarioReader().read(text).scenario, files: files)
    let telling = Telling()
    let report = try FleetRun(setup, store: Runs.store(), watchers: [telling]).run()
    #expect(report.isRight)
    return telling
  }

  @Test(arguments: ["android-5.1", "ios-5.1"]) func aDriveHasSeveralPositionsPerHour(profile: String) throws {
    let telling = try watch(profile)
    let onTheWay = telling.positions.filter { 600 < $0 && $0 < 2_500 }
    #expect((4...12).contains(onTheWay.count), "\(onTheWay)")
  }

  @Test func onAndroidATripEndsTwentyMinutesAfterItsLastMove() throws {
    let telling = try watch("android-5.1")
    #expect(telling.paces.map(\.isMoving) == [false, true, false], "\(telling.paces)")
    let began = try #require(telling.paces.dropFirst().first).seconds
    let ended = try #require(telling.paces.last).seconds
    #expect((600.0...700).contains(began))
    let last = try #require(telling.positions.last { $0 < ended })
    // Then a position is looked for, for a minute at most.
    #expect((1_199...1_261).contains(ended - last), "\(last) to \(ended)")
  }
}

private final class Telling: Watcher {
  private(set) var paces: [(isMoving: Bool, seconds: Double)] = []
  /// Of records without an event.
  private(set) var positions: [Double] = []

  func see(_ event: SimulationEvent, _ context: EventContext) {
    switch event {
    case .told(.engine(.motionChange(let record))):
      paces.append((record.isMoving, context.now.monotonic.seconds))
    case .told(.engine(.location(let record))) where record.event == nil && !record.isSample:
      positions.append(context.now.monotonic.seconds)
    default: break
    }
  }
}
