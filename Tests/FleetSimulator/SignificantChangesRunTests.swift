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

  private func watch(_ profile: String, geolocation: String = "", activity: String = "") throws -> Telling {
    let text = """
      { version: 1, name: "significant", seed: 4,
        clock: { start: "2026-03-02T07:00:00Z", duration: "85m", settle: "1m" },
        sdk: { profile: "\(profile)", config: {
          geolocation: { useSignificantChangesOnly: true, \(geolocation) }, activity: { \(activity) } } },
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

  /// Android's mode has no activities, and with `stopTimeout` 0 a trip ends as it begins: the exit from the stationary region begins
  /// trips all the same, and what comes at rest is recorded (SDK §12.7.2, §12.7.3).
  @Test(arguments: ["android-5.1", "ios-5.1"], [true, false])
  func tripsBeginAndRecordsAreMade(profile: String, isWithoutTimeout: Bool) throws {
    let telling =
      try isWithoutTimeout
      ? watch(profile, geolocation: "stopTimeout: 0") : watch(profile, activity: #"triggerActivities: "in_vehicle""#)
    #expect(telling.paces.contains { $0.isMoving }, "\(telling.paces)")
    #expect(!telling.positions.filter { 600 < $0 && $0 < 2_500 }.isEmpty)
  }

  /// A significant change of Android is a record with the pace of that moment, at rest too; after a stop there is none. Any other position at
  /// rest is no record (SDK §12.7.3).
  @Test(arguments: [
    (DevicePlatform.android, true, true, []), (.android, true, false, [Invariant.motion]),
    (.android, false, true, [.motion]), (.ios, true, true, [.motion]),
  ])
  func aPositionAtRest(platform: DevicePlatform, isSignificant: Bool, isOn: Bool, violated: [Invariant]) {
    let stage = Stage(platform: platform) { $0.geolocation.useSignificantChangesOnly = isSignificant }
    stage.pass(seconds: 600)
    stage.event(.motionChange(stage.location(isMoving: false)))
    if !isOn { stage.event(.enabledChange(isEnabled: false)) }
    stage.pass(seconds: 600)
    stage.event(.location(stage.location(isMoving: false)))
    #expect(stage.violated == violated)
  }

  /// With `stopTimeout` 0 a trip may end before it has a position, and then only its end is told (SDK §12.7.2, §12.7.7).
  @Test(arguments: [(0.0, false, []), (0, true, [Invariant.motion]), (5, false, [.motion])])
  func aTripThatEndsAtOnce(stopTimeout: Double, isMoving: Bool, violated: [Invariant]) {
    let stage = Stage {
      ($0.geolocation.useSignificantChangesOnly, $0.geolocation.stopTimeoutMinutes) = (true, stopTimeout)
    }
    stage.pass(seconds: 600)
    for _ in 0..<2 {
      stage.event(.motionChange(stage.location(isMoving: isMoving)))
      stage.pass(seconds: 600)
    }
    #expect(stage.violated == violated)
  }

  /// As observed, a way to a motion change counts with the next position of the stream, too, which may come at rest (SDK §25.1, §25.2).
  @Test(arguments: [
    (SDKBehaviour.observed, 2.0, []), (.observed, 3.0, [Invariant.odometerTolerance]),
    (.documented, 2.0, [.odometerTolerance]),
  ])
  func aWayToAMotionChangeCountsAgainAtRest(behaviour: SDKBehaviour, times: Double, violated: [Invariant]) {
    let stage = Stage(behaviour: behaviour) {
      ($0.geolocation.useSignificantChangesOnly, $0.geolocation.stopTimeoutMinutes) = (true, 0)
    }
    for step in 1...20 {
      let metres = 400 * Double(step)
      func tell(isMoving: Bool, _ event: RecordEvent?, odometer: Double) {
        stage.pass(seconds: 30)
        stage.tell(.stood(at: Stage.place(metres), metres: metres))
        var record = stage.location(isMoving: isMoving, odometer: odometer, metresNorth: metres)
        record.event = event
        if event != nil { stage.event(.motionChange(record)) }
        stage.event(.location(record))
      }
      let odometer = metres + 400 * Double(step - 1) * (times - 1)
      tell(isMoving: true, .motionchange, odometer: odometer)
      tell(isMoving: false, .motionchange, odometer: odometer)
      tell(isMoving: false, nil, odometer: metres * times)
    }
    #expect(stage.violated == violated)
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
